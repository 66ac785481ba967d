"""What a node may write, on a real server, as the nodes `here` and `there`."""

from typing import Any

import pytest

from tests.support import Answer, Windlass
from windlass.apiserver.admission.node_labels import forbidden_labels

LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"


def here(room: str) -> str:
    return f"here-{room}"


def as_node(room: str) -> dict[str, str]:
    return {"Impersonate-User": f"system:node:{here(room)}", "Impersonate-Group": "system:nodes"}


def refusal(answer: Answer) -> str:
    """What it says, after whose fault it is; nothing where it was done."""
    if answer.status < 300:
        return ""
    assert answer.status == 403, answer.body
    return str(answer.json()["message"]).partition(" is forbidden: ")[2]


@pytest.fixture
def node(bare: Windlass, room: str) -> str:
    """The path of a Node that its node has made."""
    labels = {"kubernetes.io/os": "linux", "team": "a"}
    body = {"metadata": {"name": here(room), "labels": labels}}
    bare.create("/api/v1/nodes", body, headers=as_node(room))
    return f"/api/v1/nodes/{here(room)}"


@pytest.fixture
def pods(bare: Windlass, room: str) -> dict[str, Any]:
    """A pod on each of two nodes."""
    spec = {"containers": [{"name": "c", "image": "c"}]}
    return {
        name: bare.create(
            f"/api/v1/namespaces/{room}/pods",
            {"metadata": {"name": name}, "spec": {**spec, "nodeName": f"{name}-{room}"}},
        )
        for name in ("here", "there")
    }


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        ({"metadata": {"labels": {"team": "b"}}}, ""),
        ({"metadata": {"annotations": {"a": "b"}}}, ""),
        ({"metadata": {"labels": {"node.kubernetes.io/size": "big"}}}, ""),
        (
            {"metadata": {"labels": {"node-restriction.kubernetes.io/a": "b"}}},
            "modify the following labels: node-restriction.kubernetes.io/a",
        ),
        (
            {"metadata": {"labels": {"node-role.kubernetes.io/control-plane": ""}}},
            "modify the following labels: node-role.kubernetes.io/control-plane",
        ),
        ({"spec": {"taints": [{"key": "a", "effect": "NoSchedule"}]}}, "modify taints"),
        ({"spec": {"unschedulable": True}}, ""),
    ],
)
def test_a_node_writes_its_own_node_but_not_its_taints(
    bare: Windlass, room: str, node: str, patch: Any, why: str
) -> None:
    said = refusal(bare.patch(node, patch, headers=as_node(room)))
    assert said == (f'node "{here(room)}" is not allowed to {why}' if why else "")


def test_a_node_leaves_other_nodes_alone(bare: Windlass, room: str) -> None:
    other = f"there-{room}"
    bare.create("/api/v1/nodes", {"metadata": {"name": other}})
    why = f'node "{here(room)}" is not allowed to modify node "{other}"'
    mine: dict[str, Any] = {"headers": as_node(room)}
    conditions = {"status": {"conditions": [{"type": "Ready", "status": "False"}]}}

    assert refusal(bare.patch(f"/api/v1/nodes/{other}/status", conditions, **mine)) == why
    assert refusal(bare.request("DELETE", f"/api/v1/nodes/{other}", **mine)) == why


def test_a_node_tells_of_and_deletes_its_own_pods(bare: Windlass, room: str, pods: dict[str, Any]) -> None:
    path = f"/api/v1/namespaces/{room}/pods"
    mine: dict[str, Any] = {"headers": as_node(room)}
    status, itself = {"status": {"phase": "Running"}}, "with spec.nodeName set to itself"

    assert refusal(bare.patch(f"{path}/here/status", status, **mine)) == ""
    assert refusal(bare.patch(f"{path}/there/status", status, **mine)).endswith(
        f"can only update pod status for pods {itself}"
    )
    labelled = {"metadata": {"labels": {"a": "b"}}, **status}
    assert "cannot update labels through pod status" in refusal(bare.patch(f"{path}/here/status", labelled, **mine))
    assert refusal(bare.request("POST", f"{path}/there/eviction", {}, **mine)).endswith(f"can only evict pods {itself}")
    assert refusal(bare.request("DELETE", f"{path}/there", **mine)).endswith(f"can only delete pods {itself}")
    assert refusal(bare.request("POST", f"{path}/here/eviction", {}, **mine)) == ""
    assert refusal(bare.request("DELETE", f"{path}/here?gracePeriodSeconds=0", **mine)) == ""


@pytest.mark.parametrize(
    ("annotations", "node", "more", "why"),
    [
        ({}, "here", {}, 'pod does not have "kubernetes.io/config.mirror" annotation'),
        ({"kubernetes.io/config.mirror": "x"}, "there", {}, "can only create pods with spec.nodeName set to itself"),
        ({"kubernetes.io/config.mirror": "x"}, "here", {"serviceAccountName": "a"}, "reference a service account"),
        (
            {"kubernetes.io/config.mirror": "x"},
            "here",
            {"volumes": [{"name": "v", "secret": {"secretName": "s"}}]},
            "reference secrets",
        ),
    ],
)
def test_a_node_only_mirrors_pods(bare: Windlass, room: str, annotations: Any, node: str, more: Any, why: str) -> None:
    spec = {"containers": [{"name": "c", "image": "c"}], "nodeName": f"{node}-{room}", **more}
    body = {"metadata": {"name": "p", "annotations": annotations}, "spec": spec}
    answer = bare.request("POST", f"/api/v1/namespaces/{room}/pods", body, headers=as_node(room))
    assert why in refusal(answer)


def test_a_node_holds_only_its_own_lease(bare: Windlass, room: str) -> None:
    mine: dict[str, Any] = {"headers": as_node(room)}

    def hold(name: str, path: str = LEASES) -> str:
        return refusal(bare.request("POST", path, {"metadata": {"name": name}, "spec": {}}, **mine))

    assert hold(here(room)) == ""
    assert hold("other") == "can only access node lease with the same name as the requesting node"
    elsewhere = f"/apis/coordination.k8s.io/v1/namespaces/{room}/leases"
    assert hold(here(room), elsewhere) == 'can only access leases in the "kube-node-lease" system namespace'


def test_a_node_gets_tokens_only_for_pods_that_it_runs(bare: Windlass, room: str, pods: dict[str, Any]) -> None:
    def ask(ref: Any) -> str:
        path = f"/api/v1/namespaces/{room}/serviceaccounts/default/token"
        return refusal(bare.request("POST", path, {"spec": {"boundObjectRef": ref}}, headers=as_node(room)))

    def to(name: str, **more: Any) -> Any:
        uid = pods[name]["metadata"]["uid"]
        return {"apiVersion": "v1", "kind": "Pod", "name": name, "uid": uid, **more}

    assert ask(to("here")) == ""
    assert ask(None) == "node requested token not bound to a pod"
    assert ask(to("here", uid="")) == "node requested token with a pod binding without a uid"
    assert ask(to("there")) == "node requested token bound to a pod scheduled on a different node"
    assert ask(to("here", uid="other")) == 'pod "here" of that uid not found'


def test_everybody_else_is_not_restricted(bare: Windlass, room: str, node: str) -> None:
    patch = {"metadata": {"labels": {"node-restriction.kubernetes.io/a": "b"}}, "spec": {"unschedulable": True}}
    assert bare.patch(node, patch).status == 200


def test_labels_of_kubernetes_are_not_a_nodes_to_take_off() -> None:
    assert forbidden_labels({"node-role.kubernetes.io/x": "", "a": "b"}, {}) == ["node-role.kubernetes.io/x"]
    assert forbidden_labels({}, {"x.node-restriction.kubernetes.io/a": "", "kubernetes.io/os": "linux"}) == [
        "x.node-restriction.kubernetes.io/a"
    ]
