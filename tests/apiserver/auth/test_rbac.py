"""Who may do what: the evaluator against small rule sets, its words, and its memory against a naive one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.apiserver.auth.attributes import Attributes, Decision, forbidden_error
from windlass.apiserver.auth.rbac import MEMO_LIMIT, Rbac
from windlass.apiserver.auth.rules import compile_rule, missing
from windlass.apiserver.auth.user import ANONYMOUS, MASTERS, User, authenticated
from windlass.kube.json import Object

from .builders import a_binding, a_role, a_rule

JANE = authenticated("jane", groups=("devs",))
BUILDER = authenticated("system:serviceaccount:ci:builder", groups=("system:serviceaccounts",))


def a_server() -> Rbac:
    rbac = Rbac()
    rbac.rebuild(
        cluster_roles=[
            a_role("reader", a_rule("get list watch", "pods pods/log")),
            a_role("health", a_rule("get", paths="/healthz /metrics/*")),
            a_role("scaler", a_rule("update", "*/scale", "apps")),
            a_role("everything", a_rule("*", "*", "*")),
        ],
        roles=[a_role("one-secret", a_rule("get", "secrets", names="token"), namespace="ml")],
        cluster_role_bindings=[
            a_binding("devs-read", "reader", "Group:devs"),
            a_binding("jane-health", "health", "User:jane"),
            a_binding("devs-scale", "scaler", "Group:devs"),
        ],
        role_bindings=[
            a_binding("jane-secret", "one-secret", "User:jane", namespace="ml", kind="Role"),
            a_binding("builds", "everything", "ServiceAccount:ci/builder", namespace="ml"),
            a_binding("local", "reader", "ServiceAccount:cook", namespace="kitchen"),
        ],
    )
    return rbac


@pytest.mark.parametrize(
    ("user", "attributes", "allowed"),
    [
        (JANE, Attributes("list", "", "pods", namespace="a"), True),
        (JANE, Attributes("list", "", "pods"), True),
        (JANE, Attributes("get", "", "pods", "log", "a", "x"), True),
        (JANE, Attributes("get", "", "pods", "exec", "a", "x"), False),
        (JANE, Attributes("delete", "", "pods", "", "a", "x"), False),
        (JANE, Attributes("list", "apps", "pods", "", "a"), False),
        (JANE, Attributes("update", "apps", "deployments", "scale", "a", "x"), True),
        (JANE, Attributes("update", "apps", "deployments", "", "a", "x"), False),
        (JANE, Attributes("get", "", "secrets", "", "ml", "token"), True),
        (JANE, Attributes("get", "", "secrets", "", "ml", "other"), False),
        (JANE, Attributes("get", "", "secrets", "", "ml"), False),
        (JANE, Attributes("get", "", "secrets", "", "elsewhere", "token"), False),
        (JANE, Attributes("get", path="/healthz"), True),
        (JANE, Attributes("get", path="/metrics/cadvisor"), True),
        (JANE, Attributes("get", path="/metrics"), False),
        (JANE, Attributes("get", path="/healthz/ping"), False),
        (BUILDER, Attributes("delete", "apps", "deployments", "", "ml", "x"), True),
        (BUILDER, Attributes("delete", "apps", "deployments", "", "ci", "x"), False),
        (BUILDER, Attributes("list", "", "nodes"), False),
        (ANONYMOUS, Attributes("get", path="/healthz"), False),
        (User("root", groups=(MASTERS,)), Attributes("delete", "", "nodes", name="x"), True),
        (User("root", groups=(MASTERS,)), Attributes("get", path="/anything"), True),
        (authenticated("system:serviceaccount:kitchen:cook"), Attributes("get", "", "pods", "", "kitchen", "x"), True),
    ],
)
def test_a_user_may_what_a_binding_gives_and_nothing_else(user: User, attributes: Attributes, allowed: bool) -> None:
    assert a_server().allowed(user, attributes).allowed is allowed


@pytest.mark.parametrize(
    ("user", "attributes", "reason"),
    [
        (
            JANE,
            Attributes("get", "", "pods", "", "a", "x"),
            'RBAC: allowed by ClusterRoleBinding "devs-read" of ClusterRole "reader" to Group "devs"',
        ),
        (
            JANE,
            Attributes("get", "", "secrets", "", "ml", "token"),
            'RBAC: allowed by RoleBinding "jane-secret/ml" of Role "one-secret" to User "jane"',
        ),
        (
            BUILDER,
            Attributes("get", "", "pods", "", "ml"),
            'RBAC: allowed by RoleBinding "builds/ml" of ClusterRole "everything" to ServiceAccount "builder/ci"',
        ),
        (JANE, Attributes("get", "", "nodes"), ""),
    ],
)
def test_a_decision_gives_its_reason_as_kubernetes_does(user: User, attributes: Attributes, reason: str) -> None:
    assert a_server().allowed(user, attributes).reason == reason


def test_a_binding_to_a_role_that_is_missing_is_named_in_the_refusal() -> None:
    rbac = Rbac()
    rbac.rebuild([], [], [a_binding("b", "gone", "User:jane")], [a_binding("c", "lost", "User:jane", namespace="ml")])

    everywhere = rbac.allowed(JANE, Attributes("get", "", "nodes"))
    in_namespace = rbac.allowed(JANE, Attributes("get", "", "pods", "", "ml"))

    assert everywhere == Decision(False, 'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found')
    assert in_namespace.reason == (
        'RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, '
        'clusterrole.rbac.authorization.k8s.io "lost" not found]'
    )


def test_a_change_of_rules_is_obeyed_at_once() -> None:
    rbac = a_server()
    ask = Attributes("get", "", "nodes")
    assert not rbac.allowed(JANE, ask)

    rbac.put("ClusterRole", a_role("reader", a_rule("get", "nodes")))
    assert rbac.allowed(JANE, ask)

    rbac.remove("ClusterRoleBinding", "", "devs-read")
    assert not rbac.allowed(JANE, ask)


def test_the_memory_of_decisions_is_bounded() -> None:
    rbac = a_server()
    for number in range(3 * MEMO_LIMIT // 2):
        assert not rbac.allowed(JANE, Attributes("get", "", "secrets", "", "ml", f"s{number}"))

    remembered = sum(len(known.named) + len(known.decisions) for known in rbac._users.values())
    assert remembered <= MEMO_LIMIT


def test_reading_many_objects_evaluates_once() -> None:
    rbac = a_server()
    for number in range(100):
        assert rbac.allowed(JANE, Attributes("get", "", "pods", "", "a", f"p{number}"))

    (known,) = rbac._users.values()
    assert (len(known.decisions), len(known.named)) == (1, 0)


WORDS = st.sampled_from(["a", "b", "*"])
RESOURCES = st.sampled_from(["a", "b", "*", "a/x", "*/x"])
RULES = st.builds(
    lambda verbs, groups, resources, names, paths: {
        "verbs": verbs,
        "apiGroups": groups,
        "resources": resources,
        "resourceNames": names,
        "nonResourceURLs": paths,
    },
    st.lists(WORDS, max_size=2),
    st.lists(WORDS, max_size=2),
    st.lists(RESOURCES, max_size=2),
    st.lists(st.sampled_from(["n", "m"]), max_size=1),
    st.lists(st.sampled_from(["/a", "/a/*", "*"]), max_size=1),
)
SUBJECTS = st.lists(st.sampled_from(["User:u", "User:v", "Group:g", "ServiceAccount:ns/s"]), max_size=2)
USERS = st.sampled_from(
    [User("u"), User("u", groups=("g",)), User("v", groups=("h",)), User("system:serviceaccount:ns:s")]
)
ASKED = st.one_of(
    st.builds(
        Attributes,
        st.sampled_from(["a", "b", "c"]),
        st.sampled_from(["a", "b"]),
        st.sampled_from(["a", "b"]),
        st.sampled_from(["", "x"]),
        st.sampled_from(["", "ns", "other"]),
        st.sampled_from(["", "n", "m"]),
    ),
    st.builds(Attributes, st.sampled_from(["a", "b"]), path=st.sampled_from(["/a", "/a/b", "/c"])),
)


def naively(roles: list[Object], bindings: list[Object], user: User, asked: Attributes) -> bool:
    """The rules of RBAC, written for reading: no index, no memory."""
    for binding in bindings:
        home = binding["metadata"].get("namespace", "")
        if home not in ("", asked.namespace):
            continue
        names = {("User", user.name), *(("Group", group) for group in user.groups)}
        held = [
            ("User", f"system:serviceaccount:{s['namespace']}:{s['name']}")
            if s["kind"] == "ServiceAccount"
            else (s["kind"], s["name"])
            for s in binding["subjects"]
        ]
        if not names & set(held):
            continue
        role = next(role for role in roles if role["metadata"]["name"] == binding["roleRef"]["name"])
        if any(_naive_rule(rule, asked) for rule in role["rules"]):
            return True
    return False


def _naive_rule(rule: Object, asked: Attributes) -> bool:
    if not {asked.verb, "*"} & set(rule["verbs"]):
        return False
    if asked.path:
        return any(
            p in ("*", asked.path) or (p.endswith("*") and asked.path.startswith(p[:-1]))
            for p in rule["nonResourceURLs"]
        )
    wanted = {"*", f"{asked.resource}/{asked.subresource}" if asked.subresource else asked.resource}
    if asked.subresource:
        wanted.add(f"*/{asked.subresource}")
    return (
        bool({asked.group, "*"} & set(rule["apiGroups"]))
        and bool(wanted & set(rule["resources"]))
        and (not rule["resourceNames"] or asked.name in rule["resourceNames"])
    )


@given(
    st.lists(st.lists(RULES, max_size=3), min_size=1, max_size=3),
    st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["", "ns"]), SUBJECTS), max_size=4),
    st.lists(st.tuples(USERS, ASKED), max_size=20),
)
def test_what_is_remembered_is_what_a_naive_evaluation_says(
    rules: list[list[Object]], bound: list[tuple[int, str, list[str]]], questions: list[tuple[User, Attributes]]
) -> None:
    roles = [a_role(f"r{number}", *of) for number, of in enumerate(rules)]
    bindings = [
        a_binding(f"b{number}", f"r{role % len(roles)}", *subjects, namespace=namespace)
        for number, (role, namespace, subjects) in enumerate(bound)
    ]
    rbac = Rbac()
    rbac.rebuild(
        roles,
        [],
        [b for b in bindings if "namespace" not in b["metadata"]],
        [b for b in bindings if "namespace" in b["metadata"]],
    )

    for user, asked in questions * 2:
        assert rbac.allowed(user, asked).allowed is naively(roles, bindings, user, asked)


@given(st.lists(RULES, max_size=3), st.lists(RULES, max_size=2), ASKED)
def test_a_rule_set_that_lacks_nothing_of_another_allows_all_that_it_allows(
    held: list[Object], wanted: list[Object], asked: Attributes
) -> None:
    own, other = [compile_rule(rule) for rule in held], [compile_rule(rule) for rule in wanted]

    if not missing(own, other) and any(rule.allows(asked) for rule in other):
        assert any(rule.allows(asked) for rule in own)


@pytest.mark.parametrize(
    ("attributes", "message", "details"),
    [
        (
            Attributes("list", "", "pods", namespace="default"),
            'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
            {"kind": "pods"},
        ),
        (
            Attributes("list", "apps", "deployments"),
            'deployments.apps is forbidden: User "jane" cannot list resource "deployments" in API group "apps" '
            "at the cluster scope",
            {"group": "apps", "kind": "deployments"},
        ),
        (
            Attributes("get", "", "pods", "log", "a", "x"),
            'pods "x" is forbidden: User "jane" cannot get resource "pods/log" in API group "" in the namespace "a"',
            {"name": "x", "kind": "pods"},
        ),
        (Attributes("get", path="/metrics"), 'forbidden: User "jane" cannot get path "/metrics"', None),
    ],
)
def test_a_refusal_is_worded_as_kubernetes_words_it(
    attributes: Attributes, message: str, details: Object | None
) -> None:
    status = forbidden_error(JANE, attributes).status()

    assert status["message"] == message
    assert status.get("details") == details
    assert (status["code"], status["reason"]) == (403, "Forbidden")


def test_a_refusal_carries_the_reason_and_hides_markup_in_names() -> None:
    error = forbidden_error(User("<b>"), Attributes("get", "", "pods"), "RBAC: broken")

    assert error.message == (
        'pods is forbidden: User "&lt;b&gt;" cannot get resource "pods" in API group "" at the cluster scope: '
        "RBAC: broken"
    )
