"""Whole gangs make less important jobs of their queue go: the fewest, and only if the gang then has room as a whole."""

from windlass.scheduler.actions.gang_room import GangRoom
from windlass.scheduler.actions.victims import cheapest_first, of_queue, starving
from windlass.scheduler.batch.order import Turns
from windlass.scheduler.batch.session import Session


def run(session: Session) -> None:
    turns = Turns(session, starving(session))
    for queue, job in turns:
        first = min(job.pending.values(), key=session.task_key)
        candidates = cheapest_first(session, first, of_queue(session, queue, job))
        lawful = session.lawful_victims("preemptable", first, candidates, apart_from="gang") if candidates else []
        if lawful:
            GangRoom(session, queue, job, "preempt", lambda victim: victim.priority).make(lawful)
        turns.again(queue)
