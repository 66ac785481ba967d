"""Nobody gives more than they have."""

import pytest

from windlass.apiserver.auth.escalation import check_escalation
from windlass.apiserver.auth.rbac import Rbac
from windlass.apiserver.auth.user import MASTERS, User
from windlass.kube.errors import Forbidden, NotFound
from windlass.kube.json import Object

from .builders import a_binding, a_role, a_rule

JANE = User("jane", groups=("devs", "system:authenticated"))


def a_server(*more: Object) -> Rbac:
    rbac = Rbac()
    roles = [
        a_role("dev", a_rule("get list", "pods"), a_rule("get", "configmaps", names="shared"), *more),
        a_role("power", a_rule("*", "*", "*"), a_rule("*", paths="*")),
        a_role("listers", a_rule("list", "pods")),
    ]
    rbac.rebuild(roles, [], [a_binding("devs", "dev", "Group:devs")], [])
    return rbac


def test_a_role_with_rules_that_its_writer_lacks_is_refused_and_each_is_listed() -> None:
    role = a_role("new", a_rule("get list delete watch", "pods secrets"), namespace="ml")

    with pytest.raises(Forbidden) as refused:
        check_escalation(a_server(), JANE, "roles", role)

    assert refused.value.message == (
        'roles.rbac.authorization.k8s.io "new" is forbidden: user "jane" (groups=["devs" "system:authenticated"]) '
        "is attempting to grant RBAC permissions not currently held:\n"
        '{APIGroups:[""], Resources:["pods"], Verbs:["delete" "watch"]}\n'
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list" "delete" "watch"]}'
    )
    assert refused.value.status()["details"] == {
        "name": "new",
        "group": "rbac.authorization.k8s.io",
        "kind": "roles",
    }


@pytest.mark.parametrize(
    ("rule", "held"),
    [
        (a_rule("get", "pods"), True),
        (a_rule("get", "pods", names="x"), True),
        (a_rule("get", "configmaps", names="shared"), True),
        (a_rule("get", "configmaps"), False),
        (a_rule("get", "configmaps", names="other"), False),
        (a_rule("*", "pods"), False),
        (a_rule("get", "*"), False),
        (a_rule("get", "pods/log"), False),
        (a_rule("get", paths="/metrics"), False),
    ],
)
def test_a_rule_may_be_given_by_whoever_holds_all_of_it(rule: Object, held: bool) -> None:
    role = a_role("new", rule)

    if held:
        check_escalation(a_server(), JANE, "clusterroles", role)
    else:
        with pytest.raises(Forbidden):
            check_escalation(a_server(), JANE, "clusterroles", role)


def test_who_may_escalate_may_write_any_rule() -> None:
    rbac = a_server(a_rule("escalate", "clusterroles", "rbac.authorization.k8s.io"))

    check_escalation(rbac, JANE, "clusterroles", a_role("new", a_rule("*", "*", "*")))


def test_the_masters_may_write_any_rule() -> None:
    check_escalation(Rbac(), User("root", groups=(MASTERS,)), "clusterroles", a_role("new", a_rule("*", "*", "*")))


def test_an_update_that_leaves_the_rules_alone_needs_no_rights() -> None:
    old = a_role("power", a_rule("*", "*", "*"))
    new = a_role("power", a_rule("*", "*", "*"), labels={"team": "ml"})

    check_escalation(a_server(), JANE, "clusterroles", new, old)


def test_an_aggregated_role_is_only_for_who_may_everything() -> None:
    role = {**a_role("new"), "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}}

    with pytest.raises(Forbidden) as refused:
        check_escalation(a_server(), JANE, "clusterroles", role)

    assert refused.value.message.endswith("must have cluster-admin privileges to use an aggregationRule")


def test_a_binding_to_a_role_with_more_rights_is_refused() -> None:
    with pytest.raises(Forbidden) as refused:
        check_escalation(a_server(), JANE, "rolebindings", a_binding("b", "power", "User:jane", namespace="ml"))

    assert refused.value.message == (
        'rolebindings.rbac.authorization.k8s.io "b" is forbidden: user "jane" '
        '(groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n'
        '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n'
        '{NonResourceURLs:["*"], Verbs:["*"]}'
    )


def test_a_binding_to_a_role_that_the_writer_holds_is_allowed() -> None:
    check_escalation(a_server(), JANE, "clusterrolebindings", a_binding("b", "listers", "User:bob"))


def test_who_may_bind_a_role_may_give_it_to_anybody() -> None:
    rbac = a_server(a_rule("bind", "clusterroles", "rbac.authorization.k8s.io", names="power"))

    check_escalation(rbac, JANE, "rolebindings", a_binding("b", "power", "User:bob", namespace="ml"))


def test_a_binding_to_a_role_that_does_not_exist_says_so() -> None:
    with pytest.raises(NotFound) as refused:
        check_escalation(a_server(), JANE, "rolebindings", a_binding("b", "gone", "User:bob", namespace="ml"))

    assert refused.value.message == 'clusterroles.rbac.authorization.k8s.io "gone" not found'
