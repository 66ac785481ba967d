from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.kube.live import managed, until
from windlass.apis.core_v1 import (
    Container,
    Node,
    NodeCondition,
    NodeSpec,
    NodeStatus,
    Pod,
    PodSpec,
    PodStatus,
    ServiceAccount,
    Taint,
)
from windlass.controllers.core.pod_collector import OUT_OF_SERVICE, missing_nodes, removals, service, surplus
from windlass.kube.client import Client
from windlass.kube.errors import NotFound
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, ObjectMeta

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
GOING: dict[str, Any] = {"deletion_timestamp": "2026-01-01T12:00:00Z", "deletion_grace_period_seconds": 30}


def a_pod(name: str = "p", node: str = "", phase: str = "Running", **metadata: Any) -> Pod:
    return Pod(
        metadata=ObjectMeta(name=name, namespace="n", **metadata),
        spec=PodSpec(node_name=node),
        status=PodStatus(phase=phase),
    )


def a_node(name: str, *taints: str, ready: Any = "Unknown") -> Node:
    spec = NodeSpec(taints=[Taint(key=key, effect="NoExecute") for key in taints])
    return Node(
        metadata=ObjectMeta(name=name),
        spec=spec,
        status=NodeStatus(conditions=[NodeCondition(type="Ready", status=ready)]),
    )


@pytest.mark.parametrize(
    ("pod", "goes"),
    [
        (a_pod(), False),
        (a_pod(node="here"), False),
        (a_pod(node="lost"), True),
        (a_pod(node="lost", phase="Succeeded"), True),
        (a_pod(node="lost", **GOING), True),
        (a_pod(node="lost", **{**GOING, "deletion_grace_period_seconds": 0}), False),
        (a_pod(**GOING), True),
        (a_pod(node="here", **GOING), False),
        (a_pod(node="broken", **GOING), True),
        (a_pod(node="broken"), False),
        (a_pod(node="mended", **GOING), False),
    ],
)
def test_what_nobody_else_would_remove(pod: Pod, goes: bool) -> None:
    nodes = [a_node("here"), a_node("broken", OUT_OF_SERVICE), a_node("mended", OUT_OF_SERVICE, ready="True")]
    assert bool(removals([pod], nodes, {"lost"})) is goes


def test_of_many_pods_that_have_ended_the_oldest_go() -> None:
    pods = [
        a_pod("young", phase="Failed", creation_timestamp="2026-01-01T03:00:00Z"),
        a_pod("old", phase="Succeeded", creation_timestamp="2026-01-01T01:00:00Z"),
        a_pod("middle", phase="Succeeded", creation_timestamp="2026-01-01T02:00:00Z"),
        a_pod("running", creation_timestamp="2026-01-01T00:00:00Z"),
    ]
    assert [removal.pod.metadata.name for removal in surplus(pods, 1)] == ["old", "middle"]
    assert surplus(pods, 3) == []


def test_a_node_is_missing_from_when_it_was_first_missed() -> None:
    since: dict[str, datetime] = {}
    missing_nodes([a_pod(node="a"), a_pod(node="b"), a_pod()], [a_node("b")], since, NOW)
    missing_nodes([a_pod(node="a")], [], since, NOW + timedelta(minutes=1))
    assert since == {"a": NOW}
    missing_nodes([a_pod(node="a")], [a_node("a")], since, NOW)
    assert since == {}


async def test_pods_of_a_node_that_was_deleted_fail_and_go(client: Client, room: str) -> None:
    name = f"node-{room}"
    await client.create(ServiceAccount(metadata=ObjectMeta(name="default", namespace=room)))
    await client.create(Node(metadata=ObjectMeta(name=name)))
    spec = PodSpec(node_name=name, containers=[Container(name="c", image="x")])
    metadata = ObjectMeta(name="p", namespace=room, finalizers=["example.com/look"])
    await client.create(Pod(metadata=metadata, spec=spec))
    await client.create(Pod(metadata=ObjectMeta(name="q", namespace=room), spec=spec))
    async with managed(client, service(timedelta(seconds=0.05), timedelta(seconds=0.2))):
        assert (await client.get(Pod, "q", room)).metadata.deletion_timestamp is None
        await client.delete(KINDS.of(Node), Key("", name))

        async def is_gone() -> bool:
            try:
                await client.get(Pod, "q", room)
            except NotFound:
                return True
            return False

        async def is_going() -> Pod | None:
            pod = await client.get(Pod, "p", room)
            return pod if pod.metadata.deletion_timestamp else None

        await until(is_gone)
        held = await until(is_going)
        assert held is not None
        assert held.status.phase == "Failed"
        assert [(each.reason, each.message) for each in held.status.conditions if each.type == "DisruptionTarget"] == [
            ("DeletionByPodGC", "PodGC: node no longer exists")
        ]
