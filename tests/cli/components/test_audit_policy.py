"""What the API server's audit log has by the policy that `windlass up` gives it."""

import pytest

from windlass.apiserver.auth.attributes import Attributes
from windlass.apiserver.auth.audit_policy import Level, read_policy
from windlass.apiserver.auth.user import User
from windlass.cli.components.gateway import AUDIT_POLICY

PERSON = User("jane@example.com", groups=("system:authenticated",))
ACCOUNT = User("system:serviceaccount:ml:default-editor", groups=("system:serviceaccounts",))
SCHEDULER = User("system:kube-scheduler")
MANAGER = User("system:kube-controller-manager")
NODE = User("system:node:here", groups=("system:nodes",))
EXEC = Attributes("create", "", "pods", "exec", "ml", "lab-0")


@pytest.mark.parametrize("user", [PERSON, ACCOUNT], ids=["a person", "a service account"])
@pytest.mark.parametrize(
    "asked",
    [
        EXEC,
        Attributes("get", "", "pods", "exec", "ml", "lab-0"),
        Attributes("create", "", "pods", "attach", "ml", "lab-0"),
        Attributes("create", "", "pods", "portforward", "ml", "lab-0"),
        Attributes("get", "", "secrets", "", "ml", "a"),
        Attributes("list", "", "secrets"),
        Attributes("create", "", "serviceaccounts", "token", "ml", "default-editor"),
        Attributes("create", "rbac.authorization.k8s.io", "rolebindings", "", "ml", "a"),
        Attributes("patch", "rbac.authorization.k8s.io", "clusterroles", "", "", "a"),
        Attributes("delete", "kubeflow.org", "profiles", "", "", "ml"),
    ],
    ids=lambda asked: f"{asked.verb} {asked.resource}/{asked.subresource}",
)
def test_commands_in_pods_secrets_and_changes_of_rights_are_logged_without_their_contents(
    user: User, asked: Attributes
) -> None:
    assert read_policy(AUDIT_POLICY).verdict(user, asked).level is Level.METADATA


@pytest.mark.parametrize(
    ("user", "asked"),
    [
        (PERSON, Attributes("get", "", "pods", "", "ml", "lab-0")),
        (PERSON, Attributes("get", "", "pods", "log", "ml", "lab-0")),
        (PERSON, Attributes("list", "rbac.authorization.k8s.io", "rolebindings", "", "ml")),
        (PERSON, Attributes("get", path="/healthz")),
        (SCHEDULER, EXEC),
        (MANAGER, Attributes("patch", "rbac.authorization.k8s.io", "rolebindings", "", "ml", "a")),
        (NODE, Attributes("get", "", "secrets", "", "ml", "a")),
    ],
)
def test_ordinary_requests_and_those_of_the_platform_are_not_logged(user: User, asked: Attributes) -> None:
    assert read_policy(AUDIT_POLICY).verdict(user, asked).level is Level.NONE
