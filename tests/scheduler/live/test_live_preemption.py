"""Preemption as it goes on: victims that take their time, and others that want the room meanwhile."""

from tests.kube.live import managed, until
from tests.scheduler.live.objects import PODS, add_node, add_pod, add_priority_class, condition, node_of
from windlass.apis.core_v1 import Pod
from windlass.kube.client import Client
from windlass.kube.meta import Key
from windlass.scheduler.live.service import SCHEDULER


async def pod(client: Client, key: Key) -> Pod:
    return await client.get(Pod, key.name, key.namespace)


async def test_the_room_that_a_slow_victim_leaves_is_kept_for_whom_it_was_made(
    client: Client, room: str, pool: dict[str, str]
) -> None:
    node = await add_node(client, pool, "a")
    high = await add_priority_class(client, pool, 1000)
    async with managed(client, SCHEDULER):
        slow = await add_pod(client, room, pool, "slow", cpu="3", terminationGracePeriodSeconds=3600)
        await node_of(client, slow)
        important = await add_pod(client, room, pool, "important", cpu="3", priorityClassName=high)

        async def is_promised() -> bool:
            return (await pod(client, important)).status.nominated_node_name == node

        await until(is_promised)

        async def is_going() -> bool:
            return bool((await pod(client, slow)).metadata.deletion_timestamp)

        await until(is_going)
        small = await add_pod(client, room, pool, "small", cpu="1")  # there is room for it, but it is promised
        assert await condition(client, small, "Unschedulable", "Insufficient cpu")

        await client.delete(PODS, slow, grace_seconds=0)  # as the node's agent would, once it has ended
        assert await node_of(client, important) == node
        assert await node_of(client, small) == node  # beside it, there was room for both

        async def is_no_promise_any_more() -> bool:
            return not (await pod(client, important)).status.nominated_node_name

        await until(is_no_promise_any_more)


async def test_while_a_victim_goes_nobody_else_has_to(client: Client, room: str, pool: dict[str, str]) -> None:
    node = await add_node(client, pool, "a")
    high = await add_priority_class(client, pool, 1000)
    async with managed(client, SCHEDULER):
        for name in ("one", "two"):
            key = await add_pod(client, room, pool, name, cpu="2", terminationGracePeriodSeconds=3600)
            assert await node_of(client, key) == node
        important = await add_pod(client, room, pool, "important", cpu="2", priorityClassName=high)

        async def going() -> list[str]:
            pods = (await client.list(Pod, room)).items
            return [one.metadata.name for one in pods if one.metadata.deletion_timestamp]

        (victim,) = await until(going)
        await client.patch(PODS, important, {"metadata": {"labels": {"try": "again"}}})

        why = "not eligible due to a terminating pod on the nominated node"
        assert await condition(client, important, "Unschedulable", why)
        assert await going() == [victim]


async def test_a_scheduler_that_starts_anew_keeps_the_promise(client: Client, room: str, pool: dict[str, str]) -> None:
    node = await add_node(client, pool, "a")
    high = await add_priority_class(client, pool, 1000)
    async with managed(client, SCHEDULER):
        slow = await add_pod(client, room, pool, "slow", cpu="3", terminationGracePeriodSeconds=3600)
        await node_of(client, slow)
        important = await add_pod(client, room, pool, "important", cpu="3", priorityClassName=high)

        async def is_promised() -> bool:
            return (await pod(client, important)).status.nominated_node_name == node

        await until(is_promised)
    async with managed(client, SCHEDULER):
        small = await add_pod(client, room, pool, "small", cpu="1")
        assert await condition(client, small, "Unschedulable", "Insufficient cpu")
        await client.delete(PODS, slow, grace_seconds=0)
        assert await node_of(client, important) == node
