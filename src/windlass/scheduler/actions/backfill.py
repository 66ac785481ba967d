"""Pods that ask for nothing, of jobs that are complete, go wherever there is a place for a pod."""

from windlass.scheduler.framework.order import Turns
from windlass.scheduler.framework.session import Session
from windlass.scheduler.framework.statement import Statement
from windlass.scheduler.model.jobs import Task


def run(session: Session) -> None:
    waiting = (job for job in session.cluster.waiting.values() if job.is_admitted and session.is_ready(job))
    turns = Turns(session, waiting)
    for queue, job in turns:
        statement = Statement(session)
        tasks = sorted((task for task in job.pending.values() if task.best_effort), key=session.task_key)
        for task in tasks if queue.is_open else ():
            _place(session, statement, task)
        statement.commit()
        turns.again(queue)


def _place(session: Session, statement: Statement, task: Task) -> None:
    nodes = session.placer.fill([task.pod], within=session.mask(task), extra=session.score(task))
    statement.allocate([task][: len(nodes)], nodes)
