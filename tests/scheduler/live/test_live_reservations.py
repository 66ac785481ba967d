"""Nodes that are kept for a gang, against the real server: queues tell of them, single pods leave them alone."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from tests.kube.live import managed, until
from tests.scheduler.cycle.world import GANGS_ONLY
from tests.scheduler.live.objects import PODS, add_node, add_pod, condition, node_of
from tests.scheduler.live.test_live_gangs import add_group, add_member, bound, kinds
from windlass.kube.client import Client
from windlass.kube.json import Object as Json
from windlass.kube.json import dig
from windlass.kube.meta import Key
from windlass.kube.view import untyped
from windlass.scheduler.live.options import Options
from windlass.scheduler.live.service import scheduler
from windlass.scheduler.model.parsing import ESTIMATE
from windlass.scheduler.model.pod_groups import VOLCANO
from windlass.scheduler.model.queues import VOLCANO as QUEUES
from windlass.scheduler.reservations.persistence import RESERVED

__all__ = ["kinds"]
BY_PRIORITY = Options(conf=GANGS_ONLY)
"""Queues have no shares."""


@pytest.fixture
async def queues(client: Client, kinds: None, pool: dict[str, str]) -> AsyncIterator[tuple[str, str]]:
    """One for the gang; another, that comes before it."""
    names = (f"z-{pool['pool']}", f"a-{pool['pool']}")
    for name in names:
        await client.create({"apiVersion": QUEUES.api_version, "kind": "Queue", "metadata": {"name": name}})
    yield names
    for name in names:
        await client.delete(QUEUES, Key("", name))


def queue(client: Client, name: str, holds: Callable[[Json], object]) -> Callable[[], Awaitable[Json]]:
    """The queue, as soon as something holds of it."""

    async def asked() -> Json:
        found = await client.get(untyped(QUEUES), name)
        return found if holds(found) else {}

    return asked


def remembers(one: Json) -> object:
    return dig(one, "metadata", "annotations", RESERVED)


async def test_what_is_kept_for_a_gang_is_kept_from_others_also_after_a_restart(
    client: Client, room: str, pool: dict[str, str], queues: tuple[str, str]
) -> None:
    nodes = [await add_node(client, pool, name) for name in "ab"]
    first = await add_group(client, room, "first", minMember=1, queue=queues[0])
    await client.patch(VOLCANO, first, {"metadata": {"annotations": {ESTIMATE: "1h"}}})
    async with managed(client, scheduler(BY_PRIORITY)):
        there = await add_member(client, room, pool, "first-0", "first", cpu="4")
        await node_of(client, there)
        await add_group(client, room, "big", minMember=2, queue=queues[0])
        for number in range(2):
            await add_member(client, room, pool, f"big-{number}", "big", cpu="4")
        kept = await until(queue(client, queues[0], remembers))
    assert dig(kept, "status", "reservation", "nodes") == nodes
    assert dig(kept, "status", "reservation", "resource", "cpu") == "4"
    await add_group(client, room, "small", minMember=1, queue=queues[1])
    small = await add_member(client, room, pool, "small", "small")
    single = await add_pod(client, room, pool, "single")
    await client.patch(VOLCANO, first, {"metadata": {"annotations": {ESTIMATE: None}}})

    async with managed(client, scheduler(BY_PRIORITY)):
        told = await condition(client, single, "Unschedulable")
        assert f"2 node(s) are kept for pod group {room}/big" in told
        await condition(client, small, "Unschedulable")
        assert await bound(client, room) == ["first-0"]
        short = await add_pod(client, room, pool, "short", activeDeadlineSeconds=60)
        await node_of(client, short)
        for key in (there, short):
            await client.delete(PODS, key, grace_seconds=0)
        for number in range(2):
            await node_of(client, Key(room, f"big-{number}"))
        open_again = await until(queue(client, queues[0], lambda one: not remembers(one)))

    assert "reservation" not in open_again["status"]
    assert await bound(client, room) == ["big-0", "big-1"]
