"""Lets jobs in whose minimum there is, or will be, room for: only then are their pods made."""

from windlass.scheduler.batch.decisions import NOT_ENQUEUEABLE, Trouble
from windlass.scheduler.batch.model import Job
from windlass.scheduler.batch.order import Turns
from windlass.scheduler.batch.session import Session


def run(session: Session) -> None:
    turns = Turns(session, (job for job in session.cluster.waiting.values() if not job.is_admitted))
    for queue, job in turns:
        if not queue.is_open:
            continue
        if job.min_resources is None or session.is_enqueueable(job):
            admit(session, job)
        else:
            session.trouble(job, refused(session, job))
        turns.again(queue)


def admit(session: Session, job: Job) -> None:
    session.cluster.admit(job, session.now)
    session.enqueued(job)
    session.decisions.admitted.append(job)


def refused(session: Session, job: Job) -> Trouble:
    """Why it was not let in, of it and of the pods that it has all the same."""
    why = "; ".join(session.refusals(job)) or "it may not be let in"
    message = f"pod group is not ready, {len(job.tasks)} Pending, {job.min_member} minAvailable: {why}"
    return Trouble(NOT_ENQUEUEABLE, why, dict.fromkeys(job.tasks, message))
