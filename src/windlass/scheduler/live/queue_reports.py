"""Tells queues what their jobs have and what is kept for one that waits; changes gather, only what is new is written.

What is kept is written twice: in `status.reservation` as Volcano has it, and as an annotation, from which a scheduler
that starts anew knows for whom and until when.
"""

import logging
from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta

import numpy as np

from windlass.kube import errors
from windlass.kube.applier import merge_difference
from windlass.kube.controller import Runtime
from windlass.kube.json import Object as Json
from windlass.kube.json import dig_object
from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.kube.objects import key_of
from windlass.kube.quantity import BINARY_SI, Quantity
from windlass.kube.queue import Queue as WorkQueue
from windlass.scheduler.framework.reservation import Reservation
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.columns import Vector, named
from windlass.scheduler.model.jobs import Queue
from windlass.scheduler.model.queues import VOLCANO, Queues
from windlass.scheduler.reservations.persistence import RESERVED, written

SOON = 0.5  # seconds in which changes gather


log = logging.getLogger(__name__)


class QueueReporter:
    def __init__(self, runtime: Runtime, cluster: Cluster, queues: Queues) -> None:
        self._runtime, self._cluster, self._queues = runtime, cluster, queues
        self.queue: WorkQueue[str] = runtime.queue("queue_status")
        self._told: dict[str, tuple[bytes, bytes, str]] = {}
        self._kept: dict[str, Reservation] = {}
        self._texts: dict[str, str] = {}
        self._may_annotate = True

    def look(self, reservations: Iterable[Reservation]) -> bool:
        """After a cycle: what any queue has may have changed, and what is kept for one of its jobs (answers if so)."""
        before = self._texts
        self._kept = {one.job.queue: one for one in reservations}
        self._texts = {name: written(one) for name, one in self._kept.items()}
        for name, queue in self._cluster.queues.items():
            one = self._kept.get(name)
            free = idle(self._cluster, one.nodes).tobytes() if one is not None else b""
            has = (queue.allocated.tobytes(), free, self._texts.get(name, ""))
            if self._told.get(name) != has:
                self._told[name] = has
                self.queue.add_after(name, SOON)
        return self._texts != before

    async def step(self, name: str) -> timedelta | None:
        found, queue = self._queues.object(name), self._cluster.queues.get(name)
        if found is None or queue is None:
            return None
        kind, obj = found
        one, text = self._kept.get(name), self._texts.get(name)  # both of one cycle: another may come meanwhile
        with suppress(errors.NotFound):
            if kind == VOLCANO:
                difference = status_patch(dig_object(obj, "status"), self._cluster, queue, one)
                if difference:
                    await self._runtime.api.patch(kind, Key("", name), {"status": difference}, subresource="status")
            await self._remember(kind, obj, text)
        return None

    async def _remember(self, kind: Kind, obj: Json, text: str | None) -> None:
        """Where that is not allowed a restart forgets it, and all else goes on."""
        if not self._may_annotate or dig_object(obj, "metadata", "annotations").get(RESERVED) == text:
            return
        try:
            await self._runtime.api.patch(kind, key_of(obj), {"metadata": {"annotations": {RESERVED: text}}})
        except errors.Forbidden as error:
            self._may_annotate = False
            log.warning("what is kept for gangs will not be known after a restart error=%s", error)


def status_patch(told: Json, cluster: Cluster, queue: Queue, one: Reservation | None) -> Json:
    """What of a queue's status has to change. As Volcano has it, a reservation is nodes and what is free on them."""
    wanted: Json = {"allocated": amounts(queue.allocated)}
    if one is not None and one.nodes:
        wanted["reservation"] = {"nodes": sorted(one.nodes), "resource": amounts(idle(cluster, one.nodes))}
    before: Json = {"allocated": {}} | {key: told[key] for key in ("allocated", "reservation") if key in told}
    return merge_difference(before, wanted)


def idle(cluster: Cluster, nodes: Iterable[str]) -> Vector:
    table = cluster.snapshot.table
    rows = [table.index[node] for node in nodes if node in table.index]
    return np.maximum(table.allocatable[:, rows] - table.used[:, rows], 0).sum(axis=1)


def amounts(vector: Vector) -> Json:
    """As a list of resources is written."""
    return {name: _shown(name, amount) for name, amount in named(vector).items() if amount > 0}


def _shown(name: str, amount: float) -> str:
    if name == "cpu":
        return str(Quantity.of_milli(round(amount)))
    if name in ("memory", "ephemeral-storage") or name.startswith("hugepages-"):
        return str(Quantity(round(amount) * 10**9, BINARY_SI))
    return str(round(amount))
