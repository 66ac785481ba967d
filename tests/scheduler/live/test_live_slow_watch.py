"""The scheduler against a server whose watches lag behind its answers, as a cluster's do."""

from collections.abc import Awaitable

from tests.kube.foreign import foreign_server
from tests.kube.live import managed, until
from tests.scheduler.live.objects import PODS, add_node
from tests.scheduler.live.test_live_gangs import add_group, add_member, bound, kinds, phase_is
from tests.support import Windlass
from windlass.kube.client import Client
from windlass.kube.meta import Key
from windlass.scheduler.live.service import SCHEDULER
from windlass.scheduler.model.pod_groups import VOLCANO

__all__ = ["kinds"]


async def test_the_status_of_a_gang_is_not_patched_from_a_version_that_the_scheduler_itself_replaced(
    bare_server: Windlass, client: Client, room: str, pool: dict[str, str]
) -> None:
    names = ["m0", "m1", "m2"]
    await add_node(client, pool, "a")
    async with foreign_server(bare_server) as server:
        server.watch_delay = 0.1
        async with server.client() as foreign, managed(foreign, SCHEDULER):
            group = await add_group(client, room, "gang", minMember=3)
            for name in names:
                await add_member(client, room, pool, name, "gang")
            await until(lambda: _are(bound(client, room), names))
            for name in names:
                await client.set_status(PODS, Key(room, name), {"phase": "Running"})
            await until(phase_is(client, VOLCANO, group, "Running"))

            async def all_run() -> bool:
                status = await phase_is(client, VOLCANO, group, "Running")()
                return status.get("running") == 3

            await until(all_run)

    patches = [each.status for each in server.answered if each.path.endswith("/podgroups/gang")]
    assert set(patches) == {200}


async def _are(bound: Awaitable[list[str]], names: list[str]) -> bool:
    return await bound == names
