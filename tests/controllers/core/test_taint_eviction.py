from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from windlass.apis.core_v1 import Node, NodeSpec, Pod, PodSpec, PodStatus, Taint, Toleration
from windlass.controllers.core.taint_eviction import TARGET, date_taints, reconcile
from windlass.kube.controller import Observed
from windlass.kube.meta import ObjectMeta
from windlass.kube.plan import Plan
from windlass.kube.testing import deleted, patched

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def a_node(**taint: Any) -> Node:
    taints = [Taint(**{"key": "k", "effect": "NoExecute", "time_added": "2026-01-01T11:59:00Z", **taint})]
    return Node(metadata=ObjectMeta(name="a"), spec=NodeSpec(taints=taints))


def a_pod(*tolerations: Toleration) -> Pod:
    metadata = ObjectMeta(name="p", namespace="n", uid="u")
    return Pod(metadata=metadata, spec=PodSpec(node_name="a", tolerations=list(tolerations)))


def plan_of(pod: Pod, node: Node) -> Plan:
    return reconcile(pod, Observed.just(pod, node, of=pod, now=NOW))


def bearing(seconds: int | None = None, **more: Any) -> Toleration:
    return Toleration(**{"key": "k", "operator": "Exists", "toleration_seconds": seconds, **more})


@pytest.mark.parametrize(
    ("tolerations", "taint", "goes", "again"),
    [
        ([], {}, True, None),
        ([], {"effect": "NoSchedule"}, False, None),
        ([bearing()], {}, False, None),
        ([bearing(300)], {}, False, timedelta(minutes=4)),
        ([bearing(60)], {}, True, None),
        ([bearing(300), bearing(30)], {}, True, None),
        ([bearing(300)], {"time_added": None}, False, timedelta(minutes=5)),
        ([bearing(key="other")], {}, True, None),
        ([bearing(operator="Equal", value="x")], {"value": "y"}, True, None),
        ([Toleration(operator="Exists")], {}, False, None),
    ],
)
def test_how_long_a_pod_stays(tolerations: Any, taint: Any, goes: bool, again: timedelta | None) -> None:
    plan = plan_of(a_pod(*tolerations), a_node(**taint))
    assert (plan.status is not None, plan.again_in) == (goes, again)


def test_it_says_why_and_then_goes() -> None:
    first = plan_of(a_pod(), a_node())
    assert isinstance(first.status, PodStatus)
    assert (first.status.conditions[0].reason, list(deleted(first))) == (TARGET.reason, [])
    told = msgspec.structs.replace(a_pod(), status=first.status)
    second = plan_of(told, a_node())
    assert list(deleted(second)) == [told]
    assert [note.message for note in second.events] == ["Marking for deletion Pod n/p"]


def test_a_taint_without_a_date_gets_one() -> None:
    node = a_node(time_added=None)
    (patch,) = patched(date_taints(node, Observed.just(node, of=node, now=NOW)))
    assert patch[1]["spec"]["taints"][0]["timeAdded"] == "2026-01-01T12:00:00Z"
    assert not patched(date_taints(a_node(), Observed.just(of=node, now=NOW)))
