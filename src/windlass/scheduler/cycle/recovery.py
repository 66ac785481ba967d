"""Broken gangs that block each other: one of them is given up whole, so that another is whole again.

A gang that has lost members and cannot replace them keeps what it still has; nothing is taken from it while it is the
only one. Pure: the time is given.
"""

from collections.abc import Sequence

from windlass.scheduler.actions.attempt import Attempt
from windlass.scheduler.framework.order import turn_of
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.jobs import ALLOCATED, Job
from windlass.scheduler.model.parsing import waits_since

RETRY_SECONDS = 5.0  # seconds
AT_ONCE = 8  # gangs that are thought about together


class Recovery:
    """Remembers since when gangs are broken. `patience` is the time that they may be."""

    def __init__(self, timeouts: float) -> None:
        self._patience = timeouts
        self._since: dict[str, float] = {}
        self._next_look = 0.0

    def take_over(self, before: "Recovery") -> None:
        self._since.update(before._since)

    def recall(self, job: Job) -> None:
        """The gang was broken before this process started: since its pods were first marked unschedulable."""
        times = [at for task in job.pending.values() if (at := waits_since(task.pod.pod))]
        if times:
            self._since[job.uid] = min(times)

    def decide(self, session: Session) -> None:
        """To be called when a cycle has placed what it could."""
        broken = session.cluster.broken
        if not broken and not self._since:
            return
        now = session.now
        waiting = {uid: job for uid, job in broken.items() if job.is_broken and job.pending and job.is_admitted}
        self._since = {uid: self._since.get(uid, now) for uid in waiting}
        if now < self._next_look:
            return
        long = [job for uid, job in waiting.items() if now - self._since[uid] >= self._patience]
        if len(long) >= 2:
            self._next_look = now + RETRY_SECONDS
            lowest_first = sorted(long, key=lambda job: (job.priority, -job.created, job.uid))
            self._release(session, lowest_first[:AT_ONCE])

    def _release(self, session: Session, gangs: Sequence[Job]) -> None:
        """The lowest whose going helps another; if none alone does, as many of the lowest as it takes."""
        for job in gangs[:-1]:
            if self._try(session, [job], gangs):
                return
        for number in range(2, len(gangs)):
            if self._try(session, gangs[:number], gangs):
                return

    def _try(self, session: Session, leaving: Sequence[Job], gangs: Sequence[Job]) -> bool:
        evictions = session.statement()
        for job in leaving:
            for task in [task for task in job.tasks.values() if task.status in ALLOCATED]:
                evictions.evict(task, "release", None)
        staying = (job for job in reversed(gangs) if not any(job is other for other in leaving))
        if not any(_has_room(session, job) for job in staying):
            evictions.discard()
            return False
        evictions.commit()
        for job in leaving:
            session.cluster.unhold(job)
        session.decisions.released += leaving
        return True


def _has_room(session: Session, job: Job) -> bool:
    """Whether a gang is whole once those that are ending have ended; if so the room is kept for it."""
    queue = session.cluster.queue_of(job)
    if queue is None or not queue.is_open or session.why_invalid(job) is not None:
        return False
    with turn_of(session, job):
        attempt = Attempt(session, queue, job)
        if not attempt.place():
            attempt.statement.discard()
            return False
        for task, node in attempt.statement.places:
            session.nominate(task, node)
        session.keep(attempt.statement)
        return True
