"""Tells queues what their jobs have (`status.allocated`); changes gather, and only what is new is written."""

from contextlib import suppress
from datetime import timedelta

from windlass.kube import errors
from windlass.kube.controller import Runtime
from windlass.kube.json import Object as Json
from windlass.kube.json import dig_object
from windlass.kube.meta import Key
from windlass.kube.quantity import BINARY_SI, Quantity
from windlass.kube.queue import Queue as WorkQueue
from windlass.scheduler.batch.cluster import Cluster
from windlass.scheduler.placing.columns import Vector, named
from windlass.scheduler.queues import VOLCANO, Queues

SOON = 0.5  # seconds in which changes gather


class QueueReporter:
    def __init__(self, runtime: Runtime, cluster: Cluster, queues: Queues) -> None:
        self._runtime, self._cluster, self._queues = runtime, cluster, queues
        self.queue: WorkQueue[str] = runtime.queue("queue_status")
        self._told: dict[str, bytes] = {}

    def look(self) -> None:
        """After a cycle: what any queue has may have changed."""
        for name, queue in self._cluster.queues.items():
            has = queue.allocated.tobytes()
            if self._told.get(name) != has:
                self._told[name] = has
                self.queue.add_after(name, SOON)

    async def step(self, name: str) -> timedelta | None:
        found, queue = self._queues.object(name), self._cluster.queues.get(name)
        if found is None or queue is None or found[0] != VOLCANO:
            return None
        kind, obj = found
        wanted, told = amounts(queue.allocated), dig_object(obj, "status", "allocated")
        if wanted == told:
            return None
        gone = {resource: None for resource in told if resource not in wanted}
        patch: Json = {"status": {"allocated": wanted | gone}}
        with suppress(errors.NotFound):
            await self._runtime.api.patch(kind, Key("", name), patch, subresource="status")
        return None


def amounts(vector: Vector) -> Json:
    """As a list of resources is written."""
    return {name: _shown(name, amount) for name, amount in named(vector).items() if amount > 0}


def _shown(name: str, amount: float) -> str:
    if name == "cpu":
        return str(Quantity.of_milli(round(amount)))
    if name in ("memory", "ephemeral-storage") or name.startswith("hugepages-"):
        return str(Quantity(round(amount) * 10**9, BINARY_SI))
    return str(round(amount))
