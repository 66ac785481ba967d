"""Gives nodes to admitted jobs, each whole or not at all; queues and jobs take turns by their orders.

A job that is complete may have more tasks than it needs: those come one at a time, after its turn comes again, so that
gangs that are not complete yet go first.
"""

from collections.abc import Iterator

from windlass.scheduler.actions.attempt import Attempt
from windlass.scheduler.actions.enqueue import admit
from windlass.scheduler.framework import holds, wait_reasons
from windlass.scheduler.framework.order import Turns
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.jobs import READY, Job, Queue, Status

_UNGATED = READY | {Status.PENDING, Status.PIPELINED}


def run(session: Session) -> None:
    turns = Turns(session, (job for job in _admitted(session) if job.pending))
    for queue, job in turns:
        if not queue.is_open or session.is_overused(queue):
            for waiting in (job, *turns.empty(queue)):
                if not _whole_again(session, queue, waiting):
                    wait_reasons.queue_has_enough(session, queue, waiting)
            continue
        invalid = session.why_invalid(job)
        if invalid is not None:
            wait_reasons.invalid(session, job, invalid)
        elif _is_gated(job):
            wait_reasons.gated(session, job)
        elif allocate(session, queue, job):
            if job.pending:
                turns.put(job)
        elif queue.fifo or session.conf.strict:
            turns.empty(queue)
        turns.again(queue)
    for job in session.cluster.gated.values():
        if session.why_invalid(job) is None and _is_gated(job):
            wait_reasons.gated(session, job)


def _admitted(session: Session) -> Iterator[Job]:
    """Admitted jobs; all jobs, where no action admits them."""
    waiting = session.cluster.waiting.values()
    if "enqueue" not in session.conf.actions:
        for job in waiting:
            if not job.is_admitted:
                admit(session, job)
    return (job for job in waiting if job.is_admitted)


def _is_gated(job: Job) -> bool:
    """It cannot be complete before scheduling gates of its pods are lifted."""
    return job.counts[Status.GATED] > 0 and not job.has_enough(_UNGATED)


def _whole_again(session: Session, queue: Queue, job: Job) -> bool:
    """A gang that lost members may have as many again: their places count for its queue while they are kept."""
    is_missing = job.is_broken or holds.kept_for(session.cluster, job)
    if not queue.is_open or not is_missing or session.why_invalid(job) is not None:
        return False
    return allocate(session, queue, job)


def allocate(session: Session, queue: Queue, job: Job) -> bool:
    """Place what the job needs now; False if it cannot be."""
    cluster = session.cluster
    first = cluster.preemptions.must_wait_for(job, cluster.jobs)
    if first is not None:
        wait_reasons.goes_later(session, job, first)
        return False
    cluster.preemptions.lift(job)
    holds.lift(cluster, job)
    try:
        return _where_room_was_made(session, queue, job) or _anywhere(session, queue, job)
    finally:
        cluster.preemptions.restore(cluster.jobs)
        holds.restore(cluster)


def _where_room_was_made(session: Session, queue: Queue, job: Job) -> bool:
    """On the nodes that others left for it, if they have."""
    nodes, table = session.cluster.preemptions.nodes_of(job), session.cluster.snapshot.table
    rows = [table.index[node] for node in nodes if node in table.index]
    if not rows or table.releasing[:, rows].any():
        return False
    attempt = Attempt(session, queue, job, within=session.mask_of_nodes(nodes))
    if attempt.place() and session.is_ready(job):
        _commit(session, attempt)
        return True
    attempt.statement.discard()
    return False


def _commit(session: Session, attempt: Attempt) -> None:
    attempt.statement.commit()
    if attempt.hyper_node:
        session.decisions.hyper_nodes[attempt.job.uid] = attempt.hyper_node


def _anywhere(session: Session, queue: Queue, job: Job) -> bool:
    attempt = Attempt(session, queue, job)
    if not attempt.place():
        attempt.explain_failure()
        attempt.statement.discard()
        if session.reservations is not None:
            session.reservations.failed(queue, job, barred=attempt.lacks_share)
        return False
    if session.is_ready(job):
        _commit(session, attempt)
        return True
    session.keep(attempt.statement)  # it waits for pods that end: nobody else may count on their room
    attempt.explain_failure()
    return False
