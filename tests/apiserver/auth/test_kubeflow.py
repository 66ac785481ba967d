"""Who may train: Kubeflow's roles, and Kubernetes' own."""

import pytest

from windlass.apiserver.auth.attributes import Attributes
from windlass.apiserver.auth.bootstrap import default_objects
from windlass.apiserver.auth.rbac import Rbac
from windlass.apiserver.auth.user import authenticated
from windlass.apps.training.app import APP as TRAINING
from windlass.kube.json import Object

from .builders import a_binding

OBJECTS = default_objects()
ROLES: dict[str, Object] = {obj["metadata"]["name"]: obj for obj in OBJECTS if obj["kind"] == "ClusterRole"}
TRAINING_KINDS = sorted(crd["spec"]["names"]["plural"] for crd in TRAINING.definitions())
VOLCANO_KINDS = {
    "batch.volcano.sh": "jobs cronjobs",
    "bus.volcano.sh": "commands",
    "flow.volcano.sh": "jobflows jobtemplates",
}
TRAINER_GROUP, JOB_SET_GROUP = "trainer.kubeflow.org", "jobset.x-k8s.io"
LABEL = "rbac.authorization.kubeflow.org/aggregate-to-"


@pytest.mark.parametrize("family", ["training", "trainer"])
@pytest.mark.parametrize("level", ["admin", "edit", "view"])
def test_training_is_part_of_kubeflows_roles_by_upstreams_labels(level: str, family: str) -> None:
    (selector,) = ROLES[f"kubeflow-{level}"]["aggregationRule"]["clusterRoleSelectors"]

    assert selector == {"matchLabels": {f"{LABEL}kubeflow-{level}": "true"}}
    assert ROLES[f"kubeflow-{family}-{level}"]["metadata"]["labels"][f"{LABEL}kubeflow-{level}"] == "true"


@pytest.mark.parametrize("family", ["training", "trainer"])
def test_the_training_admin_has_what_the_editor_has(family: str) -> None:
    assert ROLES[f"kubeflow-{family}-admin"]["rules"] == ROLES[f"kubeflow-{family}-edit"]["rules"]


def may(role: str, verb: str, group: str, resource: str, subresource: str = "") -> bool:
    rbac = Rbac()
    for obj in OBJECTS:
        rbac.put(obj["kind"], obj)
    rbac.put("RoleBinding", a_binding("them", role, "User:ann", namespace="team-a"))
    asked = Attributes(verb, group, resource, subresource, namespace="team-a")
    return rbac.allowed(authenticated("ann"), asked).allowed


@pytest.mark.parametrize("prefix", ["", "kubeflow-", "kubeflow-training-"])
@pytest.mark.parametrize("kind", TRAINING_KINDS)
def test_editors_write_jobs_and_viewers_read_them(prefix: str, kind: str) -> None:
    for level, writes in (("admin", True), ("edit", True), ("view", False)):
        role = f"{prefix}{level}"
        assert may(role, "create", "kubeflow.org", kind) == writes
        assert may(role, "patch", "kubeflow.org", kind) == writes
        assert may(role, "list", "kubeflow.org", kind)
        assert may(role, "get", "kubeflow.org", kind, "status")
        assert not may(role, "update", "kubeflow.org", kind, "status")


@pytest.mark.parametrize(
    ("verb", "group", "resource"),
    [
        ("create", "", "persistentvolumeclaims"),
        ("list", "", "events"),
        ("create", "scheduling.volcano.sh", "podgroups"),
        ("create", "scheduling.x-k8s.io", "podgroups"),
        ("create", "scheduling.incubator.k8s.io", "podgroups"),
    ],
)
def test_editors_may_what_training_needs_besides(verb: str, group: str, resource: str) -> None:
    assert may("kubeflow-edit", verb, group, resource)
    assert not may("kubeflow-view", "delete", group, resource)


@pytest.mark.parametrize(("group", "kinds"), VOLCANO_KINDS.items())
def test_editors_write_volcanos_jobs_and_viewers_read_them(group: str, kinds: str) -> None:
    for kind in kinds.split():
        for level, writes in (("admin", True), ("edit", True), ("view", False)):
            assert may(level, "create", group, kind) == writes
            assert may(level, "deletecollection", group, kind) == writes
            assert may(level, "watch", group, kind)
            assert not may(level, "update", group, kind, "status")
    assert not may("edit", "create", "scheduling.volcano.sh", "queues")


@pytest.mark.parametrize("prefix", ["", "kubeflow-", "kubeflow-trainer-"])
def test_editors_write_train_jobs_and_job_sets_and_all_read_the_runtimes(prefix: str) -> None:
    for level, writes in (("admin", True), ("edit", True), ("view", False)):
        role = f"{prefix}{level}"
        for group, kind in ((TRAINER_GROUP, "trainjobs"), (JOB_SET_GROUP, "jobsets")):
            assert may(role, "create", group, kind) == writes
            assert may(role, "list", group, kind)
            assert may(role, "get", group, kind, "status")
            assert not may(role, "update", group, kind, "status")
        assert may(role, "list", TRAINER_GROUP, "trainingruntimes")
        assert not may(role, "create", TRAINER_GROUP, "trainingruntimes")


def test_editors_may_scale() -> None:
    assert may("edit", "patch", "kubeflow.org", "pytorchjobs", "scale")
    assert not may("view", "patch", "kubeflow.org", "pytorchjobs", "scale")
