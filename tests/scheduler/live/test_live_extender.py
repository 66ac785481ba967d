"""An extender that takes its time keeps the gangs waiting that it is asked about, and nothing else."""

from collections.abc import Iterator

import pytest

from tests.kube.live import managed
from tests.scheduler.extender_server import Server
from tests.scheduler.live.objects import add_node, add_pod, condition, node_of
from tests.scheduler.live.test_live_gangs import add_group, add_member, bound, kinds
from windlass.apis.reason_text import NODE_CAUSES
from windlass.kube.client import Client
from windlass.scheduler.cycle.gang_cycle import read_conf
from windlass.scheduler.live.options import Options
from windlass.scheduler.live.service import scheduler

__all__ = ["kinds"]
CONF = """
actions: "enqueue, allocate"
tiers:
- plugins:
  - name: gang
  - name: extender
    arguments: {{extender.urlPrefix: "{url}", extender.httpTimeout: 600s, extender.predicateVerb: predicate}}
"""


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    server.speaking.clear()
    yield server
    server.stop()


async def test_other_pods_are_placed_while_an_extender_is_waited_for(
    client: Client, room: str, pool: dict[str, str], server: Server
) -> None:
    await add_node(client, pool, "n")
    await add_group(client, room, "gang", minMember=1)
    async with managed(client, scheduler(Options(conf=read_conf(CONF.format(url=server.url))))):
        member = await add_member(client, room, pool, "member", "gang")
        await condition(client, member, "Unschedulable", NODE_CAUSES["ExtenderPending"])

        assert await node_of(client, await add_pod(client, room, pool, "alone"))
        assert await bound(client, room) == ["alone"]

        server.speaking.set()
        assert await node_of(client, member)
