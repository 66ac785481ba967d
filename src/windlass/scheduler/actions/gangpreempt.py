"""Whole gangs make less important jobs of their queue go: the fewest, and only if the gang then has room as a whole."""

from windlass.scheduler.actions.gang_room import GangRoom, Tried
from windlass.scheduler.actions.victims import less_important, starving
from windlass.scheduler.batch.order import Turns
from windlass.scheduler.batch.session import Session


def run(session: Session) -> None:
    turns, tried = Turns(session, starving(session)), Tried(session)
    for queue, job in turns:
        jobs = less_important(session, queue, job) if tried.is_new(job) else []
        room = GangRoom(session, queue, job, "preempt", lambda victim: victim.priority)
        if jobs and not room.make(jobs):
            tried.in_vain(job)
        turns.again(queue)
