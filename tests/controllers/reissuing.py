"""What the tests of repeated events share: a manager over a server in memory, and events of pods."""

from typing import Any

import msgspec

from windlass.apis.core_v1 import Event
from windlass.controllers.reissued_events import EventQueue, Reissuer, Repeated
from windlass.kube.cache import Store
from windlass.kube.client import Client
from windlass.kube.queue import Queue
from windlass.kube.testing import MemoryServer
from windlass.kube.view import View


class Manager:
    """The parts of a running manager that the service uses, over a server in memory."""

    def __init__(self, server: MemoryServer, *objects: dict[str, Any]) -> None:
        self.server, self.api = server, Client(server)
        self.stores: dict[View[Any], Store[Any]] = {}
        self.queues: list[Queue[Any]] = []
        self.objects = [*server.objects.values(), *(server.put(obj) for obj in objects)]

    def store(self, of: View[Any]) -> Store[Any]:
        store = self.stores.setdefault(of, Store())
        for obj in self.objects:
            if obj["kind"] == of.kind.name:
                store.put(of.decode(msgspec.json.encode(obj)))
        store.synced.set()
        return store

    def queue(self, name: str) -> Queue[Any]:
        self.queues.append(Queue())
        return self.queues[-1]


def an_event(about: str, name: str, uid: str = "1", **more: Any) -> Event:
    wire = {
        "metadata": {"name": f"{name}.{uid}", "namespace": "ml", "uid": uid},
        "involvedObject": {"kind": about, "namespace": "ml", "name": name},
        "type": "Warning",
        "reason": "Failed",
        "message": "no such image",
        "count": 1,
        **more,
    }
    return msgspec.convert(wire, Event)


async def repeat(
    repeated: Repeated, server: MemoryServer, *events: Event, known: tuple[dict[str, Any], ...]
) -> list[Event]:
    """What is on the server after these events, with a manager that has just started and knows these objects."""
    manager: Any = Manager(server, *known)
    reissuer = Reissuer(repeated, manager)
    EventQueue(reissuer).replace(events)
    for event in events:
        await reissuer.reissue(event.metadata.key)
    found = (obj for (kind, _), obj in server.objects.items() if kind.name == "Event")
    return [msgspec.convert(obj, Event) for obj in found]
