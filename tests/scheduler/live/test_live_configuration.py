"""The configuration in force is what the ConfigMap says, as soon as it says so."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from tests.kube.live import client_of, managed, until
from tests.scheduler.live.objects import EVENTS, add_node, node_of
from tests.scheduler.live.test_live_gangs import add_group, add_member, bound, kinds, phase_is
from tests.support import Windlass
from windlass.apis.core_v1 import ConfigMap
from windlass.kube import errors
from windlass.kube.client import Client
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.transport import Request, Response, Stream, Transport
from windlass.scheduler.live.core.configuration import KEY, NAME, NAMESPACE
from windlass.scheduler.live.service import SCHEDULER
from windlass.scheduler.model.pod_groups import VOLCANO

__all__ = ["kinds"]
MAPS = KINDS.of(ConfigMap)
LETS_IN = 'actions: "enqueue"\ntiers: [{plugins: [{name: gang}]}]'
PLACES = 'actions: "enqueue, allocate"\ntiers: [{plugins: [{name: gang}]}]'


@pytest.fixture
async def place(client: Client) -> AsyncIterator[Key]:
    with suppress(errors.AlreadyExists):
        await client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    yield Key(NAMESPACE, NAME)
    await client.delete(MAPS, Key(NAMESPACE, NAME))


async def warnings(client: Client) -> list[str]:
    found = (await client.list(EVENTS, NAMESPACE)).items
    return [one["message"] for one in found if one["reason"] == "BadConfiguration"]


async def test_another_configuration_comes_into_force_and_one_that_cannot_be_used_does_not(
    client: Client, room: str, pool: dict[str, str], place: Key
) -> None:
    metadata = {"name": place.name, "namespace": place.namespace}
    await client.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {KEY: LETS_IN}})
    await add_node(client, pool, "a")
    group = await add_group(client, room, "gang", minMember=1)
    async with managed(client, SCHEDULER):
        await until(phase_is(client, VOLCANO, group, "Inqueue"))
        member = await add_member(client, room, pool, "p", "gang")

        await client.patch(MAPS, place, {"data": {KEY: 'actions: "fly"'}})
        (told,) = await until(lambda: warnings(client))
        assert told == f"{KEY}: actions: there is no action fly"
        assert await bound(client, room) == []

        await client.patch(MAPS, place, {"data": {KEY: PLACES}})
        assert await node_of(client, member)


class Slow:
    """A way to the server on which nothing is heard of ConfigMaps before `told`."""

    def __init__(self, inner: Transport) -> None:
        self._inner, self.told = inner, asyncio.Event()

    async def request(self, request: Request) -> Response:
        return await self._inner.request(request)

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncIterator[Stream]:
        if "/configmaps" in request.path:
            await self.told.wait()
        async with self._inner.stream(request) as answer:
            yield answer

    async def close(self) -> None:
        await self._inner.close()


async def test_nothing_is_decided_before_the_configuration_is_known(
    bare_server: Windlass, client: Client, room: str, pool: dict[str, str], place: Key
) -> None:
    metadata = {"name": place.name, "namespace": place.namespace}
    await client.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {KEY: LETS_IN}})
    await add_node(client, pool, "a")
    group = await add_group(client, room, "gang", minMember=1)
    await add_member(client, room, pool, "p", "gang")
    way = Slow(client_of(bare_server)._transport)  # pyright: ignore[reportPrivateUsage] - wrapped here
    async with Client(way) as slow, managed(slow, SCHEDULER) as manager:

        async def rest_is_known() -> bool:
            return manager.unready() == "the caches have yet to see configmaps"

        await until(rest_is_known)
        told = (await client.get(VOLCANO, group.name, room)).get("status", {})
        assert (told.get("phase", "Pending"), told.get("conditions")) == ("Pending", None), "it is known, not let in"
        way.told.set()
        await until(phase_is(client, VOLCANO, group, "Inqueue"))
        assert await bound(client, room) == []
