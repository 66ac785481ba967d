"""Keeps the queues of Volcano and of kube-batch up to date: who is in them is counted as groups come, change and go."""

from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

import msgspec

from windlass.apis import scheduling_kube_batch_v1alpha1 as kube_batch
from windlass.apis.scheduling_volcano_v1beta1 import Queue
from windlass.apps.volcano.controllers.names import COMPONENT, DEFAULT_QUEUE, POD_GROUP, QUEUE
from windlass.apps.volcano.controllers.queues.queue_steps import PROVIDED, Phases, kube_batch_status, provided, step
from windlass.kube.api import About
from windlass.kube.applier import merge_difference
from windlass.kube.controller import Runtime, Service
from windlass.kube.errors import AlreadyExists, NotFound
from windlass.kube.json import Object as Json
from windlass.kube.json import dig
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.objects import AnyObject, key_of
from windlass.kube.view import typed, untyped

NAME, KUBE_BATCH_NAME = "volcano-queue", "kube-batch-queue"
BATCH_SECONDS = 0.2  # seconds in which changes gather: a queue may have many thousands of groups
KUBE_BATCH_QUEUE, KUBE_BATCH_GROUP = KINDS.of(kube_batch.Queue), KINDS.of(kube_batch.PodGroup)


class Tally:
    """The groups of each queue by phase, kept as they change; `changed_in` is called with the queue concerned."""

    def __init__(self, changed_in: Callable[[str], None]) -> None:
        self._counts: defaultdict[str, Counter[str]] = defaultdict(Counter[str])
        self._changed_in = changed_in

    def of(self, queue: str) -> Phases:
        return self._counts.get(queue, {})

    def added(self, group: Json, /) -> None:
        self._count(group, 1)

    def changed(self, old: Json, new: Json, /) -> None:
        if _place(old) != _place(new):
            self._count(old, -1)
            self._count(new, 1)

    def deleted(self, group: Json, /) -> None:
        self._count(group, -1)

    def _count(self, group: Json, by: int) -> None:
        queue, phase = _place(group)
        counts = self._counts[queue]
        counts[phase] += by
        if not counts[phase]:
            del counts[phase]
        if not counts:
            del self._counts[queue]
        self._changed_in(queue)


def _place(group: Json) -> tuple[str, str]:
    """Its queue and its phase."""
    return str(dig(group, "spec", "queue") or DEFAULT_QUEUE), str(dig(group, "status", "phase") or "")


class _Names:
    """Puts the names of queues that changed, and of those that a change concerns, into the work queue."""

    def __init__(self, concern: Callable[[AnyObject], None]) -> None:
        self._concern = concern

    def added(self, obj: AnyObject, /) -> None:
        self._concern(obj)

    def changed(self, _: AnyObject, new: AnyObject, /) -> None:
        self._concern(new)

    def deleted(self, obj: AnyObject, /) -> None:
        self._concern(obj)


class Queues:
    """Volcano's queues."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._queue = runtime.queue(NAME)
        self._queues, self._groups = runtime.store(typed(Queue)), runtime.store(untyped(POD_GROUP))
        self._tally = Tally(lambda name: self._queue.add_after(name, BATCH_SECONDS))

    def start(self) -> None:
        self._groups.subscribe(self._tally)
        self._queues.add_index("parent", lambda queue: (queue.spec.parent,))
        self._queues.subscribe(_Names(self._concerns))
        self._runtime.work(NAME, self._queue, self.reconcile, 1, self._about)
        for name in PROVIDED:
            self._queue.add(name)

    def _about(self, name: str) -> About | None:
        queue = self._queues.get(Key("", name))
        return None if queue is None else (queue, QUEUE)

    def _concerns(self, changed: AnyObject) -> None:
        """A queue's state is also its children's business."""
        name = key_of(changed).name
        for concerned in (name, *(child.metadata.name for child in self._queues.filed("parent", name))):
            self._queue.add(concerned)

    async def reconcile(self, name: str) -> timedelta | None:
        await self._groups.synced.wait()
        await self._queues.synced.wait()
        queue = self._queues.get(Key("", name))
        if queue is None and name in PROVIDED:
            with suppress(AlreadyExists, NotFound):  # made meanwhile; or queues are not served any more
                await self._runtime.api.create(provided(name))
        if queue is None or queue.metadata.deletion_timestamp is not None:
            return None
        parent = self._queues.get(Key("", queue.spec.parent)) if queue.spec.parent else None
        wanted = step(queue, self._tally.of(name), parent)
        version = queue.metadata.resource_version
        with suppress(NotFound):
            if wanted.patch is not None:  # the change that this makes brings the queue back
                metadata = {**wanted.patch.get("metadata", {}), "resourceVersion": version}
                await self._runtime.api.patch(QUEUE, queue.metadata.key, {**wanted.patch, "metadata": metadata})
                return None
            difference = merge_difference(msgspec.to_builtins(queue.status), msgspec.to_builtins(wanted.status))
            if difference:
                await self._runtime.api.set_status(QUEUE, queue.metadata.key, difference, resource_version=version)
            if wanted.event is not None:
                self._runtime.record(COMPONENT, queue, QUEUE, wanted.event.reason, wanted.event.message)
        return None


class KubeBatchQueues:
    """Those of kube-batch."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._queue = runtime.queue(KUBE_BATCH_NAME)
        self._queues, self._groups = runtime.store(typed(kube_batch.Queue)), runtime.store(untyped(KUBE_BATCH_GROUP))
        self._tally = Tally(lambda name: self._queue.add_after(name, BATCH_SECONDS))

    def start(self) -> None:
        self._groups.subscribe(self._tally)
        self._queues.subscribe(_Names(lambda changed: self._queue.add(key_of(changed).name)))
        self._runtime.work(KUBE_BATCH_NAME, self._queue, self.reconcile, 1, self._about)

    def _about(self, name: str) -> About | None:
        queue = self._queues.get(Key("", name))
        return None if queue is None else (queue, KUBE_BATCH_QUEUE)

    async def reconcile(self, name: str) -> timedelta | None:
        await self._groups.synced.wait()
        queue = self._queues.get(Key("", name))
        if queue is None:
            return None
        wanted = kube_batch_status(queue, self._tally.of(name))
        difference = merge_difference(msgspec.to_builtins(queue.status), msgspec.to_builtins(wanted))
        if difference:
            with suppress(NotFound):
                await self._runtime.api.set_status(KUBE_BATCH_QUEUE, queue.metadata.key, difference)
        return None


CONTROLLER = Service(NAME, lambda runtime: Queues(runtime).start())
KUBE_BATCH = Service(KUBE_BATCH_NAME, lambda runtime: KubeBatchQueues(runtime).start())
