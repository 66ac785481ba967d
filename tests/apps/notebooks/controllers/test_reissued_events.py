"""Events of a notebook's pod and StatefulSet are repeated on the Notebook, each once."""

import asyncio
from typing import Any

from tests.controllers.reissuing import Manager, an_event, repeat
from windlass.apis.core_v1 import Event
from windlass.apps.notebooks.controllers.reissued_events import REPEATED
from windlass.controllers.reissued_events import Reissuer
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.testing import NOW, MemoryServer
from windlass.kube.transport import Request, Response

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


KNOWN = (NOTEBOOK, STATEFUL_SET, POD, OTHER)


async def test_events_of_pod_and_stateful_set_are_repeated() -> None:
    events = (an_event("Pod", "lab-0"), an_event("StatefulSet", "lab", "2"))
    made = await repeat(REPEATED, MemoryServer(lambda: NOW), *events, known=KNOWN)

    assert [event.message for event in made] == [
        "Reissued from pod/lab-0: no such image",
        "Reissued from statefulset/lab: no such image",
    ]
    assert {(event.type, event.reason, event.source.component) for event in made} == {
        ("Warning", "Failed", "notebook-controller")
    }
    assert {(event.involved_object.kind, event.involved_object.name) for event in made} == {("Notebook", "lab")}


async def test_events_of_others_are_not() -> None:
    assert await repeat(REPEATED, MemoryServer(lambda: NOW), an_event("Pod", "other"), known=KNOWN) == []


async def test_a_manager_that_starts_again_repeats_nothing_twice_and_counts_on() -> None:
    server = MemoryServer(lambda: NOW)
    await repeat(REPEATED, server, an_event("Pod", "lab-0"), known=KNOWN)
    (event,) = await repeat(REPEATED, server, an_event("Pod", "lab-0", count=5), known=KNOWN)

    assert event.count == 5


class CountingServer(MemoryServer):
    """A server that keeps the method of each request."""

    def __init__(self) -> None:
        super().__init__(lambda: NOW)
        self.methods: list[str] = []

    async def request(self, request: Request) -> Response:
        self.methods.append(request.method)
        return await super().request(request)


async def test_an_event_that_is_counted_up_is_patched_and_not_created_again() -> None:
    server = CountingServer()
    for count in (1, 2, 2, 3):
        await repeat(REPEATED, server, an_event("Pod", "lab-0", count=count), known=KNOWN)

    assert server.methods == ["POST", "PATCH", "PATCH"]


async def test_an_event_whose_repetition_has_expired_is_created_again() -> None:
    server = CountingServer()
    await repeat(REPEATED, server, an_event("Pod", "lab-0"), known=KNOWN)
    manager: Any = Manager(server, *KNOWN)
    reissuer = Reissuer(REPEATED, manager)
    server.finish_deletion(KINDS.of(Event), Key("ml", "lab.reissued.1"))

    reissuer.enqueue(an_event("Pod", "lab-0", count=2))
    await reissuer.reissue(Key("ml", "lab-0.1"))

    assert server.methods == ["POST", "PATCH", "POST"]


async def test_an_event_that_is_faster_than_its_pod_waits_once() -> None:
    manager: Any = Manager(MemoryServer(lambda: NOW), NOTEBOOK)
    reissuer = Reissuer(REPEATED, manager)
    event = an_event("Pod", "lab-0")
    reissuer.enqueue(event)

    assert await reissuer.reissue(event.metadata.key) is not None
    assert await reissuer.reissue(event.metadata.key) is None
    assert await asyncio.wait_for(reissuer.reissue(event.metadata.key), 1) is None
