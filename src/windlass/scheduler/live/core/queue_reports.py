"""The status of queues: what their jobs have, and what is reserved for one that waits; only what is new is written.

A reservation is written twice: in `status.reservation` as Volcano has it, and as an annotation, from which a scheduler
that starts again knows for whom and until when.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from windlass.kube.applier import merge_difference
from windlass.kube.json import Object as Json
from windlass.kube.json import dig_object
from windlass.kube.kind import Kind
from windlass.kube.quantity import BINARY_SI, Quantity
from windlass.scheduler.framework.reservation import Reservation
from windlass.scheduler.live.core.effects import ReportQueue, Turn
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.columns import Vector, named
from windlass.scheduler.model.jobs import Queue
from windlass.scheduler.model.queues import VOLCANO, Queues
from windlass.scheduler.reservations.persistence import RESERVED, written

BATCH_SECONDS = 0.5
"""In which changes of a queue gather."""


@dataclass(frozen=True, slots=True)
class QueueReport:
    """What is to be written of a queue now."""

    kind: Kind
    name: str
    status: Json
    """What of its status has to change; empty: nothing."""
    annotation: str | None
    """The reservation as an annotation; None: there shall be none."""
    is_annotated: bool
    """The annotation is as it should be already."""


class QueueReports:
    def __init__(self, cluster: Cluster, queues: Queues) -> None:
        self._cluster, self._queues = cluster, queues
        self._reported: dict[str, tuple[bytes, bytes, str]] = {}
        self._reservations: dict[str, Reservation] = {}
        self._texts: dict[str, str] = {}

    def cycle_ended(self, turn: Turn, reservations: Iterable[Reservation]) -> bool:
        """What any queue has may have changed; True: other nodes are reserved than before."""
        before = self._texts
        self._reservations = {reservation.job.queue: reservation for reservation in reservations}
        self._texts = {name: written(reservation) for name, reservation in self._reservations.items()}
        for name, queue in self._cluster.queues.items():
            reservation = self._reservations.get(name)
            free = idle(self._cluster, reservation.nodes).tobytes() if reservation is not None else b""
            has = (queue.allocated.tobytes(), free, self._texts.get(name, ""))
            if self._reported.get(name) != has:
                self._reported[name] = has
                turn.emit(ReportQueue(name, BATCH_SECONDS))
        return self._texts != before

    def report(self, name: str) -> QueueReport | None:
        """What is to be written of a queue; None: there is no such object."""
        found, queue = self._queues.object(name), self._cluster.queues.get(name)
        if found is None or queue is None:
            return None
        kind, obj = found
        text = self._texts.get(name)
        status: Json = {}
        if kind == VOLCANO:
            status = status_patch(dig_object(obj, "status"), self._cluster, queue, self._reservations.get(name))
        is_annotated = dig_object(obj, "metadata", "annotations").get(RESERVED) == text
        return QueueReport(kind, name, status, text, is_annotated)


def status_patch(status: Json, cluster: Cluster, queue: Queue, one: Reservation | None) -> Json:
    """What of a queue's status has to change. As Volcano has it, a reservation is nodes and what is free on them."""
    wanted: Json = {"allocated": amounts(queue.allocated)}
    if one is not None and one.nodes:
        wanted["reservation"] = {"nodes": sorted(one.nodes), "resource": amounts(idle(cluster, one.nodes))}
    before: Json = {"allocated": {}} | {key: status[key] for key in ("allocated", "reservation") if key in status}
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
