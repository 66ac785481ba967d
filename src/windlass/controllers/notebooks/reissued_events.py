"""Repeats on a Notebook what happened to its StatefulSet and pod, so that one `kubectl describe` shows it all.

Nothing of the events is kept: each goes through a queue and is repeated as an Event whose name is derived from the
original's uid. A manager that starts again writes the same names, so nothing is repeated twice.
"""

from collections.abc import Iterable
from datetime import timedelta

from windlass.apis.apps_v1 import StatefulSet
from windlass.apis.core_v1 import Event, EventSource, ObjectReference, Pod
from windlass.apis.kubeflow_v1 import Notebook
from windlass.apis.notebooks.names import NOTEBOOK_LABEL
from windlass.kube.api import Runtime
from windlass.kube.cache import Store
from windlass.kube.controller import Key, Service
from windlass.kube.errors import AlreadyExists, ApiError, Forbidden
from windlass.kube.kind import KINDS
from windlass.kube.meta import ObjectMeta
from windlass.kube.objects import controller_of
from windlass.kube.on_demand import always, on_demand
from windlass.kube.queue import Queue
from windlass.kube.view import typed

COMPONENT = "notebook-controller"
WORKERS = 2
RETRY_DELAY = timedelta(seconds=2)
WATCHED = ("Pod", "StatefulSet")
POD_EVENTS, WORKLOAD_EVENTS = (typed(Event).narrowed(f"involvedObject.kind={kind}") for kind in WATCHED)


def notebook_name(event: Event, pods: Store[Pod], workloads: Store[StatefulSet]) -> str | None:
    """The Notebook whose StatefulSet or pod the event is about, empty for any other; None if that is not known yet."""
    about = event.involved_object
    key = Key(about.namespace, about.name)
    if about.kind == "Pod":
        pod = pods.get(key)
        return pod.metadata.labels.get(NOTEBOOK_LABEL, "") if pod is not None else None
    workload = workloads.get(key)
    if workload is None:
        return None
    owner = controller_of(workload)
    return owner.name if owner is not None and owner.kind == KINDS.of(Notebook).name else ""


def reissued(event: Event, notebook: Notebook) -> Event:
    """The event as one of the Notebook, under a name that is always the same for this original."""
    about, metadata = event.involved_object, notebook.metadata
    return Event(
        metadata=ObjectMeta(name=f"{metadata.name}.reissued.{event.metadata.uid}", namespace=metadata.namespace),
        involved_object=ObjectReference(
            api_version=KINDS.of(Notebook).api_version,
            kind=KINDS.of(Notebook).name,
            namespace=metadata.namespace,
            name=metadata.name,
            uid=metadata.uid,
        ),
        type=event.type,
        reason=event.reason,
        message=f"Reissued from {about.kind.lower()}/{about.name}: {event.message}",
        source=EventSource(component=COMPONENT),
        reporting_component=COMPONENT,
        first_timestamp=event.first_timestamp or event.last_timestamp,
        last_timestamp=event.last_timestamp or event.first_timestamp,
        count=event.count or 1,
    )


class EventQueue:
    """Passes events on and keeps none; one that is counted up is passed on again."""

    def __init__(self, reissuer: "Reissuer") -> None:
        self._reissuer = reissuer

    def replace(self, objects: Iterable[Event], /) -> None:
        for event in objects:
            self._reissuer.enqueue(event)

    def put(self, obj: Event, /) -> None:
        self._reissuer.enqueue(obj)

    def remove(self, key: Key, /) -> None:
        """The repeated event expires by itself."""

    def reached(self, version: str, /) -> None:
        """Nothing waits for a version here."""


class Reissuer:
    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._notebooks = runtime.store(typed(Notebook))
        self._pods = runtime.store(typed(Pod))
        self._workloads = runtime.store(typed(StatefulSet))
        self._queue: Queue[Key] = runtime.queue("notebook_events")
        self._pending: dict[Key, Event] = {}
        self._retried: set[Key] = set()

    def start(self) -> None:
        self._runtime.work("notebook-events", self._queue, self.reissue, WORKERS)
        for events in (POD_EVENTS, WORKLOAD_EVENTS):
            self._runtime.follow(events, EventQueue(self))

    def enqueue(self, event: Event) -> None:
        if notebook_name(event, self._pods, self._workloads) != "":
            self._pending[event.metadata.key] = event
            self._queue.add(event.metadata.key)

    async def reissue(self, key: Key) -> timedelta | None:
        event = self._pending.pop(key, None)
        if event is None:
            return None
        name = notebook_name(event, self._pods, self._workloads)
        if name is None:
            return self._later(key, event)
        notebook = self._notebooks.get(Key(key.namespace, name))
        if notebook is None:
            return None
        try:
            await self._write(reissued(event, notebook))
        except Forbidden:  # the namespace goes
            return None
        except ApiError:
            self._pending.setdefault(key, event)
            raise
        return None

    def _later(self, key: Key, event: Event) -> timedelta | None:
        """An event can be faster than its pod; one that still has none after a moment is of a pod that is gone."""
        if key in self._retried:
            self._retried.discard(key)
            return None
        self._retried.add(key)
        self._pending.setdefault(key, event)
        return RETRY_DELAY

    async def _write(self, event: Event) -> None:
        try:
            await self._runtime.api.create(event)
        except AlreadyExists:
            changed = {"count": event.count, "lastTimestamp": event.last_timestamp}
            await self._runtime.api.patch(KINDS.of(Event), event.metadata.key, changed)


def _service() -> Service:
    return Service("notebook-events", lambda runtime: Reissuer(runtime).start())


SERVICE = on_demand("notebook-events", lambda: {typed(Notebook): always}, _service)
"""Without a Notebook nobody needs the events of all pods, of which a large job has thousands."""
