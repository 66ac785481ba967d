"""Whole gangs make less important jobs of their queue go: the fewest, and only if the gang then has room as a whole."""

from windlass.scheduler.actions.gang_room import GangRoom, Tried
from windlass.scheduler.actions.victims import LessImportant, starving
from windlass.scheduler.framework.order import Turns
from windlass.scheduler.framework.session import Session


def run(session: Session) -> None:
    turns, tried = Turns(session, starving(session)), Tried(session)
    less_important = LessImportant(session)
    for queue, job in turns:
        jobs = less_important.than(queue, job)
        if jobs and tried.is_new(job):
            room = GangRoom(session, queue, job, "preempt", lambda victim: victim.priority)
            if not room.make(jobs):
                tried.in_vain(job)
        turns.again(queue)
