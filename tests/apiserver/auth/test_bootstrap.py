"""The roles that are there from the start: who may what on a fresh server."""

import copy

import pytest

from windlass.apis.machine_viewers import MACHINE_VIEWERS
from windlass.apis.wellknown import RBAC_GROUP as GROUP
from windlass.apiserver.auth.aggregation import aggregate, aggregated_rules
from windlass.apiserver.auth.attributes import Attributes
from windlass.apiserver.auth.bootstrap import AUTOUPDATE, default_objects, reconciled
from windlass.apiserver.auth.credentials import GATEWAY, MANAGER, SCHEDULER, node_user
from windlass.apiserver.auth.rbac import Rbac
from windlass.apiserver.auth.user import ANONYMOUS, User, authenticated
from windlass.kube.json import Object

from .builders import a_binding, a_role, a_rule

OBJECTS = default_objects()


def fresh(*more: Object) -> Rbac:
    rbac = Rbac()
    for obj in OBJECTS:
        rbac.put(obj["kind"], obj)
    for binding in more:
        rbac.put("RoleBinding", binding)
    return rbac


def named(kind: str, name: str) -> Object:
    return next(o for o in OBJECTS if o["kind"] == kind and o["metadata"]["name"] == name)


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz", "/version"])
def test_anonymous_callers_may_ask_for_health_and_version(path: str) -> None:
    assert fresh().allowed(ANONYMOUS, Attributes("get", path=path))


@pytest.mark.parametrize(
    "asked",
    [
        Attributes("get", path="/api"),
        Attributes("get", path="/apis"),
        Attributes("get", path="/metrics"),
        Attributes("get", path="/openapi/v3"),
        Attributes("get", path="/healthz/etcd"),
        Attributes("get", path="/.well-known/openid-configuration"),
        Attributes("create", "authorization.k8s.io", "selfsubjectaccessreviews"),
        Attributes("create", "authentication.k8s.io", "selfsubjectreviews"),
        Attributes("list", "", "pods", namespace="default"),
    ],
)
def test_anonymous_callers_may_nothing_else(asked: Attributes) -> None:
    assert not fresh().allowed(ANONYMOUS, asked)


@pytest.mark.parametrize(
    ("asked", "allowed"),
    [
        (Attributes("get", path="/apis/apps/v1"), True),
        (Attributes("get", path="/openapi/v2"), True),
        (Attributes("create", "authorization.k8s.io", "selfsubjectrulesreviews"), True),
        (Attributes("create", "authentication.k8s.io", "selfsubjectreviews"), True),
        (Attributes("get", path="/metrics"), False),
        (Attributes("list", "", "namespaces"), False),
        (Attributes("get", "", "secrets", "", "default", "x"), False),
    ],
)
def test_everybody_who_logs_in_may_discover_and_ask_about_themselves(asked: Attributes, allowed: bool) -> None:
    assert fresh().allowed(authenticated("jane"), asked).allowed is allowed


@pytest.mark.parametrize(
    ("role", "asked", "allowed"),
    [
        ("view", Attributes("list", "", "pods", namespace="ml"), True),
        ("view", Attributes("get", "", "pods", "log", "ml", "x"), True),
        ("view", Attributes("get", "", "secrets", "", "ml", "x"), False),
        ("view", Attributes("create", "", "pods", "", "ml"), False),
        ("view", Attributes("list", "rbac.authorization.k8s.io", "roles", "", "ml"), False),
        ("edit", Attributes("create", "", "pods", "exec", "ml", "x"), True),
        ("edit", Attributes("get", "", "secrets", "", "ml", "x"), True),
        ("edit", Attributes("delete", "apps", "deployments", "", "ml", "x"), True),
        ("edit", Attributes("list", "apps", "deployments", "", "ml"), True),
        ("edit", Attributes("create", "rbac.authorization.k8s.io", "rolebindings", "", "ml"), False),
        ("edit", Attributes("list", "apps", "deployments", "", "other"), False),
        ("edit", Attributes("create", "", "resourcequotas", "", "ml"), False),
        ("edit", Attributes("create", "", "endpoints", "", "ml"), False),
        ("admin", Attributes("create", "", "endpoints", "", "ml"), False),
        ("admin", Attributes("update", "discovery.k8s.io", "endpointslices", "", "ml", "x"), False),
        ("admin", Attributes("create", "rbac.authorization.k8s.io", "rolebindings", "", "ml"), True),
        ("admin", Attributes("delete", "", "pods", "", "ml", "x"), True),
        ("admin", Attributes("list", "", "nodes"), False),
        ("cluster-admin", Attributes("delete", "any.group", "things", "", "ml", "x"), True),
    ],
)
def test_the_user_facing_roles_give_what_their_names_promise(role: str, asked: Attributes, allowed: bool) -> None:
    rbac = fresh(a_binding("b", role, "User:jane", namespace="ml"))

    assert rbac.allowed(authenticated("jane"), asked).allowed is allowed


@pytest.mark.parametrize(
    ("user", "asked", "allowed"),
    [
        (MANAGER, Attributes("delete", "kubeflow.org", "pytorchjobs", "", "ml", "x"), True),
        (MANAGER, Attributes("escalate", "rbac.authorization.k8s.io", "clusterroles", name="admin"), True),
        (MANAGER, Attributes("impersonate", "", "users", name="jane"), False),
        (SCHEDULER, Attributes("create", "", "pods", "binding", "ml", "x"), True),
        (SCHEDULER, Attributes("list", "", "secrets"), False),
        (GATEWAY, Attributes("get", "", "secrets", "", "ml", "mlpipeline-minio-artifact"), True),
        (GATEWAY, Attributes("get", "", "secrets", "", "ml", "x"), False),
        (GATEWAY, Attributes("create", "", "persistentvolumeclaims", "", "ml"), False),
        (node_user("laptop"), Attributes("patch", "", "pods", "status", "ml", "x"), True),
        (node_user("laptop"), Attributes("create", "", "serviceaccounts", "token", "ml", "default"), True),
        (node_user("laptop"), Attributes("update", "", "secrets", "", "ml", "x"), False),
        (node_user("laptop"), Attributes("create", "apps", "deployments", "", "ml"), False),
    ],
)
def test_the_components_may_do_their_work_and_no_more(user: User, asked: Attributes, allowed: bool) -> None:
    assert fresh().allowed(user, asked).allowed is allowed


def test_every_default_object_is_marked_as_upstream_marks_it() -> None:
    for obj in OBJECTS:
        assert obj["metadata"]["labels"]["kubernetes.io/bootstrapping"] == "rbac-defaults"
        assert obj["metadata"]["annotations"][AUTOUPDATE] == "true"


def test_every_default_binding_refers_to_a_default_role() -> None:
    roles = {(o["kind"], o["metadata"]["name"]) for o in OBJECTS}

    assert all((o["roleRef"]["kind"], o["roleRef"]["name"]) in roles for o in OBJECTS if "roleRef" in o)


def test_the_default_aggregated_roles_are_settled_from_the_start() -> None:
    assert aggregate([o for o in OBJECTS if o["kind"] == "ClusterRole"]) == {}


@pytest.mark.parametrize("app", ["notebook-ui", "tensorboard-ui", "volume-ui"])
def test_the_roles_of_kubeflows_web_apps_are_parts_of_kubeflows_roles(app: str) -> None:
    label = "rbac.authorization.kubeflow.org/aggregate-to-"
    view, edit, admin = (named("ClusterRole", f"kubeflow-{app}-{level}") for level in ("view", "edit", "admin"))

    assert view["metadata"]["labels"][f"{label}kubeflow-view"] == "true"
    assert edit["metadata"]["labels"][f"{label}kubeflow-edit"] == "true"
    assert admin["metadata"]["labels"][f"{label}kubeflow-admin"] == "true"
    assert admin["aggregationRule"]["clusterRoleSelectors"] == [
        {"matchLabels": {f"{label}kubeflow-{app}-admin": "true"}}
    ]
    assert all(set(rule["verbs"]) <= {"get", "list", "watch"} for rule in view["rules"])
    assert {"create", "delete"} <= {verb for rule in edit["rules"] for verb in rule["verbs"]}


def test_a_labelled_role_reaches_edit_and_through_it_admin() -> None:
    label = "rbac.authorization.k8s.io/aggregate-to-edit"
    role = a_role("notebooks-edit", a_rule("*", "notebooks", "kubeflow.org"), labels={label: "true"})

    changed = aggregate([*(o for o in OBJECTS if o["kind"] == "ClusterRole"), role])

    assert set(changed) == {"edit", "admin"}
    assert role["rules"][0] in changed["edit"]
    assert role["rules"][0] in changed["admin"]


def test_aggregation_counts_a_rule_once_and_never_the_role_itself() -> None:
    gathering = {
        **a_role("all", a_rule("get", "stale"), labels={"a": "b"}),
        "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]},
    }
    parts = [a_role(name, a_rule("get", "pods"), labels={"a": "b"}) for name in ("one", "two")]

    assert aggregated_rules(gathering, [gathering, *parts]) == [a_rule("get", "pods")]


def test_a_missing_default_is_made_and_a_whole_one_left_alone() -> None:
    wanted = named("ClusterRole", "system:basic-user")

    assert reconciled(None, wanted) == wanted
    assert all(reconciled(copy.deepcopy(obj), obj) is None for obj in OBJECTS)


def test_what_was_removed_from_a_default_comes_back_and_what_was_added_stays() -> None:
    wanted = named("ClusterRole", "system:basic-user")
    live = copy.deepcopy(wanted)
    live["rules"] = [*live["rules"][1:], a_rule("get", "extra")]

    repaired = reconciled(live, wanted)

    assert repaired is not None
    assert a_rule("get", "extra") in repaired["rules"]
    assert reconciled(repaired, wanted) is None


def test_removed_subjects_come_back() -> None:
    wanted = named("ClusterRoleBinding", "system:public-info-viewer")
    live = {**wanted, "subjects": wanted["subjects"][:1]}

    repaired = reconciled(live, wanted)

    assert repaired is not None
    assert repaired["subjects"] == wanted["subjects"]


def test_a_default_whose_autoupdate_is_off_is_left_alone() -> None:
    wanted = named("ClusterRoleBinding", "system:public-info-viewer")
    live = copy.deepcopy(wanted)
    live["subjects"] = []
    live["metadata"]["annotations"][AUTOUPDATE] = "false"

    assert reconciled(live, wanted) is None


@pytest.mark.parametrize(
    ("asked", "allowed"),
    [
        (Attributes("list", "", "nodes"), True),
        (Attributes("watch", "", "pods", namespace="kube-system"), True),
        (Attributes("get", "", "pods", "log", namespace="kube-system"), True),
        (Attributes("list", "kubeflow.org", "profiles"), True),
        (Attributes("list", "scheduling.volcano.sh", "queues"), True),
        (Attributes("list", GROUP, "clusterrolebindings"), True),
        (Attributes("list", "", "secrets"), False),
        (Attributes("get", "", "secrets", namespace="default"), False),
        (Attributes("create", "", "pods", "exec", namespace="default"), False),
        (Attributes("get", "", "pods", "exec", namespace="default"), False),
        (Attributes("get", "", "nodes", "proxy"), False),
        (Attributes("create", "", "pods", namespace="default"), False),
        (Attributes("update", "kubeflow.org", "profiles"), False),
        (Attributes("impersonate", "", "users"), False),
        (Attributes("get", path="/metrics"), False),
    ],
)
def test_the_group_of_machine_viewers_reads_everything_but_secrets(asked: Attributes, allowed: bool) -> None:
    viewer = authenticated("ann@example.com", groups=(MACHINE_VIEWERS,))
    assert bool(fresh().allowed(viewer, asked)) is allowed
