"""Task by task, as Volcano does it: queues that have less than they deserve take from those that may be taken from.

Nothing happens unless the job then has all that it needs.
"""

from windlass.scheduler.actions.making_room import Room, by_node
from windlass.scheduler.actions.victims import RUNNING, of_other_queues, starving, tasks_of
from windlass.scheduler.framework import wait_reasons
from windlass.scheduler.framework.order import Turns, turn_of
from windlass.scheduler.framework.session import Session
from windlass.scheduler.framework.statement import Statement
from windlass.scheduler.model.jobs import Job, Queue


def run(session: Session) -> None:
    turns = Turns(session, starving(session))
    for queue, job in turns:
        if session.is_overused(queue):
            continue
        _reclaim(session, queue, job)
        turns.again(queue)


def _reclaim(session: Session, queue: Queue, job: Job) -> None:
    tasks = sorted(job.pending.values(), key=session.task_key)
    if not session.is_preemptive(queue, tasks[0]):
        return
    there = by_node(tasks_of(session, job, of_other_queues(session, queue), RUNNING))
    if not there:
        return
    with turn_of(session, job):
        statement = Statement(session)
        room = Room(session, queue, statement, "reclaim", session.reclaimable, there)
        for task in tasks:
            if not session.is_starving(job):
                break
            if session.is_preemptive(queue, task):
                room.make(task)
        if statement.evictions and session.is_pipelined(job):
            statement.commit()
            wait_reasons.unplaceable(session, queue, job, [], barred=False)
        else:
            statement.discard()
