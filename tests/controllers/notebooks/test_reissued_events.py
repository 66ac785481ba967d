"""Events of a notebook's pod and StatefulSet are repeated on the Notebook, each once."""

import asyncio
from typing import Any

import msgspec

from windlass.apis.core_v1 import Event
from windlass.controllers.notebooks.reissued_events import EventQueue, Reissuer
from windlass.kube.cache import Store
from windlass.kube.client import Client
from windlass.kube.queue import Queue
from windlass.kube.testing import NOW, MemoryServer
from windlass.kube.view import View

NOTEBOOK = {
    "apiVersion": "kubeflow.org/v1",
    "kind": "Notebook",
    "metadata": {"name": "lab", "namespace": "ml"},
    "spec": {"template": {"spec": {"containers": []}}},
}
OWNER = {"apiVersion": "kubeflow.org/v1", "kind": "Notebook", "name": "lab", "uid": "u", "controller": True}
STATEFUL_SET = {
    "apiVersion": "apps/v1",
    "kind": "StatefulSet",
    "metadata": {"name": "lab", "namespace": "ml", "ownerReferences": [OWNER]},
}
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "lab-0", "namespace": "ml", "labels": {"notebook-name": "lab"}},
}
OTHER = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "other", "namespace": "ml"}}


class Manager:
    """The parts of a running manager that the service uses, over a server in memory."""

    def __init__(self, server: MemoryServer, *objects: dict[str, Any]) -> None:
        self.server, self.api = server, Client(server)
        self.stores: dict[View[Any], Store[Any]] = {}
        self.queues: list[Queue[Any]] = []
        self.objects = [server.put(obj) for obj in objects]

    def store(self, of: View[Any]) -> Store[Any]:
        store = self.stores.setdefault(of, Store())
        for obj in self.objects:
            if obj["kind"] == of.kind.name:
                store.put(of.decode(msgspec.json.encode(obj)))
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
    server: MemoryServer, *events: Event, known: tuple[dict[str, Any], ...] = (NOTEBOOK, STATEFUL_SET, POD, OTHER)
) -> list[Event]:
    """What is on the Notebook after these events, with a manager that has just started."""
    manager: Any = Manager(server, *known)
    reissuer = Reissuer(manager)
    EventQueue(reissuer).replace(events)
    for event in events:
        await reissuer.reissue(event.metadata.key)
    found = (obj for (kind, _), obj in server.objects.items() if kind.name == "Event")
    return [msgspec.convert(obj, Event) for obj in found]


async def test_events_of_pod_and_stateful_set_are_repeated() -> None:
    made = await repeat(MemoryServer(lambda: NOW), an_event("Pod", "lab-0"), an_event("StatefulSet", "lab", "2"))

    assert [event.message for event in made] == [
        "Reissued from pod/lab-0: no such image",
        "Reissued from statefulset/lab: no such image",
    ]
    assert {(event.type, event.reason, event.source.component) for event in made} == {
        ("Warning", "Failed", "notebook-controller")
    }
    assert {(event.involved_object.kind, event.involved_object.name) for event in made} == {("Notebook", "lab")}


async def test_events_of_others_are_not() -> None:
    assert await repeat(MemoryServer(lambda: NOW), an_event("Pod", "other")) == []


async def test_a_manager_that_starts_again_repeats_nothing_twice_and_counts_on() -> None:
    server = MemoryServer(lambda: NOW)
    await repeat(server, an_event("Pod", "lab-0"))
    (event,) = await repeat(server, an_event("Pod", "lab-0", count=5))

    assert event.count == 5


async def test_an_event_that_is_faster_than_its_pod_waits_once() -> None:
    manager: Any = Manager(MemoryServer(lambda: NOW), NOTEBOOK)
    reissuer = Reissuer(manager)
    event = an_event("Pod", "lab-0")
    reissuer.enqueue(event)

    assert await reissuer.reissue(event.metadata.key) is not None
    assert await reissuer.reissue(event.metadata.key) is None
    assert await asyncio.wait_for(reissuer.reissue(event.metadata.key), 1) is None
