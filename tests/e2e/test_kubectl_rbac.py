"""Who may do what: roles, bindings, aggregation, escalation, impersonation, and asking about it."""

import json

import pytest

from tests.e2e.shell import Shell
from tests.support import eventually

pytestmark = pytest.mark.kubectl


@pytest.fixture
def readers(kubectl: Shell) -> Shell:
    """alice, the group devs and the account bot may read pods."""
    kubectl("create role reader --verb=get,list,watch --resource=pods,deployments.apps")
    kubectl(
        f"create rolebinding readers --role=reader --user=alice --group=devs --serviceaccount={kubectl.namespace}:bot"
    )
    return kubectl


def test_roles_and_bindings_are_shown(readers: Shell) -> None:
    assert readers.rows("get rolebindings -o wide")[1][:2] == ["readers", "Role/reader"]
    assert readers.rows("get rolebindings -o wide")[1][3:] == ["alice", "devs", f"{readers.namespace}/bot"]
    described = readers("describe role reader")
    assert "pods              []                 []              [get list watch]" in described
    assert "Group           devs" in readers("describe rolebinding readers")


def test_a_user_may_what_the_role_says_and_nothing_else(readers: Shell) -> None:
    space = readers.namespace

    readers("get pods --as alice")

    assert readers.fails("get secrets --as alice") == (
        'Error from server (Forbidden): secrets is forbidden: User "alice" cannot list resource "secrets" in API '
        f'group "" in the namespace "{space}"'
    )
    assert readers.fails("delete pod x --as alice") == (
        'Error from server (Forbidden): pods "x" is forbidden: User "alice" cannot delete resource "pods" in API '
        f'group "" in the namespace "{space}"'
    )
    assert "at the cluster scope" in readers.fails("get pods -A --as alice")
    assert readers("get pods --as bob --as-group devs") == ""
    assert 'User "bob" cannot list' in readers.fails("get pods --as bob")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("list pods --as alice", "yes"),
        ("watch deployments.apps --as alice", "yes"),
        ("delete pods --as alice", "no"),
        ("get pods --subresource=log --as alice", "no"),
        ("list pods --as bob --as-group=devs", "yes"),
        ("list pods --as bob", "no"),
        ("list pods -A --as alice", "no"),
        ("get /version --as alice", "yes"),
        ("get /metrics --as alice", "no"),
        ("'*' '*'", "yes"),
        ("create selfsubjectaccessreviews.authorization.k8s.io --as alice", "yes"),
    ],
)
def test_one_can_ask_what_one_may(readers: Shell, question: str, answer: str) -> None:
    done = readers.run(f"auth can-i {question}")

    assert done.stdout.strip() == answer
    assert done.returncode == (0 if answer == "yes" else 1)


def test_a_service_account_is_a_user_too(readers: Shell) -> None:
    space = readers.namespace

    assert readers(f"auth can-i list pods --as system:serviceaccount:{space}:bot") == "yes"
    assert readers.run(f"auth can-i list pods --as system:serviceaccount:{space}:other").stdout.strip() == "no"


def test_all_that_one_may_is_listed(readers: Shell) -> None:
    rows = readers.rows("auth can-i --list --as alice")

    assert rows[0] == ["Resources", "Non-Resource", "URLs", "Resource", "Names", "Verbs"]
    assert ["pods", "[]", "[]", "[get", "list", "watch]"] in rows
    assert ["selfsubjectreviews.authentication.k8s.io", "[]", "[]", "[create]"] in rows
    assert ["*.*", "[]", "[]", "[*]"] in readers.rows("auth can-i --list")


def test_names_and_subresources_narrow_a_rule(kubectl: Shell) -> None:
    kubectl("create role narrow --verb=get --resource=configmaps,pods/log --resource-name=mine")
    kubectl("create rolebinding narrow --role=narrow --user=carol")

    assert kubectl("auth can-i get configmap/mine --as carol") == "yes"
    assert kubectl("auth can-i get pods/mine --subresource=log --as carol") == "yes"
    assert kubectl.run("auth can-i get configmap/other --as carol").stdout.strip() == "no"
    assert kubectl.run("auth can-i list configmaps --as carol").stdout.strip() == "no"


def test_who_am_i(kubectl: Shell) -> None:
    me = kubectl.json("auth whoami")["status"]["userInfo"]
    other = kubectl.json("auth whoami --as dan --as-group a --as-group b --as-uid 7")["status"]["userInfo"]

    assert me["groups"] == ["system:masters", "system:authenticated"]
    assert (other["username"], other["uid"]) == ("dan", "7")
    assert other["groups"] == ["a", "b", "system:authenticated"]
    assert kubectl.rows("auth whoami")[0] == ["ATTRIBUTE", "VALUE"]


def test_impersonation_is_a_right_of_its_own(kubectl: Shell) -> None:
    token = kubectl("create token default")

    said = kubectl.fails(f"get pods --token={token} --as alice")

    assert (
        f'users "alice" is forbidden: User "system:serviceaccount:{kubectl.namespace}:default" cannot impersonate '
        'resource "users" in API group "" at the cluster scope'
    ) in said


def test_a_cluster_role_gathers_those_with_a_label(kubectl: Shell) -> None:
    tag = kubectl.namespace
    rules = f"""
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: parent-{tag}}}
aggregationRule: {{clusterRoleSelectors: [{{matchLabels: {{gather: {tag}}}}}]}}
rules: []
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: child-{tag}, labels: {{gather: {tag}}}}}
rules: [{{apiGroups: [""], resources: [secrets], verbs: [get]}}]
"""
    kubectl("apply -f -", rules)
    kubectl(f"create rolebinding gathered --clusterrole=parent-{tag} --user=erin")

    eventually(lambda: kubectl.json(f"get clusterrole parent-{tag}")["rules"], 60, "the rules are gathered")
    allowed = kubectl("auth can-i get secrets --as erin")
    kubectl(f"delete clusterrole child-{tag}")

    assert allowed == "yes"
    eventually(lambda: kubectl.run("auth can-i get secrets --as erin").stdout.strip() == "no", 60, "erin may no more")
    kubectl(f"delete clusterrole parent-{tag}")


def test_nobody_grants_what_they_do_not_have(kubectl: Shell) -> None:
    rbac = "--resource=roles.rbac.authorization.k8s.io,rolebindings.rbac.authorization.k8s.io"
    kubectl(f"create role keeper --verb=get,list,create,update,patch,delete {rbac}")
    kubectl("create rolebinding keeper --role=keeper --user=eve")

    role = kubectl.fails("create role more --verb=get --resource=secrets --as eve")
    binding = kubectl.fails("create rolebinding more --clusterrole=view --user=eve --as eve")
    changed = kubectl.fails(
        """patch role keeper --as eve --type=json -p '[{"op":"add","path":"/rules/0/verbs/-","value":"escalate"}]'"""
    )

    for said in (role, binding, changed):
        assert (
            'user "eve" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held'
            in said
        )
    assert '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}' in role
    kubectl("create role same --verb=get --resource=roles.rbac.authorization.k8s.io --as eve")


def test_what_a_binding_binds_to_is_fixed(readers: Shell) -> None:
    said = readers.fails("""patch rolebinding readers -p '{"roleRef":{"name":"other"}}'""")

    assert 'The RoleBinding "readers" is invalid: roleRef: Invalid value: ' in said
    assert said.endswith("cannot change roleRef")


def test_reconcile_makes_roles_as_the_file_says(kubectl: Shell) -> None:
    roles = json.dumps(
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "Role",
            "metadata": {"name": "wanted", "namespace": kubectl.namespace},
            "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}],
        }
    )

    first, again = kubectl.warns("auth reconcile -f -", roles), kubectl.warns("auth reconcile -f -", roles)
    kubectl("""patch role wanted --type=merge -p '{"rules":[]}'""")
    repaired = kubectl.warns("auth reconcile -f -", roles)

    assert "reconciliation required create" in first
    assert again == ""
    assert "missing rules added" in repaired
    assert kubectl.json("get role wanted")["rules"][0]["verbs"] == ["get"]


def test_the_default_roles_are_there(kubectl: Shell) -> None:
    kubectl("create rolebinding editors --clusterrole=edit --user=frank")

    names = kubectl("get clusterroles -o name")
    assert all(
        f"clusterrole.rbac.authorization.k8s.io/{name}\n" in f"{names}\n"
        for name in ("cluster-admin", "admin", "edit", "view")
    )
    assert kubectl("auth can-i create deployments.apps --as frank") == "yes"
    assert kubectl.run("auth can-i create roles.rbac.authorization.k8s.io --as frank").stdout.strip() == "no"


def test_groups_without_a_user_cannot_be_impersonated(kubectl: Shell) -> None:
    assert "without impersonating a user" in kubectl.fails("get pods --as-group devs")
