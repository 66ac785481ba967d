"""Repeats on an object what happened to its workload and pod, so that one `kubectl describe` shows it all.

The original events are not kept: each goes through a queue and is repeated as an Event whose name is derived from the
original's uid. Only the repetitions are kept. One that is there is counted up instead of created again, and a manager
that starts again writes nothing.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias

from windlass.apis.core_v1 import Event, EventSource, ObjectReference
from windlass.kube.api import Runtime
from windlass.kube.controller import Key, Service
from windlass.kube.errors import NAMESPACE_TERMINATING, AlreadyExists, ApiError, NotFound
from windlass.kube.kind import KINDS
from windlass.kube.meta import Object, ObjectMeta
from windlass.kube.on_demand import always, on_demand
from windlass.kube.queue import Queue
from windlass.kube.view import View, typed

WORKERS = 2
RETRY_DELAY = timedelta(seconds=2)
NameOf: TypeAlias = Callable[[Event], str | None]
"""The object on which an event is repeated, empty for an event of anything else; None if that is not known yet."""


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """Which events are repeated, and on which objects."""

    name: str
    component: str
    on: type[Object]
    events: tuple[View[Event], ...]
    name_of: Callable[[Runtime], NameOf]


def reissued(event: Event, owner: Object, component: str) -> Event:
    """The event as one of its owner, under a name that is always the same for this original."""
    about, metadata, kind = event.involved_object, owner.metadata, KINDS.of(type(owner))
    return Event(
        metadata=ObjectMeta(name=f"{metadata.name}.reissued.{event.metadata.uid}", namespace=metadata.namespace),
        involved_object=ObjectReference(
            api_version=kind.api_version,
            kind=kind.name,
            namespace=metadata.namespace,
            name=metadata.name,
            uid=metadata.uid,
        ),
        type=event.type,
        reason=event.reason,
        message=f"Reissued from {about.kind.lower()}/{about.name}: {event.message}",
        source=EventSource(component=component),
        reporting_component=component,
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
    def __init__(self, repeated: Repeated, runtime: Runtime) -> None:
        self._repeated, self._runtime = repeated, runtime
        self._owners = runtime.store(typed(repeated.on))
        on = KINDS.of(repeated.on).name
        self._repetitions = runtime.store(typed(Event).narrowed(f"involvedObject.kind={on}"))
        self._name_of = repeated.name_of(runtime)
        self._queue: Queue[Key] = runtime.queue(repeated.name.replace("-", "_"))
        self._pending: dict[Key, Event] = {}
        self._retried: set[Key] = set()

    def start(self) -> None:
        self._runtime.work(self._repeated.name, self._queue, self.reissue, WORKERS)
        for events in self._repeated.events:
            self._runtime.follow(events, EventQueue(self))

    def enqueue(self, event: Event) -> None:
        if self._name_of(event) != "":
            self._pending[event.metadata.key] = event
            self._queue.add(event.metadata.key)

    async def reissue(self, key: Key) -> timedelta | None:
        await self._repetitions.synced.wait()
        event = self._pending.pop(key, None)
        if event is None:
            return None
        name = self._name_of(event)
        if name is None:
            return self._later(key, event)
        owner = self._owners.get(Key(key.namespace, name))
        if owner is None:
            return None
        try:
            await self._write(reissued(event, owner, self._repeated.component))
        except ApiError as error:
            if error.has_cause(NAMESPACE_TERMINATING):
                return None
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
        known = self._repetitions.get(event.metadata.key)
        if known is None:
            try:
                await self._runtime.api.create(event)
            except AlreadyExists:  # by the manager before this one, just now
                await self._count_up(event)
        elif known.count != event.count or known.last_timestamp != event.last_timestamp:
            try:
                await self._count_up(event)
            except NotFound:  # its time to live was over
                await self._runtime.api.create(event)

    async def _count_up(self, event: Event) -> None:
        changed = {"count": event.count, "lastTimestamp": event.last_timestamp}
        await self._runtime.api.patch(KINDS.of(Event), event.metadata.key, changed)


def service(repeated: Repeated) -> Service:
    """Starts with the first of the objects: without one nobody needs the events of pods, of which there are many."""

    def load() -> Service:
        return Service(repeated.name, lambda runtime: Reissuer(repeated, runtime).start())

    return on_demand(repeated.name, lambda: {typed(repeated.on): always}, load)
