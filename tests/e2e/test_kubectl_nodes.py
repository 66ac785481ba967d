"""A node's life as its administrator leads it: taints, cordons and drains, on a Node that no agent runs."""

from collections.abc import Iterator

import pytest

from tests.e2e.shell import Shell

pytestmark = pytest.mark.kubectl


@pytest.fixture
def node(kubectl: Shell) -> Iterator[str]:
    name = f"node-{kubectl.namespace}"
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "ok"}
    capacity = {"cpu": "4", "memory": "8Gi", "pods": "0"}  # so that no other test's pods are sent here
    info = {"kubeletVersion": "v1.35.0", "osImage": "Linux", "kernelVersion": "6", "containerRuntimeVersion": "x://1"}
    kubectl.server.create(
        "/api/v1/nodes",
        {
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
            "status": {"capacity": capacity, "conditions": [ready], "nodeInfo": info},
        },
    )
    yield name
    kubectl.server.request("DELETE", f"/api/v1/nodes/{name}")


def test_a_node_is_shown_and_gets_its_role_from_a_label(kubectl: Shell, node: str) -> None:
    kubectl(f"label node {node} node-role.kubernetes.io/worker=")

    assert kubectl.rows(f"get node {node}")[0] == ["NAME", "STATUS", "ROLES", "AGE", "VERSION"]
    assert kubectl.rows(f"get node {node}")[1][:3] == [node, "Ready", "worker"]
    described = kubectl(f"describe node {node}")
    assert "Taints:             <none>" in described
    assert "cpu                0 (0%)    0 (0%)" in described


def test_a_cordoned_node_takes_no_more_pods(kubectl: Shell, node: str) -> None:
    assert kubectl(f"cordon {node}") == f"node/{node} cordoned"
    assert kubectl(f"cordon {node}") == f"node/{node} already cordoned"
    assert kubectl.rows(f"get node {node}")[1][1] == "Ready,SchedulingDisabled"
    assert f"node/{node}" in kubectl("get nodes --field-selector spec.unschedulable=true -o name")
    assert kubectl(f"uncordon {node}") == f"node/{node} uncordoned"


def test_taints_are_put_on_changed_and_taken_off(kubectl: Shell, node: str) -> None:
    kubectl(f"taint nodes {node} a=b:NoSchedule c:NoExecute")

    assert "already has a taint(s) with same effect(s)" in kubectl.fails(f"taint nodes {node} a=x:NoSchedule")
    kubectl(f"taint nodes {node} a=x:NoSchedule --overwrite")
    assert {(t["key"], t.get("value"), t["effect"]) for t in kubectl.json(f"get node {node}")["spec"]["taints"]} == {
        ("a", "x", "NoSchedule"),
        ("c", None, "NoExecute"),
    }
    assert "unsupported taint effect" in kubectl.fails(f"taint nodes {node} a=x:Sometimes")
    kubectl(f"taint nodes {node} a- c:NoExecute-")
    assert "taints" not in kubectl.json(f"get node {node}")["spec"]


def pods(node: str) -> str:
    return f"""
apiVersion: v1
kind: Pod
metadata: {{name: alone}}
spec: {{nodeName: {node}, terminationGracePeriodSeconds: 0, containers: [{{name: c, image: x}}]}}
"""


def test_a_drain_evicts_what_it_may(kubectl: Shell, node: str) -> None:
    kubectl("create -f -", pods(node))

    refused = kubectl.fails(f"drain {node}")
    tried = kubectl(f"drain {node} --force --dry-run=server")
    done = kubectl(f"drain {node} --force --timeout=60s")

    assert "declare no controller (use --force to override)" in refused
    assert f"node/{node} drained (server dry run)" in tried
    assert done.splitlines()[-2:] == ["pod/alone evicted", f"node/{node} drained"]
    assert kubectl("get pods -o name") == ""


def test_a_disruption_budget_holds_an_eviction_up(kubectl: Shell, node: str) -> None:
    kubectl("create -f -", pods(node))
    kubectl("label pod alone app=web")
    kubectl.set_status("pod alone", {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]})
    kubectl("create pdb web --selector=app=web --min-available=1")

    kubectl.file("eviction.json", '{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"alone"}}')
    pod = f"/api/v1/namespaces/{kubectl.namespace}/pods/alone"
    said = kubectl.fails(f"create --raw {pod}/eviction -f eviction.json")

    assert "Cannot evict pod as it would violate the pod's disruption budget." in said
    assert kubectl("get pods -o name") == "pod/alone"
    assert kubectl.rows("get pdb web")[1][:4] == ["web", "1", "N/A", "0"]
