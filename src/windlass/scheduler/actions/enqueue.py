"""Admits jobs whose minimum fits, or will fit: only then are their pods created."""

import numpy as np

from windlass.apis.reasons import GangNotAdmitted, NotAllowed, without_amounts
from windlass.scheduler.framework import admission
from windlass.scheduler.framework.decisions import Trouble
from windlass.scheduler.framework.extension_points import JobEnqueueable, Vote
from windlass.scheduler.framework.order import Turns
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.columns import fits
from windlass.scheduler.model.jobs import Job, Queue

OF_ROOM = frozenset(("overcommit", "proportion", "capacity"))
"""Plugins that refuse for want of room."""


CLAIMS = frozenset(("overcommit", "proportion"))
"""Those of them that count the claims of all admitted jobs, whether these can start or not, and nothing else."""


def run(session: Session) -> None:
    turns = Turns(session, (job for job in session.cluster.waiting.values() if not job.is_admitted))
    idle: admission.Idle | None = None
    for queue, job in turns:
        if not queue.is_open:
            continue
        if job.min_resources is None or session.is_enqueueable(job):
            admit(session, job)
            turns.again(queue)
            continue
        if idle is None and session.conf.reservation:
            idle = admission.Idle(session)
        if idle is not None and idle.has_room_for(job) and _is_admitted_by_others(session, job, CLAIMS):
            idle.claim(job)
            admit(session, job)
        elif _has_waited_enough(session, queue, job):
            session.cluster.let_in_by_age[queue.name] = job.uid
            admit(session, job)
        else:
            session.trouble(job, refused(session, job))
        turns.again(queue)


def _is_admitted_by_others(session: Session, job: Job, than: frozenset[str]) -> bool:
    others = session.plugins.asked_but(JobEnqueueable, than)
    return all(plugin.job_enqueueable(job) is not Vote.REJECT for plugin in others)


def _has_waited_enough(session: Session, queue: Queue, job: Job) -> bool:
    """Admit a large job although it does not fit: else it never has a reservation, and small ones pass it by.

    One of each queue at a time, and only where the room could be its own one day.
    """
    cluster, asked = session.cluster, job.min_resources
    if not session.conf.reservation or asked is None or session.now - job.created < session.conf.timeouts.starvation:
        return False
    other = cluster.waiting.get(cluster.let_in_by_age.get(queue.name, ""))
    if other is not None and other.is_admitted and not session.is_ready(other):
        return False
    if not fits(asked, np.minimum(session.total, queue.capability)):
        return False
    return _is_admitted_by_others(session, job, OF_ROOM)


def admit(session: Session, job: Job) -> None:
    session.cluster.admit(job, session.now)
    session.enqueued(job)
    session.decisions.admitted.append(job)


def refused(session: Session, job: Job) -> Trouble:
    """Why the job is not admitted, and the pods that it has all the same wait."""
    causes = {without_amounts(cause): cause for cause in session.refusals(job)}  # one of those that are alike
    reason = GangNotAdmitted(tuple(causes.values()) or (NotAllowed(),), len(job.tasks), job.min_member)
    return Trouble(reason, dict.fromkeys(job.tasks, reason))
