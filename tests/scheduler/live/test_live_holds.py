"""A gang that loses a pod, against the real server: its place is kept although another gang waits for it."""

from tests.kube.live import managed, until
from tests.scheduler.live.objects import PODS, add_node, add_pod, condition, node_of
from tests.scheduler.live.test_live_gangs import add_group, add_member, bound, kinds
from windlass.kube.client import Client
from windlass.kube.meta import Key
from windlass.scheduler.live.service import SCHEDULER
from windlass.scheduler.model.pod_groups import VOLCANO

__all__ = ["kinds"]


async def test_the_pod_in_a_lost_ones_stead_has_its_place_and_a_gang_that_waits_does_not_start(
    client: Client, room: str, pool: dict[str, str]
) -> None:
    node = await add_node(client, pool, "a", offers={"cpu": "7"})
    for name in "xy":
        await add_group(client, room, name, minMember=4)
    async with managed(client, SCHEDULER):
        for number in range(4):
            await add_member(client, room, pool, f"x{number}", "x")
        await until(lambda: all_of(client, room, "x"))
        for number in range(4):
            await add_member(client, room, pool, f"y{number}", "y")
        await condition(client, Key(room, "y0"), "Unschedulable")

        await client.delete(PODS, Key(room, "x1"), grace_seconds=0)
        again = await add_member(client, room, pool, "x4", "x")

        assert await node_of(client, again) == node
        assert await bound(client, room) == ["x0", "x2", "x3", "x4"]


async def test_a_place_that_is_kept_for_a_gang_that_is_deleted_is_free_for_a_single_pod(
    client: Client, room: str, pool: dict[str, str]
) -> None:
    node = await add_node(client, pool, "a", offers={"cpu": "4"})
    gang = await add_group(client, room, "x", minMember=4)
    async with managed(client, SCHEDULER):
        for number in range(4):
            await add_member(client, room, pool, f"x{number}", "x")
        await until(lambda: all_of(client, room, "x"))
        await client.delete(PODS, Key(room, "x1"), grace_seconds=0)
        single = await add_pod(client, room, pool, "single")
        assert "Insufficient cpu" in await condition(client, single, "Unschedulable")

        await client.delete(VOLCANO, gang)

        assert await node_of(client, single) == node


async def all_of(client: Client, room: str, name: str) -> bool:
    return len([one for one in await bound(client, room) if one.startswith(name)]) == 4
