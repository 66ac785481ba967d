"""Binding a gang: all its pods get their nodes in one step, or none does and the answer says which were in the way."""

import http.client
import json
import ssl
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support import Answer, Windlass, running

API = "scheduling.windlass.dev/v1"
PODS = "/api/v1/namespaces/{}/pods"
GANGS = "/apis/scheduling.windlass.dev/v1/namespaces/{}/gangbindings"
RULE = {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods/binding"], "operations": ["CREATE"]}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windlass]:
    """Without a scheduler, which would bind the pods itself."""
    with running(tmp_path_factory.mktemp("gangs")) as windlass:
        yield windlass


@pytest.fixture
def room(server: Windlass, namespace: str) -> str:
    server.create(f"/api/v1/namespaces/{namespace}/serviceaccounts", {"metadata": {"name": "default"}})
    return namespace


def add_pods(server: Windlass, room: str, *names: str, **spec: Any) -> list[dict[str, Any]]:
    body = {"containers": [{"name": "c", "image": "busybox"}], **spec}
    return [server.create(PODS.format(room), {"metadata": {"name": name}, "spec": body}) for name in names]


def entry(name: str, node: str = "n1", **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, **metadata}, "target": {"kind": "Node", "name": node}}


def bind(server: Windlass, room: str, *entries: Any, query: str = "", **more: Any) -> Answer:
    body = {"apiVersion": API, "kind": "GangBinding", "bindings": list(entries)}
    return server.request("POST", GANGS.format(room) + query, body, **more)


def nodes(server: Windlass, room: str) -> dict[str, str]:
    pods = server.get(PODS.format(room))["items"]
    return {pod["metadata"]["name"]: pod["spec"].get("nodeName", "") for pod in pods}


def test_all_pods_of_a_gang_are_bound_in_one_step(server: Windlass, room: str) -> None:
    made = add_pods(server, room, "a", "b", "c")
    wanted = [entry(p["metadata"]["name"], f"n{i}", uid=p["metadata"]["uid"]) for i, p in enumerate(made)]

    answer = bind(server, room, *wanted)

    assert answer.status == 201, answer.body
    assert nodes(server, room) == {"a": "n0", "b": "n1", "c": "n2"}
    versions = [int(one["metadata"]["resourceVersion"]) for one in answer.json()["bindings"]]
    assert versions == [versions[0], versions[0] + 1, versions[0] + 2]
    stored = [int(pod["metadata"]["resourceVersion"]) for pod in server.get(PODS.format(room))["items"]]
    assert stored == versions


def test_a_pod_is_left_as_a_binding_of_its_own_would_leave_it(server: Windlass, room: str) -> None:
    add_pods(server, room, "alone", "together", automountServiceAccountToken=False)
    given: dict[str, Any] = {"annotations": {"seen": "yes"}}
    alone = {"apiVersion": "v1", "kind": "Binding", **entry("alone", **given)}
    server.create(f"{PODS.format(room)}/alone/binding", alone)

    assert bind(server, room, entry("together", **given)).status == 201

    one, other = (server.get(f"{PODS.format(room)}/{name}") for name in ("alone", "together"))
    assert other["spec"] == one["spec"]
    assert other["metadata"]["annotations"] == one["metadata"]["annotations"] == {"seen": "yes"}
    assert [c["type"] for c in other["status"]["conditions"]] == [c["type"] for c in one["status"]["conditions"]]
    without_time = [
        [{k: v for k, v in m.items() if k != "time"} for m in p["metadata"]["managedFields"]] for p in (one, other)
    ]
    assert without_time[0] == without_time[1]


def test_watchers_are_told_of_the_pods_in_the_order_of_their_versions(server: Windlass, room: str) -> None:
    made = add_pods(server, room, *(f"p{n}" for n in range(70)))
    since = made[-1]["metadata"]["resourceVersion"]

    answer = bind(server, room, *(entry(f"p{n}") for n in range(70)))

    versions = [one["metadata"]["resourceVersion"] for one in answer.json()["bindings"]]
    seen = watched(server, f"{PODS.format(room)}?watch=true&resourceVersion={since}", 70)
    assert [event["type"] for event in seen] == ["MODIFIED"] * 70
    assert [event["object"]["metadata"]["resourceVersion"] for event in seen] == versions


def watched(server: Windlass, path: str, count: int) -> list[dict[str, Any]]:
    context = ssl.create_default_context(cafile=server.ca)
    connection = http.client.HTTPSConnection("127.0.0.1", server.port, context=context, timeout=60)
    try:
        connection.request("GET", path, headers={"authorization": f"Bearer {server.token}"})
        response = connection.getresponse()
        return [json.loads(response.readline()) for _ in range(count)]
    finally:
        connection.close()


def test_one_pod_that_cannot_be_bound_keeps_all_others_from_it(server: Windlass, room: str) -> None:
    add_pods(server, room, "free", "taken", "namesake", "late")
    add_pods(server, room, "gated", schedulingGates=[{"name": "example.com/wait"}])
    bind(server, room, entry("taken", "n9"))
    names = ("free", "taken", "gated", "gone")

    answer = bind(
        server, room, *map(entry, names), entry("namesake", uid="another"), entry("late", resourceVersion="1")
    )

    assert answer.status == 409
    status = answer.json()
    assert status["message"].startswith("5 of the 6 pods cannot be bound, so none is: Operation cannot be fulfilled on")
    told = {cause["field"]: (cause["reason"], cause["message"]) for cause in status["details"]["causes"]}
    on, late = "Operation cannot be fulfilled on pods", "please apply your changes to the latest version and try again"
    assert told == {
        "bindings[1]": ("Conflict", f'{on}/binding "taken": pod taken is already assigned to node "n9"'),
        "bindings[2]": ("Conflict", f'{on}/binding "gated": pod gated has non-empty .spec.schedulingGates'),
        "bindings[3]": ("NotFound", 'pods "gone" not found'),
        "bindings[4]": ("Conflict", f'{on} "namesake": uid another does not match that of the pod'),
        "bindings[5]": ("Conflict", f'{on} "late": the object has been modified; {late}'),
    }
    assert nodes(server, room) == {"free": "", "taken": "n9", "namesake": "", "late": "", "gated": ""}


def test_only_pods_that_are_missing_are_not_found(server: Windlass, room: str) -> None:
    add_pods(server, room, "here")
    answer = bind(server, room, entry("here"), entry("gone"))

    assert answer.status == 404
    assert answer.json()["details"]["causes"][0]["message"] == 'pods "gone" not found'
    assert nodes(server, room) == {"here": ""}


@pytest.mark.parametrize(
    ("entries", "status", "told"),
    [
        ([], 422, "bindings: Required value: must name at least one pod"),
        ([{"target": {"name": "n1"}}], 422, "bindings[0].metadata.name: Required value"),
        ([entry("a"), entry("a")], 422, 'bindings[1].metadata.name: Duplicate value: "a"'),
        ([entry("a", namespace="other")], 422, 'bindings[0].metadata.namespace: Invalid value: "other"'),
        ([{"metadata": {"name": "a"}}], 422, "target.name: Required value"),
        ([{"metadata": {"name": "a"}, "target": {"kind": "Pod", "name": "b"}}], 422, "target.kind: Unsupported value"),
        ([{"metadata": {"name": 7}}], 400, "field .bindings.metadata.name of type string"),
        (["a"], 400, "field .bindings of type"),
    ],
)
def test_what_is_wrong_with_a_request_is_named(
    server: Windlass, room: str, entries: list[Any], status: int, told: str
) -> None:
    answer = bind(server, room, *entries)

    assert (answer.status, answer.json()["code"]) == (status, status), answer.body
    assert told in answer.json()["message"]


def test_a_field_that_means_nothing_is_warned_of(server: Windlass, room: str) -> None:
    add_pods(server, room, "a")
    answer = bind(server, room, {**entry("a"), "soon": True})

    assert answer.status == 201
    assert answer.warnings == ['299 - "unknown field \\"bindings[0].soon\\""']


def test_a_dry_run_binds_nothing(server: Windlass, room: str) -> None:
    add_pods(server, room, "a")

    assert bind(server, room, entry("a"), query="?dryRun=All").status == 201
    assert nodes(server, room) == {"a": ""}


def test_who_may_not_bind_the_pods_one_by_one_may_not_bind_them_together(server: Windlass, room: str) -> None:
    add_pods(server, room, "a", "b")
    roles = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{room}"
    gang_rule = {"apiGroups": ["scheduling.windlass.dev"], "resources": ["gangbindings"], "verbs": ["create"]}
    of_a = {"apiGroups": [""], "resources": ["pods/binding"], "verbs": ["create"], "resourceNames": ["a"]}
    server.create(f"{roles}/roles", {"metadata": {"name": "binder"}, "rules": [gang_rule, of_a]})
    user = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "vera"}
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "binder"}
    server.create(f"{roles}/rolebindings", {"metadata": {"name": "vera"}, "subjects": [user], "roleRef": reference})

    nobody = bind(server, room, entry("a"), headers={"impersonate-user": "mallory"})
    both = bind(server, room, entry("a"), entry("b"), headers={"impersonate-user": "vera"})
    one = bind(server, room, entry("a"), headers={"impersonate-user": "vera"})

    assert nobody.status == 403
    assert 'cannot create resource "gangbindings" in API group "scheduling.windlass.dev"' in nobody.json()["message"]
    assert both.status == 403
    assert 'pods "b" is forbidden: User "vera" cannot create resource "pods/binding"' in both.json()["message"]
    assert one.status == 201
    assert nodes(server, room) == {"a": "n1", "b": ""}


def test_the_scheduler_may_bind_gangs(server: Windlass, room: str) -> None:
    add_pods(server, room, "a")
    assert bind(server, room, entry("a"), headers={"impersonate-user": "system:kube-scheduler"}).status == 201


def test_a_policy_about_bindings_holds_for_each_pod_of_a_gang(server: Windlass, room: str) -> None:
    add_pods(server, room, "a", "b")
    api, name = "/apis/admissionregistration.k8s.io/v1", f"not-b-{room}"
    expression = f'request.namespace != "{room}" || object.metadata.name != "b"'
    spec = {
        "matchConstraints": {"resourceRules": [RULE]},
        "validations": [{"expression": expression, "message": "not b"}],
    }
    server.create(f"{api}/validatingadmissionpolicies", {"metadata": {"name": name}, "spec": spec})
    where = {"policyName": name, "validationActions": ["Deny"]}
    server.create(f"{api}/validatingadmissionpolicybindings", {"metadata": {"name": name}, "spec": where})
    try:
        answer = bind(server, room, entry("a"), entry("b"))
    finally:
        for plural in ("validatingadmissionpolicybindings", "validatingadmissionpolicies"):
            server.request("DELETE", f"{api}/{plural}/{name}")

    (cause,) = answer.json()["details"]["causes"]
    assert (answer.status, cause["field"]) == (422, "bindings[1]")
    assert "not b" in cause["message"]
    assert nodes(server, room) == {"a": "", "b": ""}


def test_discovery_and_openapi_tell_of_it(server: Windlass) -> None:
    (listed,) = server.get(f"/apis/{API}")["resources"]
    assert (listed["name"], listed["kind"], listed["namespaced"]) == ("gangbindings", "GangBinding", True)
    assert listed["verbs"] == ["create"]
    document = server.get(f"/openapi/v3/apis/{API}")
    shape = document["components"]["schemas"]["dev.windlass.scheduling.v1.GangBinding"]
    assert shape["properties"]["bindings"]["items"]["properties"].keys() == {"metadata", "target"}
    assert server.request("GET", GANGS.format("default")).status == 405


@pytest.mark.kubectl
def test_kubectl_creates_and_explains_one(server: Windlass, room: str) -> None:
    add_pods(server, room, "a", "b")
    body = {"apiVersion": API, "kind": "GangBinding", "metadata": {"name": "g"}, "bindings": [entry("a"), entry("b")]}

    done = server.kubectl("create", "-n", room, "-f", "-", stdin=json.dumps(body))

    assert done.stdout == "gangbinding.scheduling.windlass.dev/g created\n"
    assert nodes(server, room) == {"a": "n1", "b": "n1"}
    assert "One for each pod." in server.kubectl("explain", "gangbindings.bindings").stdout
