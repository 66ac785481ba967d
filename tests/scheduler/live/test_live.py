"""The running scheduler against the real server, with Node objects that no agent stands behind."""

import asyncio
import statistics
import time
from contextlib import suppress

from tests.kube.live import managed, until
from tests.scheduler.live.objects import (
    PODS,
    add_node,
    add_pod,
    add_priority_class,
    condition,
    events,
    node_of,
)
from windlass.apis.core_v1 import Pod
from windlass.kube.client import Client
from windlass.kube.errors import NotFound
from windlass.kube.meta import Key
from windlass.kube.view import typed
from windlass.scheduler.live.service import SCHEDULER


async def test_a_pod_is_bound_and_told_of(client: Client, room: str, pool: dict[str, str]) -> None:
    node = await add_node(client, pool, "a")
    async with managed(client, SCHEDULER):
        key = await add_pod(client, room, pool, "p")

        assert await node_of(client, key) == node
        assert await until(lambda: events(client, room, "Scheduled")) == [f"Successfully assigned {room}/p to {node}"]


async def test_a_pod_that_fits_nowhere_says_why_and_goes_when_a_node_comes(
    client: Client, room: str, pool: dict[str, str]
) -> None:
    await add_node(client, pool, "a", taints=[{"key": "k", "value": "v", "effect": "NoSchedule"}])
    async with managed(client, SCHEDULER):
        key = await add_pod(client, room, pool, "p")
        message = await condition(client, key, "Unschedulable", "1 node(s) had untolerated taint(s)")

        assert "preemption: 0/" in message
        node = await add_node(client, pool, "b")
        assert await node_of(client, key) == node


async def test_pods_are_never_more_than_their_nodes_hold(client: Client, room: str, pool: dict[str, str]) -> None:
    for name in "abc":
        await add_node(client, pool, name)
    async with managed(client, SCHEDULER):
        await asyncio.gather(*(add_pod(client, room, pool, f"p{number}") for number in range(16)))

        async def bound() -> bool:
            pods = (await client.list(Pod, room)).items
            waits = [one for one in pods if any(c.reason == "Unschedulable" for c in one.status.conditions)]
            return sum(bool(one.spec.node_name) for one in pods) == 12 and len(waits) == 4

        await until(bound)
        on = [one.spec.node_name for one in (await client.list(Pod, room)).items if one.spec.node_name]
        assert all(on.count(name) == 4 for name in set(on))


async def test_a_pod_of_higher_priority_takes_the_place_of_a_lower_one(
    client: Client, room: str, pool: dict[str, str]
) -> None:
    node = await add_node(client, pool, "a")
    high = await add_priority_class(client, pool, 1000)
    async with managed(client, SCHEDULER):
        low = await add_pod(client, room, pool, "low", cpu="3")
        assert await node_of(client, low) == node
        key = await add_pod(client, room, pool, "high", cpu="3", priorityClassName=high)

        async def marked() -> bool:
            try:
                pod = await client.get(Pod, "low", room)
            except NotFound:
                return True
            return any(c.type == "DisruptionTarget" for c in pod.status.conditions)

        await until(marked)
        with suppress(NotFound):
            await client.delete(PODS, low, grace_seconds=0)  # as the node's agent would, once it has ended
        assert await node_of(client, key) == node


async def test_a_gated_pod_says_so_before_any_scheduler_has_seen_it(
    client: Client, room: str, pool: dict[str, str]
) -> None:
    key = await add_pod(client, room, pool, "p", schedulingGates=[{"name": "example.com/g"}])
    (said,) = (await client.get(Pod, key.name, key.namespace)).status.conditions

    assert (said.type, said.status, said.reason) == ("PodScheduled", "False", "SchedulingGated")
    assert said.message == "Scheduling is blocked due to non-empty scheduling gates"


async def test_a_gated_pod_waits_until_its_gates_are_gone(client: Client, room: str, pool: dict[str, str]) -> None:
    node = await add_node(client, pool, "a")
    async with managed(client, SCHEDULER):
        key = await add_pod(client, room, pool, "p", schedulingGates=[{"name": "example.com/g"}])

        assert "scheduling gates" in await condition(client, key, "SchedulingGated")
        await client.patch(PODS, key, {"spec": {"schedulingGates": None}})
        assert await node_of(client, key) == node


async def test_a_scheduler_that_starts_anew_counts_what_is_bound(
    client: Client, room: str, pool: dict[str, str]
) -> None:
    node = await add_node(client, pool, "a")
    async with managed(client, SCHEDULER):
        assert await node_of(client, await add_pod(client, room, pool, "first", cpu="3")) == node
    async with managed(client, SCHEDULER):
        second = await add_pod(client, room, pool, "second", cpu="3")
        assert await condition(client, second, "Unschedulable", "Insufficient cpu")
        await client.delete(PODS, Key(room, "first"), grace_seconds=0)
        assert await node_of(client, second) == node


async def test_an_idle_scheduler_binds_quickly(client: Client, room: str, pool: dict[str, str]) -> None:
    await add_node(client, pool, "a", offers={"cpu": "100"})
    bound: asyncio.Queue[float] = asyncio.Queue()

    async def follow() -> None:
        async for change in client.watch(typed(Pod), room, initial_events=True):
            if change.object is not None and change.object.spec.node_name:
                bound.put_nowait(time.perf_counter())

    async with managed(client, SCHEDULER):
        following = asyncio.create_task(follow())
        took: list[float] = []
        for number in range(20):
            began = time.perf_counter()
            await add_pod(client, room, pool, f"p{number}")
            took.append(await bound.get() - began)
        following.cancel()

    middle = statistics.median(took)
    print(f"create to bound seen, median: {middle * 1000:.1f} ms")  # noqa: T201 - a figure for runs with -s
    assert min(took) < 0.5, "on a machine that does other things too, the quickest tells whether anything is waited for"
