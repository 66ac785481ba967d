"""Whole gangs of queues that have less than they deserve take from queues that have more, as far as those have."""

from typing import Any

from windlass.scheduler.actions.gang_room import GangRoom
from windlass.scheduler.actions.victims import BOUND, cheapest_first, of_other_queues, starving
from windlass.scheduler.batch.model import Job, Queue
from windlass.scheduler.batch.order import Turns
from windlass.scheduler.batch.session import Session


def run(session: Session) -> None:
    turns = Turns(session, starving(session))
    for queue, job in turns:
        if session.is_overused(queue):
            continue
        _reclaim(session, queue, job)
        turns.again(queue)


def _reclaim(session: Session, queue: Queue, job: Job) -> None:
    first = min(job.pending.values(), key=session.task_key)
    if not session.is_preemptive(queue, first):
        return
    candidates = cheapest_first(session, first, of_other_queues(session, queue, job, BOUND))
    lawful = session.lawful_victims("reclaimable", first, candidates, apart_from="gang") if candidates else []
    if not lawful:
        return
    queues = sorted(session.cluster.queues.values(), key=session.queue_key, reverse=True)
    fairness = {one.name: number for number, one in enumerate(queues)}

    def cost(victim: Job) -> tuple[Any, ...]:
        return *session.victim_key(first, next(iter(victim.tasks.values()))), fairness[victim.queue]

    GangRoom(session, queue, job, "reclaim", cost).make(lawful)
