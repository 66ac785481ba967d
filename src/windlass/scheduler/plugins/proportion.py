"""`proportion`: queues share the cluster by their weights; what one does not ask for is lent to the others.

So is, where nodes are kept for gangs that wait, what one asks for and cannot use: a gang that finds no place for hours
would else leave idle what its queue deserves. Its nodes are kept for it all the same.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from windlass.scheduler.framework import admission
from windlass.scheduler.framework.extension_points import Due, Vote
from windlass.scheduler.framework.plugin import Plugin
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.columns import (
    TOLERANCE,
    WIDTH,
    Vector,
    fits,
    fits_where_asked,
    inverse,
    share,
    short,
)
from windlass.scheduler.model.jobs import Job, Queue, Task


class Proportion(Plugin):
    NAME = "proportion"

    def open(self, session: Session) -> None:
        self._session = session
        queues = list(session.cluster.queues.values())
        self._real = real_capabilities(queues, session.total)
        self._deserved = deserved(queues, self._real, session.total)
        self._limits = self._deserved
        if session.cluster.unplaceable:
            of_no_use = asked_in_vain(session.cluster)
            self._limits = with_what_is_lent(queues, self._deserved, self._real, session.total, of_no_use)
        self._parts = {name: inverse(fair) for name, fair in self._deserved.items()}
        self._inqueue = {queue.name: queue.inqueue.copy() for queue in queues}

    def due(self, queue: Queue) -> Due | None:
        fair = self._deserved.get(queue.name)
        if fair is None:
            return None
        return Due(fair, self._real[queue.name], share(queue.allocated, self._parts[queue.name]))

    def deserved(self, queue: Queue) -> Vector:
        return self._deserved[queue.name]

    def queue_order(self, queue: Queue) -> tuple[int, float]:
        return -queue.priority, round(share(queue.allocated, self._parts[queue.name]), 6)

    def overused(self, queue: Queue) -> bool:
        """It has all that it may have, of everything that it deserves any of."""
        fair = self._limits[queue.name]
        there = fair > 0
        return bool(there.any() and (fair <= queue.allocated + TOLERANCE)[there].all())

    def allocatable(self, queue: Queue, request: Vector, wanted: int) -> int:
        return _room(queue, self._limits[queue.name], request, wanted)

    def within_limits(self, queue: Queue, request: Vector, wanted: int) -> int:
        return _room(queue, self._real[queue.name], request, wanted)

    def job_enqueueable(self, job: Job) -> Vote:
        queue = self._session.cluster.queue_of(job)
        if queue is None or job.min_resources is None:
            return Vote.PERMIT
        asked, real = job.unallocated, self._real[queue.name]
        limit = real + admission.lawful_victims(self._session, job)
        taken = queue.allocated + self._inqueue[queue.name] - queue.elastic
        lacking = short(taken + asked, asked, limit)
        if not lacking:
            return Vote.PERMIT
        admission.report_shortage(self._session, job, queue.name, lacking, asked, real, limit - taken)
        return Vote.REJECT

    def job_enqueued(self, job: Job) -> None:
        if job.queue in self._inqueue:
            self._inqueue[job.queue] = self._inqueue[job.queue] + job.unallocated

    def preemptive(self, queue: Queue, task: Task) -> bool:
        """It may take from others what it then still deserves."""
        wanted = queue.allocated + task.request
        return fits_where_asked(wanted, task.request, self._deserved[queue.name])

    def reclaimable(self, reclaimer: Task, candidates: Sequence[Task]) -> Sequence[Task]:
        """Tasks of queues that have more than they deserve, as long as they have."""
        left: dict[str, Vector] = {}
        found: list[Task] = []
        for task in candidates:
            queue = self._session.cluster.queue_of(task.job)
            if queue is None:
                continue
            has = left.setdefault(queue.name, queue.allocated.copy())
            fair = self._deserved[queue.name]
            asked = task.request > 0
            if (has > fair + TOLERANCE)[asked].any() and fits(queue.guarantee, has - task.request):
                has -= task.request
                found.append(task)
        return found


def _room(queue: Queue, limit: Vector, request: Vector, wanted: int) -> int:
    """How many of `wanted` such pods it may have more."""
    asked = request > 0
    left = limit[asked] - queue.allocated[asked] + TOLERANCE
    return max(0, int(min(wanted, np.floor(left / request[asked]).min())))


def real_capabilities(queues: Sequence[Queue], total: Vector) -> dict[str, Vector]:
    """What each may have at most: its capability, and what is not guaranteed to others."""
    guaranteed = sum((queue.guarantee for queue in queues), np.zeros(WIDTH))
    return {queue.name: np.minimum(queue.capability, total - guaranteed + queue.guarantee) for queue in queues}


def deserved(queues: Sequence[Queue], real: dict[str, Vector], total: Vector) -> dict[str, Vector]:
    """Filled like vessels: each unmet queue gets its part of what remains, up to what it may have and asks for."""
    found = {queue.name: np.zeros(WIDTH) for queue in queues}
    remaining, unmet = total.copy(), list(queues)
    # Water-filling. In each round what remains is poured out by weight over the queues that want more; one that is
    # full (it has what it asks for, or all that it may have) leaves, and the next round shares what it left.
    # At this point `remaining` plus the sum of `found` is the total, and no queue has more than it asks for, apart
    # from its guarantee. Example, 12 cpus, weights 1 and 2, asked 10 and 4: the first round gives 4 and 4 (of 8), the
    # second gives the remaining 4 to the first queue: 8 and 4.
    while unmet and remaining.any():
        weights = sum(queue.weight for queue in unmet)
        before = remaining.copy()
        still: list[Queue] = []
        for queue in unmet:
            old = found[queue.name]
            new = np.minimum(old + before * (queue.weight / weights), real[queue.name])
            new = np.maximum(np.minimum(new, queue.requested), queue.guarantee)
            found[queue.name] = new
            remaining = remaining - (new - old)
            is_met = fits(queue.requested, new) or not (new > old + TOLERANCE).any()
            if not is_met:
                still.append(queue)
        remaining = np.maximum(remaining, 0)
        if len(still) == len(unmet) and np.allclose(remaining, before, atol=TOLERANCE):
            break
        unmet = still
    return found


def asked_in_vain(cluster: Cluster) -> dict[str, Vector]:
    """By queue, what jobs ask for that have found no place for long."""
    found: dict[str, Vector] = {}
    for uid in cluster.unplaceable:
        job = cluster.waiting.get(uid)
        if job is not None:
            found[job.queue] = found.get(job.queue, np.zeros(WIDTH)) + (job.requested - job.allocated)
    return found


def with_what_is_lent(
    queues: Sequence[Queue],
    fair: Mapping[str, Vector],
    real: Mapping[str, Vector],
    total: Vector,
    of_no_use: Mapping[str, Vector],
) -> dict[str, Vector]:
    """What each may have now: what it deserves, or all that the others have no use for yet, up to what it ever may."""
    useful: dict[str, Vector] = {}
    for queue in queues:
        asked = queue.requested - of_no_use.get(queue.name, np.zeros(WIDTH))
        useful[queue.name] = np.minimum(asked, np.maximum(fair[queue.name], queue.allocated))
    left = total - sum(useful.values(), np.zeros(WIDTH))
    return {name: np.maximum(fair[name], np.minimum(real[name], left + mine)) for name, mine in useful.items()}
