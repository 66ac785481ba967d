"""What counts as room for a job that waits to be admitted, and the messages about what it lacks."""

from collections.abc import Callable, Iterable
from math import ceil, floor
from typing import TypeAlias

import numpy as np

from windlass.apis.reasons import ClusterInsufficient, Overcommit, QueueInsufficient, Shortage
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.columns import TOLERANCE, WIDTH, Vector, column, fits_where_asked
from windlass.scheduler.model.jobs import Job, Queue

PREEMPTING = frozenset(("preempt", "gangpreempt"))
RECLAIMING = frozenset(("reclaim", "gangreclaim"))
BYTES = ("memory", "ephemeral-storage", "hugepages-")
UNITS = ("", "Ki", "Mi", "Gi", "Ti", "Pi")
Counted: TypeAlias = Callable[[str], Overcommit | None]


def lawful_victims(session: Session, job: Job) -> Vector:
    """What others may have to give up for the job: less important ones of its queue, and queues that have too much.

    Without this a full cluster would never admit the gang that is to preempt.
    """
    queue = session.cluster.queue_of(job)
    if job.preemption_policy == "Never" or queue is None:
        return np.zeros(WIDTH)
    key = queue.name, job.priority
    found = session.may_be_freed.get(key)
    if found is None:
        found = session.may_be_freed[key] = _may_be_freed(session, queue, job.priority)
    return found


def _may_be_freed(session: Session, queue: Queue, priority: int) -> Vector:
    room = np.zeros(WIDTH)
    actions = frozenset(session.conf.actions)
    if actions & PREEMPTING:
        for other in queue.jobs.values():
            if other.priority < priority:
                room += other.allocated
    if actions & RECLAIMING:
        for another in session.cluster.queues.values():
            if another is not queue and another.reclaimable:
                deserved = another.deserved if another.deserved is not None else np.zeros(WIDTH)
                room += np.maximum(another.allocated - np.maximum(deserved, another.guarantee), 0)
    return room


class Idle:
    """What is idle, for jobs that are admitted, or might be, and could start at once.

    Who waits for more than is idle, or may have no more, claims nothing of it: he must not keep others out for hours.
    """

    def __init__(self, session: Session) -> None:
        cluster = session.cluster
        self._room = session.total - cluster.snapshot.table.used.sum(axis=1)
        queues = (queue for queue in cluster.queues.values() if not session.is_overused(queue))
        self._left = {queue.name: _left(session, queue) for queue in queues}
        self._claimed = np.zeros(WIDTH)
        for job in cluster.waiting.values():
            waits = job.is_admitted and job.uid not in cluster.reserved and not session.is_ready(job)
            if waits and self._could(job) and _may_have_all(session, job):
                self.claim(job)

    def _could(self, job: Job) -> bool:
        asked, left = job.unallocated, self._left.get(job.queue)
        return left is not None and fits_where_asked(asked, asked, np.minimum(left, self._room))

    def has_room_for(self, job: Job) -> bool:
        asked = job.unallocated
        return self._could(job) and fits_where_asked(self._claimed + asked, asked, self._room)

    def claim(self, job: Job) -> None:
        self._claimed += job.unallocated
        self._left[job.queue] = self._left[job.queue] - job.unallocated


def _may_have_all(session: Session, job: Job) -> bool:
    """Its queue may have all that it lacks, by what all have now."""
    queue, asked = session.cluster.queue_of(job), job.unallocated
    return queue is None or not asked.any() or session.allocatable(queue, asked) > 0


def _left(session: Session, queue: Queue) -> Vector:
    """What the queue may have beside what it has."""
    due = session.plugins.due(queue)
    return (due.most if due is not None else session.total) - queue.allocated


def report_shortage(
    session: Session, job: Job, queue: str, lacking: Iterable[str], asked: Vector, real: Vector, free: Vector
) -> None:
    """Of what the queue has `free` there is too little. It is the queue that is short only where it may have less than
    all: else the cluster is.
    """
    names = list(lacking)
    limited = [name for name in names if real[column(name)] < session.total[column(name)] - TOLERANCE]
    others = [name for name in names if name not in limited]
    if limited:
        session.refuse(job, QueueInsufficient(queue, shortages(limited, asked, free)))
    if others:
        cluster_is_short(session, job, others, asked, free)


def cluster_is_short(
    session: Session,
    job: Job,
    lacking: Iterable[str],
    asked: Vector,
    free: Vector,
    counted: Counted = lambda name: None,
) -> None:
    """`counted` says of a resource how `free` was counted, where it is not just what nobody uses."""
    session.refuse(job, ClusterInsufficient(shortages(lacking, asked, free, counted)))


def shortages(
    names: Iterable[str], asked: Vector, free: Vector, counted: Counted = lambda name: None
) -> tuple[Shortage, ...]:
    """What is asked and free of each resource."""
    found: list[Shortage] = []
    for name in names:
        number = column(name)
        there = max(float(free[number]), 0.0)
        wanted, left = written(name, float(asked[number]), ceil), written(name, there, floor)
        found.append(Shortage(name, wanted, left, counted(name)))
    return tuple(found)


def written(name: str, amount: float, rounded: Callable[[float], int]) -> str:
    """The amount as a quantity, rounded so that what is asked and what is free never look alike when they differ."""
    if name == "cpu":
        return f"{rounded(amount)}m"
    if not name.startswith(BYTES):
        return f"{rounded(amount)}"
    unit = 0
    while amount >= 1024 and unit < len(UNITS) - 1:
        amount, unit = amount / 1024, unit + 1
    return f"{rounded(amount * 10) / 10:g}{UNITS[unit]}"
