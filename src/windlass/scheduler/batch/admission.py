"""What counts as room for a job that asks to be let in, and how it is told what it lacks."""

from collections.abc import Iterable

import numpy as np

from windlass.scheduler.batch.model import Job, Queue
from windlass.scheduler.batch.session import Session
from windlass.scheduler.placing.columns import WIDTH, Vector, column

PREEMPTING = frozenset(("preempt", "gangpreempt"))
RECLAIMING = frozenset(("reclaim", "gangreclaim"))


def lawful_victims(session: Session, job: Job) -> Vector:
    """What the job may make others give up: the less important of its queue, and what other queues have too much of.

    Without this a full cluster would never let in the gang that is to preempt.
    """
    queue = session.cluster.queue_of(job)
    if job.preemption_policy == "Never" or queue is None:
        return np.zeros(WIDTH)
    key = queue.name, job.priority
    found = session.may_be_freed.get(key)
    if found is None:
        found = session.may_be_freed[key] = _look(session, queue, job.priority)
    return found


def _look(session: Session, queue: Queue, priority: int) -> Vector:
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


def amounts(names: Iterable[str], asked: Vector, free: Vector) -> str:
    """`nvidia.com/gpu: 4 asked, 1 free`."""
    told: list[str] = []
    for name in names:
        number = column(name)
        unit = "m" if name == "cpu" else ""
        told.append(f"{name}: {asked[number]:.0f}{unit} asked, {max(free[number], 0):.0f}{unit} free")
    return ", ".join(told)
