"""Informers against servers that are not the embedded one: lists that are not streamed, kinds that are not there."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Any

import pytest

from tests.kube.foreign import NO_PROGRESS, ForeignServer, foreign_server
from tests.kube.live import until
from tests.support import Windlass
from windlass.apis.core_v1 import ConfigMap, Secret
from windlass.kube import custom_kinds, errors
from windlass.kube.client import Client
from windlass.kube.custom_kinds import (
    DEFINITIONS,
    Condition,
    Definition,
    DefinitionSpec,
    DefinitionStatus,
    Names,
    Version,
    served_by,
)
from windlass.kube.informer import Informers
from windlass.kube.kind import Kind
from windlass.kube.meta import Key, ObjectMeta

SCHEMA = {"openAPIV3Schema": {"type": "object"}}


@pytest.fixture
async def server(bare_server: Windlass) -> AsyncIterator[ForeignServer]:
    async with foreign_server(bare_server) as server:
        yield server


@asynccontextmanager
async def informers_of(client: Client, **options: Any) -> AsyncIterator[Informers]:
    made = Informers(client, **options)
    async with asyncio.TaskGroup() as tasks:
        made.start(tasks)
        yield made
        made.stop()


async def synced(informers: Informers, of: Any) -> None:
    await asyncio.wait_for(informers.store(of).synced.wait(), 60)


@pytest.mark.parametrize("code", [400, 422, 500, 501])
async def test_a_refused_stream_is_listed_by_all_informers_of_the_server_and_logged_once(
    server: ForeignServer, client: Client, room: str, code: int, caplog: pytest.LogCaptureFixture
) -> None:
    server.refusal = (code, NO_PROGRESS)
    caplog.set_level(logging.INFO)
    await client.create(ConfigMap(metadata=ObjectMeta(name="before", namespace=room)))

    async with server.client() as foreign, informers_of(foreign) as informers:
        await synced(informers, ConfigMap)
        await synced(informers, Secret)
        store = informers.store(ConfigMap)
        assert store.get(Key(room, "before")) is not None
        await client.create(ConfigMap(metadata=ObjectMeta(name="after", namespace=room)))
        assert await store.until(lambda: store.get(Key(room, "after")) is not None, 60)

    assert [each.is_streamed_list for each in server.asked("configmaps")] == [True, False, False]
    assert not any(each.is_streamed_list for each in server.asked("secrets"))
    assert caplog.text.count(NO_PROGRESS) == 1


async def test_a_server_in_trouble_is_asked_for_a_stream_again(server: ForeignServer) -> None:
    server.refusal = (429, "the server is starting")

    async with server.client() as foreign, informers_of(foreign) as informers:
        informers.store(ConfigMap)
        await asked(server, "configmaps")
        server.refusal = None
        await synced(informers, ConfigMap)

    assert all(each.is_streamed_list for each in server.asked("configmaps"))


async def asked(server: ForeignServer, plural: str) -> None:
    """Wait until there was a request for the collection."""

    async def was_asked() -> bool:
        return bool(server.asked(plural))

    await until(was_asked)


class Lamps:
    """A custom kind of the test's own, which is not served before `define`."""

    def __init__(self, client: Client, room: str) -> None:
        self._client, self._room = client, room
        self.kind = Kind(group=f"{room}.example", version="v1", name="Lamp", plural="lamps")

    async def define(self) -> None:
        spec = {
            "group": self.kind.group,
            "names": {"plural": "lamps", "kind": "Lamp"},
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": SCHEMA}],
        }
        crd = {"metadata": {"name": self.kind.group_resource}, "spec": spec}
        kind = DEFINITIONS.kind
        await self._client.create({"apiVersion": kind.api_version, "kind": kind.name, **crd}, kind=kind)

    async def remove_definition(self) -> None:
        key = Key("", self.kind.group_resource)
        await self._client.delete(DEFINITIONS.kind, key)
        with suppress(errors.NotFound):
            await self._client.patch(DEFINITIONS.kind, key, {"metadata": {"finalizers": None}})

    async def are_seen_by(self, informers: Informers) -> bool:
        """Whether an informer is synced and keeps up with changes."""
        await synced(informers, self.kind)
        named = {"apiVersion": self.kind.api_version, "kind": "Lamp"}
        await self._client.create({**named, "metadata": {"name": "a", "namespace": self._room}}, kind=self.kind)
        store = informers.store(self.kind)
        return await store.until(lambda: store.get(Key(self._room, "a")) is not None, 60)


@pytest.fixture
async def lamps(client: Client, room: str) -> AsyncIterator[Lamps]:
    lamps = Lamps(client, room)
    yield lamps
    await lamps.remove_definition()


async def test_a_kind_that_is_not_served_is_asked_for_once_and_again_when_its_definition_is_established(
    server: ForeignServer, lamps: Lamps
) -> None:
    async with server.client() as foreign, informers_of(foreign) as informers:
        informers.store(lamps.kind)
        await asked(server, "lamps")
        await asked(server, "customresourcedefinitions")
        assert informers.lagging() == []
        await lamps.define()
        assert await lamps.are_seen_by(informers)

    statuses = [each.status for each in server.asked("lamps")]
    assert (statuses[0], statuses.count(404)) == (404, 1)


async def test_a_server_that_lags_behind_the_definition_is_asked_again_soon(
    server: ForeignServer, lamps: Lamps
) -> None:
    await lamps.define()
    server.unserved = {f"/apis/{lamps.kind.group}/"}

    async with server.client() as foreign, informers_of(foreign) as informers:
        informers.store(lamps.kind)
        await asked(server, "lamps")
        await asked(server, "customresourcedefinitions")
        server.unserved = set()
        assert await lamps.are_seen_by(informers)


async def test_who_works_in_one_namespace_asks_discovery_instead_of_watching_definitions(
    server: ForeignServer, room: str, lamps: Lamps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(custom_kinds, "DISCOVERY_INTERVAL_UNWATCHED", timedelta(milliseconds=50))

    async with server.client() as foreign, informers_of(foreign, namespace=room) as informers:
        informers.store(lamps.kind)
        await asked(server, "apis")
        await lamps.define()
        assert await lamps.are_seen_by(informers)

    assert [each.status for each in server.asked("lamps")].count(404) == 1
    assert server.asked("customresourcedefinitions") == []


def definition(established: str, served: bool = True) -> Definition:
    names, versions = Names(plural="lamps"), [Version(name="v1", served=served), Version(name="v2", served=True)]
    status = DefinitionStatus(conditions=[Condition(type="Established", status=established)])
    return Definition(spec=DefinitionSpec(group="foreign.example", names=names, versions=versions), status=status)


@pytest.mark.parametrize(
    ("given", "versions"),
    [
        (definition("True"), {"v1", "v2"}),
        (definition("True", served=False), {"v2"}),
        (definition("False"), set()),
        (Definition(), set()),
    ],
)
def test_a_definition_that_is_established_declares_its_served_versions(given: Definition, versions: set[str]) -> None:
    assert served_by(given) == {("foreign.example", version, "lamps") for version in versions}
