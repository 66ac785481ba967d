from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.kube.live import managed, until
from windlass.apis.coordination_v1 import Lease, LeaseSpec
from windlass.apis.core_v1 import Event, Node, NodeCondition, NodeStatus, Pod, PodCondition, PodSpec, PodStatus
from windlass.controllers.core import node_taints
from windlass.controllers.core.node_health import CHECK_INTERVAL, GRACE, Health, has_agent, lost_conditions, observe
from windlass.controllers.core.node_lifecycle import PODS, NodeLifecycle, mark_unready, node_of
from windlass.kube.client import Client
from windlass.kube.controller import Acting, Observed
from windlass.kube.json import micro_timestamp
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, ObjectMeta
from windlass.kube.plan import Plan

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
NODE, POD = KINDS.of(Node), KINDS.of(Pod)


def a_node(status: str = "True", *, heartbeat: str | None = None, since: str | None = None) -> Node:
    ready = NodeCondition(type="Ready", status=status, last_heartbeat_time=heartbeat, last_transition_time=since)  # type: ignore[arg-type]
    return Node(metadata=ObjectMeta(name="a", uid="u"), status=NodeStatus(conditions=[ready]))


def a_lease(renewed: str = "2026-01-01T12:00:00.000000Z") -> Lease:
    return Lease(metadata=ObjectMeta(name="a", namespace="kube-node-lease"), spec=LeaseSpec(renew_time=renewed))


@pytest.mark.parametrize(
    ("node", "lease", "expected"),
    [
        (Node(metadata=ObjectMeta(name="a")), None, False),
        (a_node(), None, False),
        (a_node(heartbeat="2026-01-01T12:00:00Z"), None, True),
        (Node(metadata=ObjectMeta(name="a")), a_lease(), True),
    ],
)
def test_a_node_that_was_only_written_down_has_no_agent(node: Node, lease: Lease | None, expected: bool) -> None:
    assert has_agent(node, lease) is expected


def test_silence_adds_up_until_there_is_a_sign_of_life() -> None:
    health, now = observe(None, ("u", "1", ""), NOW), NOW
    for _ in range(8):
        now += CHECK_INTERVAL
        health = observe(health, ("u", "1", ""), now)
    assert health.silent == GRACE
    assert observe(health, ("u", "2", ""), now).silent == timedelta()


def test_a_night_in_which_nobody_looked_is_no_silence() -> None:
    before = Health(("u", "1", ""), NOW)
    assert observe(before, before.sign, NOW + timedelta(hours=9)).silent == 2 * CHECK_INTERVAL
    assert observe(before, before.sign, NOW - timedelta(hours=9)).silent == timedelta()


def test_all_that_the_kubelet_told_is_unknown_of_a_lost_node() -> None:
    other = NodeCondition(type="Odd", status="True")
    node = Node(status=NodeStatus(conditions=[*a_node(since="2026-01-01T00:00:00Z").status.conditions, other]))
    told = {each.type: each for each in lost_conditions(node, NOW)}
    assert {type: each.status for type, each in told.items()} == {
        "Ready": "Unknown", "Odd": "True", "MemoryPressure": "Unknown", "DiskPressure": "Unknown",
        "PIDPressure": "Unknown",
    }  # fmt: skip
    assert (told["Ready"].reason, told["Ready"].message) == (
        "NodeStatusUnknown",
        "Kubelet stopped posting node status.",
    )
    assert told["Ready"].last_transition_time == "2026-01-01T12:00:00Z"
    assert told["DiskPressure"].reason == "NodeStatusNeverUpdated"


def a_pod(since: str | None = "2026-01-01T11:00:00Z") -> Pod:
    ready = PodCondition(type="Ready", status="True", last_transition_time=since)
    metadata = ObjectMeta(name="p", namespace="n")
    return Pod(metadata=metadata, spec=PodSpec(node_name="a"), status=PodStatus(conditions=[ready]))


@pytest.mark.parametrize(
    ("pod", "node", "marked"),
    [
        (a_pod(), a_node("True"), False),
        (a_pod(), a_node("Unknown", since="2026-01-01T11:30:00Z"), True),
        (a_pod(), a_node("False", since="2026-01-01T11:30:00Z"), True),
        (a_pod(since="2026-01-01T11:40:00Z"), a_node("Unknown", since="2026-01-01T11:30:00Z"), False),
        (a_pod(), Node(metadata=ObjectMeta(name="a")), False),
    ],
)
def test_pods_of_a_lost_node_are_not_ready(pod: Pod, node: Node, marked: bool) -> None:
    plan: Plan = mark_unready(pod, Observed.just(pod, node, of=pod, now=NOW))
    if not marked:
        assert plan == Plan()
        return
    assert isinstance(plan.status, PodStatus)
    assert [(each.type, each.status) for each in plan.status.conditions] == [("Ready", "False")]
    assert [(note.reason, note.message) for note in plan.events] == [("NodeNotReady", "Node is not ready")]


async def test_a_node_falls_silent_and_speaks_again(client: Client, room: str) -> None:
    name = f"node-{room}"
    lifecycle = Acting("node-lifecycle", Node, NodeLifecycle(timedelta(seconds=0.3)).act, watches=[(Lease, node_of)])
    await client.create(Node(metadata=ObjectMeta(name=name)))
    await client.create(Node(metadata=ObjectMeta(name=f"bare-{room}")))
    await client.set_status(NODE, Key("", name), {"conditions": [{"type": "Ready", "status": "True"}]})
    metadata = ObjectMeta(name=name, namespace="kube-node-lease")
    async with managed(client, lifecycle, PODS, node_taints.CONTROLLER):
        await client.create(Lease(metadata=metadata, spec=LeaseSpec(renew_time=micro_timestamp())))

        async def tainted() -> Any:
            node = await client.get(Node, name)
            return node if node.spec.taints else None

        lost = await until(tainted)
        raw = await client.get(NODE, name)
        assert {each["status"] for each in raw["status"]["conditions"]} == {"Unknown"}
        assert [(taint.key, taint.effect) for taint in lost.spec.taints] == [
            ("node.kubernetes.io/unreachable", "NoSchedule")
        ]
        assert (await client.get(Node, f"bare-{room}")).status.conditions == []

        async def told() -> bool:
            events = (await client.list(Event)).items
            return any(each.message == f"Node {name} status is now: NodeNotReady" for each in events)

        await until(told)
    async with managed(client, node_taints.CONTROLLER):
        await client.set_status(NODE, Key("", name), {"conditions": [{"type": "Ready", "status": "True"}]})

        async def clear() -> bool:
            return not (await client.get(Node, name)).spec.taints

        await until(clear)
