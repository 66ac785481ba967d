"""Task by task, as Volcano does it: starving jobs make tasks of other jobs of their queue go, then of their own.

Nothing happens unless the job then has all that it needs. Jobs with a network topology are left to `gangpreempt`.
"""

from collections.abc import Sequence

from windlass.scheduler.actions.making_room import Room, by_node
from windlass.scheduler.actions.victims import BOUND, LessImportant, is_protected, starving, tasks_of
from windlass.scheduler.framework import wait_reasons
from windlass.scheduler.framework.action_arguments import comparing
from windlass.scheduler.framework.order import turn_of
from windlass.scheduler.framework.session import Session
from windlass.scheduler.framework.statement import Statement
from windlass.scheduler.model.jobs import Job, Queue


def run(session: Session) -> None:
    jobs = sorted((job for job in starving(session) if job.topology is None), key=session.job_key)
    candidates = _candidates(session)
    less_important = LessImportant(session)
    for job in jobs:
        queue = session.cluster.queues[job.queue]
        _from_other_jobs(session, queue, job, less_important.than(queue, job), candidates)
    for job in jobs:
        _from_itself(session, session.cluster.queues[job.queue], job, candidates)


def _candidates(session: Session) -> int | None:
    """How many nodes are compared, if they are."""
    asked = comparing(session.conf.configurations)
    nodes = len(session.cluster.snapshot.nodes)
    wanted = max(nodes * asked.percentage / 100, asked.least)
    return max(1, int(min(wanted, asked.most, max(nodes, 1)))) if asked.is_wanted else None


def _from_other_jobs(session: Session, queue: Queue, job: Job, others: Sequence[Job], candidates: int | None) -> None:
    there = by_node(tasks_of(session, job, others, BOUND))
    if not there:
        return
    with turn_of(session, job):
        statement = Statement(session)
        room = Room(session, queue, statement, "preempt", session.preemptable, there, candidates)
        for task in sorted(job.pending.values(), key=session.task_key):
            if not session.is_starving(job):
                break
            room.make(task)
        if statement.evictions and session.is_pipelined(job):
            statement.commit()
            wait_reasons.unplaceable(session, queue, job, [], barred=False)
        else:
            statement.discard()


def _from_itself(session: Session, queue: Queue, job: Job, candidates: int | None) -> None:
    """More important tasks of a job instead of less important ones."""
    for task in sorted(job.pending.values(), key=session.task_key):
        lower = (one for one in job.tasks.values() if one.status in BOUND and one.priority < task.priority)
        there = by_node(one for one in lower if not is_protected(one))
        statement = Statement(session)
        room = Room(session, queue, statement, "preempt", session.preemptable, there, candidates)
        if not there or not room.make(task) or not statement.evictions:
            statement.discard()
            return
        statement.commit()
