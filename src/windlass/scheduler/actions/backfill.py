"""Pods that ask for nothing, of jobs that are complete, go wherever there is a place for a pod."""

from windlass.scheduler.batch.order import Turns
from windlass.scheduler.batch.session import Session
from windlass.scheduler.batch.statement import Statement


def run(session: Session) -> None:
    waiting = (job for job in session.cluster.waiting.values() if job.is_admitted and session.is_ready(job))
    turns = Turns(session, waiting)
    for queue, job in turns:
        tasks = sorted((task for task in job.pending.values() if task.best_effort), key=session.task_key)
        statement = Statement(session)
        by_uid = {task.uid: task for task in tasks}
        for task in tasks if queue.is_open else ():
            session.placer.fill(
                [task.pod],
                lambda pod, node: statement.allocate(by_uid[pod.uid], node),  # noqa: B023 - called at once
                within=session.mask(task),
                extra=session.score(task),
            )
        statement.commit()
        turns.again(queue)
