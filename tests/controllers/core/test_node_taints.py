from datetime import UTC, datetime
from typing import Any

import pytest

from windlass.apis.core_v1 import Node, NodeCondition, NodeSpec, NodeStatus, Taint
from windlass.controllers.core.node_taints import reconcile
from windlass.kube.controller import Observed
from windlass.kube.meta import ObjectMeta
from windlass.kube.testing import patched

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def a_node(name: str = "a", *taints: str, unschedulable: bool = False, **conditions: Any) -> Node:
    held = [NodeCondition(type=type, status=status) for type, status in conditions.items()]
    listed = [Taint(key=taint.partition(":")[0], effect=taint.partition(":")[2]) for taint in taints]
    spec = NodeSpec(taints=listed, unschedulable=unschedulable)
    return Node(metadata=ObjectMeta(name=name), spec=spec, status=NodeStatus(conditions=held))


def taints_after(node: Node, *others: Node) -> list[str] | None:
    """None where nothing changes."""
    plan = reconcile(node, Observed.just(node, *others, of=node, now=NOW))
    if not patched(plan):
        return None
    return [f"{taint['key']}:{taint['effect']}" for taint in patched(plan)[0][1]["spec"]["taints"] or []]


K = "node.kubernetes.io"


@pytest.mark.parametrize(
    ("node", "taints"),
    [
        (a_node(), None),
        (a_node(Ready="True"), None),
        (a_node(Ready="False"), [f"{K}/not-ready:NoSchedule", f"{K}/not-ready:NoExecute"]),
        (a_node(Ready="Unknown"), [f"{K}/unreachable:NoSchedule", f"{K}/unreachable:NoExecute"]),
        (
            a_node("a", "mine:NoExecute", f"{K}/not-ready:NoExecute", Ready="Unknown"),
            ["mine:NoExecute", f"{K}/unreachable:NoSchedule", f"{K}/unreachable:NoExecute"],
        ),
        (a_node("a", "mine:NoSchedule", f"{K}/unreachable:NoExecute", Ready="True"), ["mine:NoSchedule"]),
        (a_node(unschedulable=True), [f"{K}/unschedulable:NoSchedule"]),
        (a_node("a", f"{K}/unschedulable:NoSchedule", unschedulable=True), None),
        (a_node("a", f"{K}/unschedulable:NoSchedule"), []),
        (a_node(MemoryPressure="True", PIDPressure="Unknown"), [f"{K}/memory-pressure:NoSchedule"]),
        (a_node(DiskPressure="True", Ready="True"), [f"{K}/disk-pressure:NoSchedule"]),
        (a_node("a", f"{K}/pid-pressure:NoSchedule", PIDPressure="False"), []),
        (a_node("a", f"{K}/not-ready:NoSchedule"), None),
    ],
)
def test_taints_follow_conditions_and_the_cordon(node: Node, taints: list[str] | None) -> None:
    assert taints_after(node, a_node("well", Ready="True")) == taints


def test_pods_are_not_driven_out_while_there_is_nowhere_to_go() -> None:
    others = [a_node("b", Ready="Unknown"), a_node("bare")]
    assert taints_after(a_node(Ready="Unknown"), *others) == [f"{K}/unreachable:NoSchedule"]
    given = a_node("a", f"{K}/unreachable:NoSchedule", f"{K}/unreachable:NoExecute", Ready="Unknown")
    assert taints_after(given, *others) == [f"{K}/unreachable:NoSchedule"]


def test_a_taint_says_since_when_it_is_there() -> None:
    (patch,) = patched(reconcile(a_node(Ready="False"), Observed.just(of=a_node(), now=NOW)))
    assert patch[1]["spec"]["taints"][0]["timeAdded"] == "2026-01-01T12:00:00Z"
