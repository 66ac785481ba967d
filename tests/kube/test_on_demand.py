"""A service starts with the first object that needs it, once, and sees what came before."""

import asyncio

from tests.kube.live import managed
from windlass.apis.core_v1 import ConfigMap
from windlass.kube.api import Runtime
from windlass.kube.client import Client
from windlass.kube.controller import Service
from windlass.kube.meta import Key, ObjectMeta
from windlass.kube.on_demand import on_demand
from windlass.kube.view import typed

NEEDED = {"needs": "yes"}
VIEW = typed(ConfigMap).narrowed(labels="on-demand")


async def make(client: Client, namespace: str, name: str, data: dict[str, str]) -> None:
    labels = {"on-demand": ""}
    await client.create(ConfigMap(metadata=ObjectMeta(name=name, namespace=namespace, labels=labels), data=data))


async def test_it_starts_once_with_the_first_object_that_needs_it(client: Client, room: str) -> None:
    starts: list[set[str]] = []
    started = asyncio.Event()

    def start(runtime: Runtime) -> None:
        starts.append({found.metadata.name for found in runtime.store(VIEW)})
        started.set()

    service = on_demand("maps", lambda: {VIEW: lambda found: found.data == NEEDED}, lambda: Service("maps", start))
    async with managed(client, service) as manager:
        await make(client, room, "idle", {})
        store = manager.store(VIEW)
        assert await store.until(lambda: store.get(Key(room, "idle")) is not None, 30)
        assert not starts

        await make(client, room, "first", NEEDED)
        await asyncio.wait_for(started.wait(), 30)
        await make(client, room, "second", NEEDED)

    assert starts == [{"idle", "first"}]
