"""Where pods go, as their owner sees it with kubectl: on Nodes that no agent runs."""

from collections.abc import Iterator

import pytest

from tests.e2e.shell import Shell
from tests.support import eventually

pytestmark = pytest.mark.kubectl


@pytest.fixture
def node(kubectl: Shell) -> Iterator[str]:
    name = f"node-{kubectl.namespace}"
    offers = {"cpu": "2", "memory": "4Gi", "pods": "110"}
    metadata = {"name": name, "labels": {"kubernetes.io/hostname": name}}
    kubectl.server.create(
        "/api/v1/nodes", {"metadata": metadata, "status": {"capacity": offers, "allocatable": offers}}
    )
    yield name
    kubectl.server.request("DELETE", f"/api/v1/nodes/{name}")


def a_pod(name: str, node: str, cpu: str, more: str = "") -> str:
    return f"""
apiVersion: v1
kind: Pod
metadata: {{name: {name}}}
spec:
  nodeSelector: {{kubernetes.io/hostname: {node}}}
  terminationGracePeriodSeconds: 0
  {more}
  containers: [{{name: c, image: x, resources: {{requests: {{cpu: "{cpu}"}}}}}}]
"""


def is_on(kubectl: Shell, pod: str, node: str) -> None:
    eventually(lambda: kubectl(f"get pod {pod} -o jsonpath={{.spec.nodeName}}") == node, 60, f"{pod} on {node}")


def describes(kubectl: Shell, pod: str, text: str) -> None:
    eventually(lambda: text in kubectl(f"describe pod {pod}"), 60, f"{text!r} of {pod}")


def test_a_pod_that_is_too_big_says_so(kubectl: Shell, node: str) -> None:
    kubectl("create -f -", a_pod("big", node, "3"))

    describes(kubectl, "big", "Insufficient cpu")
    said = kubectl("describe pod big")
    assert "FailedScheduling" in said
    assert "default-scheduler" in said
    assert "preemption: 0/" in said


def test_a_taint_holds_a_pod_off_until_it_is_gone(kubectl: Shell, node: str) -> None:
    kubectl(f"taint nodes {node} a=b:NoSchedule")
    kubectl("create -f -", a_pod("p", node, "1"))

    describes(kubectl, "p", "node(s) had untolerated taint(s)")
    kubectl(f"taint nodes {node} a-")
    is_on(kubectl, "p", node)
    describes(kubectl, "p", f"Successfully assigned {kubectl.namespace}/p to {node}")


def test_a_cordoned_node_gets_pods_when_it_is_uncordoned(kubectl: Shell, node: str) -> None:
    kubectl(f"cordon {node}")
    kubectl("create -f -", a_pod("p", node, "1"))

    describes(kubectl, "p", "node(s) were unschedulable")
    kubectl(f"uncordon {node}")
    is_on(kubectl, "p", node)


def test_an_important_pod_takes_another_ones_place(kubectl: Shell, node: str) -> None:
    important = f"important-{kubectl.namespace}"
    kubectl("create -f -", a_pod("low", node, "2"))
    is_on(kubectl, "low", node)
    kubectl(f"create priorityclass {important} --value=1000")
    kubectl("create -f -", a_pod("high", node, "2", f"priorityClassName: {important}"))

    is_on(kubectl, "high", node)
    assert "low" not in kubectl("get pods -o name")
    told = "get events --field-selector reason=Preempted"
    eventually(lambda: "Preempted by pod" in kubectl(told), 60, "the event")
