"""Whole gangs of queues that have less than they deserve take from queues that have more, as far as those have."""

from typing import Any

from windlass.scheduler.actions.gang_room import GangRoom, Tried
from windlass.scheduler.actions.victims import of_other_queues, starving
from windlass.scheduler.framework.order import Turns
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.jobs import Job, Queue


def run(session: Session) -> None:
    turns, tried = Turns(session, starving(session)), Tried(session)
    for queue, job in turns:
        if session.is_overused(queue):
            continue
        if tried.is_new(job) and not _reclaim(session, queue, job):
            tried.in_vain(job)
        turns.again(queue)


def _reclaim(session: Session, queue: Queue, job: Job) -> bool:
    first = min(job.pending.values(), key=session.task_key)
    if not session.is_preemptive(queue, first):
        return False
    queues = sorted(session.cluster.queues.values(), key=session.queue_key, reverse=True)
    fairness = {one.name: number for number, one in enumerate(queues)}

    def cost(victim: Job) -> tuple[Any, ...]:
        return *session.victim_key(first, next(iter(victim.tasks.values()))), fairness[victim.queue]

    return GangRoom(session, queue, job, "reclaim", cost).make(of_other_queues(session, queue))
