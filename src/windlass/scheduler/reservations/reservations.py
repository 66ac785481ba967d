"""Nodes that are kept for gangs that wait, so that small jobs do not pass them by for ever.

The first gang of each queue that cannot be placed has a reservation: when there will be room for it, by what is known
of the ends of others, and where (`reservation_search`). Those behind it may use these nodes if they end before that
(`reservation_limits`). Where no ends are known the nodes are closed to them when the gang has waited long enough. If it
is the queue's share that lacks, those of the same queue wait behind it in the same manner. It costs nothing while
nothing waits.

Example: a gang wants both nodes, n1 is free and n2 is taken until 12:00. Both are reserved for 12:00. At 11:00 a job of
40 minutes may start on n1, since it ends before that; one of two hours, or of unknown length, may not.
"""

from dataclasses import replace

from windlass.apis.reasons import KeptForOthers
from windlass.scheduler.framework.decisions import Decisions
from windlass.scheduler.framework.reservation import Reservation
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.columns import Mask
from windlass.scheduler.model.jobs import Job, Queue
from windlass.scheduler.model.parsing import waits_since
from windlass.scheduler.reservations.estimates import Estimates
from windlass.scheduler.reservations.reservation_limits import Limits
from windlass.scheduler.reservations.reservation_search import ReservationSearch

MAX_RESERVATIONS = 16  # at a time
AT_ONCE = 4  # that are worked out in one cycle
LENT_AFTER = 1800.0  # seconds in which a job finds no place: others may use what it cannot
REVIEW = 60.0  # seconds after which a search is repeated that found nothing


class Reservations:
    """Kept from cycle to cycle; `open` and `close` are called with each."""

    def __init__(self, cluster: Cluster, estimates: Estimates, starvation: float) -> None:
        self._cluster = cluster
        self.kept: dict[str, Reservation] = {}
        """By queue."""
        self._limits = Limits(cluster, estimates, starvation, self.kept)
        self._search = ReservationSearch(cluster, estimates, self._limits.open_to)
        self._since: dict[str, float] = {}
        self._is_started_again = False
        self._none_until: dict[str, float] = {}
        self._failed: dict[str, str] = {}
        self._unplaceable: dict[str, float] = {}
        """Jobs that found no place in the last cycle, and since when that is so."""
        self._found_none: set[str] = set()
        self._worked_out = 0
        self._session: Session

    def take_over(self, before: "Reservations") -> None:
        """What another configuration has reserved stands, and is computed again when it is due."""
        self._since.update(before._since)
        self._unplaceable.update(before._unplaceable)
        for name, one in before.kept.items():
            self.kept[name] = replace(one, version=-1)

    def started_again(self) -> None:
        """A gang that fails in the first cycle has waited since its pods were first marked unschedulable."""
        self._is_started_again = True

    def restore(self, one: Reservation, now: float) -> None:
        """One that was made before this process was; its nodes count until it is due, if they are still there."""
        table = self._cluster.snapshot.table
        whole = all(node in table.index for node in one.nodes)
        one.version, one.review = table.version if whole else -1, now + REVIEW
        self._since[one.job.uid] = one.since
        self.kept[one.job.queue] = one

    def open(self, session: Session) -> None:
        self._session = session
        self._failed.clear()
        self._found_none.clear()
        self._worked_out = 0
        for name, one in list(self.kept.items()):
            job = self._cluster.waiting.get(one.job.uid)
            if job is None or name not in self._cluster.queues or job.queue != name or session.is_ready(job):
                del self.kept[name]
            else:
                one.job = job
        self._limits.open(session)
        self._search.open(session)

    def close(self, decisions: Decisions) -> None:
        """Only who was tried in the cycle, and was the first to fail, keeps a reservation."""
        for name, one in list(self.kept.items()):
            if self._failed.get(name) != one.job.uid:
                del self.kept[name]
        decisions.reservations.update((one.job.uid, one) for one in self.kept.values())
        self._count_shares(decisions)
        self._update_cluster({one.job.uid for one in self.kept.values()})
        self._search.ends.note(decisions.commits, self._session.now)
        self._is_started_again = False
        if len(self._since) > 4 * MAX_RESERVATIONS:
            waiting = self._cluster.waiting
            self._since = {uid: at for uid, at in self._since.items() if uid in waiting}
            self._none_until = {uid: at for uid, at in self._none_until.items() if uid in waiting}

    def _count_shares(self, decisions: Decisions) -> None:
        """What was started behind a gang and does not end before counts for the queue's share then."""
        if not any(one.share is not None for one in self.kept.values()):
            return
        for commit in decisions.commits:
            one = self.kept.get(commit.job.queue)
            if one is not None and one.share is not None and not self._limits.ends_before(commit.job, one):
                one.share = one.share + sum(task.request for task in commit.tasks)

    def _update_cluster(self, reserved: set[str]) -> None:
        """Who has a reservation does not hold others back at the door as well, nor who finds no place for long."""
        cluster, now = self._cluster, self._session.now
        self._unplaceable = {uid: self._unplaceable.get(uid, now) for uid in self._found_none}
        cluster.unplaceable = {uid for uid, since in self._unplaceable.items() if now - since >= LENT_AFTER}
        for uid in reserved ^ cluster.reserved:
            if uid in cluster.jobs:
                cluster.changed(cluster.jobs[uid])
        cluster.reserved = reserved

    # --- who may use what

    def open_to(self, job: Job) -> Mask | None:
        """The nodes that the job may use; None: all."""
        return self._limits.open_to(job)

    def why(self, job: Job) -> KeptForOthers | None:
        """For whom nodes are kept that the job may not use."""
        return self._limits.why(job)

    # --- who has one

    def failed(self, queue: Queue, job: Job, *, barred: bool) -> None:
        """A job could not be placed; `barred`: for want of its queue's share. The first one of each queue counts."""
        self._found_none.add(job.uid)
        if queue.name in self._failed or self._session.is_ready(job):
            return
        self._failed[queue.name] = job.uid
        known, now = self.kept.get(queue.name), self._session.now
        if known is not None and known.job is job and not self._may_work_out(known, barred=barred):
            return
        self.kept.pop(queue.name, None)
        self._limits.changed()
        since = self._waits_since(job)
        if (
            self._none_until.get(job.uid, now) > now
            or len(self.kept) >= MAX_RESERVATIONS
            or self._worked_out >= AT_ONCE
        ):
            return
        self._worked_out += 1
        again = known if known is not None and known.job is job else None
        made = self._search.find(queue, job, since, again, barred=barred)
        if made is None:
            self._none_until[job.uid] = now + REVIEW
        else:
            made.version, made.review = self._cluster.snapshot.table.version, now + REVIEW
            self.kept[queue.name] = made

    def _waits_since(self, job: Job) -> float:
        known = self._since.get(job.uid)
        if known is None:
            told = (waits_since(task.pod.pod) for task in job.pending.values()) if self._is_started_again else ()
            known = self._since[job.uid] = min(filter(None, told), default=self._session.now)
        return known

    def _may_work_out(self, one: Reservation, *, barred: bool) -> bool:
        """The reservation must be computed again; where that is too much for one cycle it stands until the next."""
        now = self._session.now
        if self._worked_out >= AT_ONCE:
            return False
        if (one.share is not None) != barred or one.version != self._cluster.snapshot.table.version:
            return True
        return now >= one.review and (one.at is None or one.closed or now >= one.at)
