"""Nodes that are kept for gangs that wait, so that small jobs do not pass them by for ever.

The first gang of each queue that cannot be placed has a reservation: when there will be room for it, by what is known
of the ends of others, and where. Those behind it may use these nodes if they end before that. Where no ends are known
the nodes are closed to them when the gang has waited long enough. If it is the queue's share that lacks, those of the
same queue wait behind it in the same manner. Pure, and of no cost while nothing waits.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from enum import IntEnum
from typing import Any

import numpy as np

from windlass.scheduler.batch.cluster import Cluster
from windlass.scheduler.batch.decisions import Decisions
from windlass.scheduler.batch.ends import Ends, Running
from windlass.scheduler.batch.estimates import Estimates, longest
from windlass.scheduler.batch.fitting import Fitting, Need
from windlass.scheduler.batch.model import Job, Queue, Task
from windlass.scheduler.batch.reservation import Reservation
from windlass.scheduler.batch.session import Session
from windlass.scheduler.batch.shares import Share
from windlass.scheduler.placing.columns import Mask, Rows, Vector

MOST = 16  # reservations at a time
AT_ONCE = 4  # that are worked out in one cycle
REVIEW = 60.0  # seconds after which it is looked again where nothing was found or known
WORTH_MOVING = 0.5  # of the time that is still to be waited: for less than that other nodes are kept
HYPER_NODES = 32  # that are thought about for a gang that must be together


Barring = tuple[tuple[str, "Limit"], ...]
"""Which reservations hinder somebody, and how much."""
Place = tuple[float | None, Rows]
"""When there is room, None where that is not known, and on which nodes."""


class Limit(IntEnum):
    """What somebody behind a gang may not use."""

    NOTHING = 0
    NODES = 1
    ALL = 2


class Reservations:
    """Kept from cycle to cycle; `open` and `close` are called with each."""

    def __init__(self, cluster: Cluster, estimates: Estimates, starvation: float) -> None:
        self._cluster, self._estimates, self._starvation = cluster, estimates, starvation
        self._ends = Ends(cluster, estimates)
        self.kept: dict[str, Reservation] = {}
        """By queue."""
        self._since: dict[str, float] = {}
        self._none_until: dict[str, float] = {}
        self._failed: dict[str, str] = {}
        self._worked_out = 0
        self._masks: dict[Barring, Mask] = {}
        self._began: dict[str, Vector] = {}
        """What queues had when the cycle began."""
        self._keys: dict[str, tuple[Any, ...]] = {}
        self._enough: dict[tuple[str, int, bytes, bytes], bool] = {}
        """Answers that hold for one cycle."""
        self._session: Session

    def take_over(self, before: "Reservations") -> None:
        """What another configuration has promised stands, and is worked out anew when it is next looked at."""
        self._since.update(before._since)
        for name, one in before.kept.items():
            self.kept[name] = replace(one, version=-1)

    def restore(self, one: Reservation, now: float) -> None:
        """One that was made before this process was; its nodes count until it is due, if they are still there."""
        table = self._cluster.snapshot.table
        whole = all(node in table.index for node in one.nodes)
        one.version, one.review = table.version if whole else -1, now + REVIEW
        self._since[one.job.uid] = one.since
        self.kept[one.job.queue] = one

    def open(self, session: Session) -> None:
        self._session = session
        for known in (self._failed, self._masks, self._keys, self._enough, self._began):
            known.clear()
        self._worked_out = 0
        for name, one in list(self.kept.items()):
            job, queue = self._cluster.waiting.get(one.job.uid), self._cluster.queues.get(name)
            if job is None or queue is None or job.queue != name or session.is_ready(job):
                del self.kept[name]
            else:
                one.job = job
                self._began[name] = queue.allocated.copy()

    def close(self, decisions: Decisions) -> None:
        """Only who was tried in the cycle, and was the first to fail, keeps a reservation."""
        self.kept = {name: one for name, one in self.kept.items() if self._failed.get(name) == one.job.uid}
        decisions.reservations.update((one.job.uid, one) for one in self.kept.values())
        self._count_shares(decisions)
        self._tell_cluster({one.job.uid for one in self.kept.values()})
        self._ends.note(decisions.commits, self._session.now)
        if len(self._since) > 4 * MOST:
            waiting = self._cluster.waiting
            self._since = {uid: at for uid, at in self._since.items() if uid in waiting}
            self._none_until = {uid: at for uid, at in self._none_until.items() if uid in waiting}

    def _count_shares(self, decisions: Decisions) -> None:
        """What was started behind a gang and does not end before counts for the queue's share then."""
        if not any(one.share is not None for one in self.kept.values()):
            return
        for commit in decisions.commits:
            one = self.kept.get(commit.job.queue)
            if one is not None and one.share is not None and not self._ends_before(commit.job, one):
                one.share = one.share + sum(task.request for task in commit.tasks)

    def _tell_cluster(self, reserved: set[str]) -> None:
        """Who has a reservation does not hold others back at the door as well."""
        cluster = self._cluster
        for uid in reserved ^ cluster.reserved:
            if uid in cluster.jobs:
                cluster.changed(cluster.jobs[uid])
        cluster.reserved = reserved

    # --- who may use what

    def open_to(self, job: Job) -> Mask | None:
        """The nodes that the job may use; None: all. A place that is kept for it is its own."""
        barring = self._barring(job)
        if not barring:
            return None
        mask = self._masks.get(barring)
        if mask is None:
            mask = self._masks[barring] = self._mask(barring)
        index = self._cluster.snapshot.table.index
        own = [hold.node for known in (self._cluster.lifted, self._cluster.holds) for hold in known.values()
               if hold.job is job]  # fmt: skip
        if own:
            mask = mask.copy()
            mask[[index[node] for node in own if node in index]] = True
        return mask

    def why(self, job: Job) -> str:
        """For whom nodes are kept that the job may not use."""
        told: list[str] = []
        for name, limit in self._barring(job):
            one = self.kept[name]
            until = f" until {datetime.fromtimestamp(one.at, UTC):%Y-%m-%dT%H:%M:%SZ}" if one.at is not None else ""
            what = f"the share of queue {name} is" if limit is Limit.ALL else f"{len(one.nodes)} node(s) are"
            told.append(f"{what} kept for {one.job.namespace}/{one.job.name}{until}")
        return ", ".join(told)

    def _barring(self, job: Job) -> Barring:
        limits = ((name, self._limit(job, one)) for name, one in self.kept.items() if one.job is not job)
        return tuple((name, limit) for name, limit in limits if limit is not Limit.NOTHING)

    def _mask(self, barring: Barring) -> Mask:
        table = self._cluster.snapshot.table
        mask = np.ones(len(table), dtype=np.bool_)
        for name, limit in barring:
            nodes = self.kept[name].nodes
            mask[[table.index[node] for node in nodes if node in table.index]] = False
            if limit is Limit.ALL:
                mask[:] = False
        return mask

    def _limit(self, job: Job, one: Reservation) -> Limit:
        if self._goes_before(job, one.job) or self._ends_before(job, one):
            return Limit.NOTHING
        if not one.is_in_force(self._session.now, self._starvation):
            return Limit.NOTHING
        if one.share is not None and job.queue == one.job.queue and not self._leaves_enough(job, one.share):
            return Limit.ALL
        return Limit.NODES

    def _ends_before(self, job: Job, one: Reservation) -> bool:
        if one.at is None or one.closed:
            return False
        expected = self._estimates.of(job)
        if expected is None:
            expected = longest(task.pod for task in job.pending.values())
        return one.leaves_time(expected, self._session.now)

    def _leaves_enough(self, job: Job, share: Vector) -> bool:
        """Its queue may have both it and the gang."""
        queue, task = self._cluster.queues[job.queue], next(iter(job.pending.values()), None)
        if task is None:
            return True
        number = max(1, job.min_member - job.ready)
        key = (queue.name, number, task.request.tobytes(), queue.allocated.tobytes())
        found = self._enough.get(key)
        if found is None:
            began = self._began.get(queue.name, queue.allocated)
            found = Share(self._session, queue, [(task, number)]).allows(share + (queue.allocated - began))
            self._enough[key] = found
        return found

    def _goes_before(self, job: Job, other: Job) -> bool:
        if job.priority != other.priority or job.queue != other.queue:
            return (-job.priority, not job.is_broken) < (-other.priority, not other.is_broken)
        key = self._keys.get(other.uid)
        if key is None:
            key = self._keys[other.uid] = self._session.job_key(other)
        return self._session.job_key(job) < key

    # --- who has one

    def failed(self, queue: Queue, job: Job, *, barred: bool) -> None:
        """A job could not be placed; `barred`: for want of its queue's share. The first one of each queue counts."""
        if queue.name in self._failed or self._session.is_ready(job):
            return
        self._failed[queue.name] = job.uid
        known, now = self.kept.get(queue.name), self._session.now
        if known is not None and known.job is job and not self._may_work_out(known, barred=barred):
            return
        self.kept.pop(queue.name, None)
        self._masks.clear()
        self._enough.clear()
        since = self._since.setdefault(job.uid, now)
        if self._none_until.get(job.uid, now) > now or len(self.kept) >= MOST or self._worked_out >= AT_ONCE:
            return
        self._worked_out += 1
        made = self._work_out(queue, job, since, known, barred=barred)
        if made is None:
            self._none_until[job.uid] = now + REVIEW
        else:
            made.version, made.review = self._cluster.snapshot.table.version, now + REVIEW
            self.kept[queue.name] = made

    def _may_work_out(self, one: Reservation, *, barred: bool) -> bool:
        """It must be worked out anew; where that is too much for one cycle it stands until the next."""
        now = self._session.now
        if self._worked_out >= AT_ONCE:
            return False
        if (one.share is not None) != barred or one.version != self._cluster.snapshot.table.version:
            return True
        return now >= one.review and (one.at is None or one.closed or now >= one.at)

    def _work_out(
        self, queue: Queue, job: Job, since: float, before: Reservation | None, *, barred: bool
    ) -> Reservation | None:
        running = self._ends.read(self._session.now)
        again = before if before is not None and before.job is job else None
        found = self._of_nodes(job, since, again, running)
        if not barred:
            return self._as_promised(found, again)
        share = Share(self._session, queue, self._lacking(job))
        if not share.could_be():
            return None  # the queue could never have so much
        share_at = share.when(running)
        if found is None:
            found = Reservation(job, share_at, (), since)
        elif found.at is not None:
            found.at = max(found.at, share_at) if share_at is not None else None
        self._as_promised(found, again)
        found.share = share.then(running, found.at, self._session.mask_of_nodes(found.nodes))
        return found

    def _as_promised(self, found: Reservation | None, again: Reservation | None) -> Reservation | None:
        """When it starts may be known no more: what was said before stands until it has passed."""
        said = again.at if again is not None else None
        if found is not None and found.at is None and said is not None and said > self._session.now:
            found.at = said
        return found

    def _of_nodes(self, job: Job, since: float, again: Reservation | None, running: Running) -> Reservation | None:
        """The earliest time, on the fewest nodes. If that has passed before, on the same nodes as then: what was
        promised is kept to, unless elsewhere it takes far less time, because somebody on those nodes does not end.

        None: it is not for want of room.
        """
        now = self._session.now
        missed = again is not None and (again.closed or (again.at is not None and now >= again.at))
        areas = self._areas(job)
        if again is not None and again.nodes and (missed or again.at is None):
            areas = [self._session.mask_of_nodes(again.nodes), *areas]
        else:
            again = None
        fittings = [self._fitting(job, area) for area in areas]
        known = [one for one in fittings if one is not None and not one.fits_now()]
        if len(known) < len(fittings):
            return None
        found = _earliest(known[1:] if again is not None else known, running)
        if again is not None:
            found = _rather_stay(_earliest(known[:1], running), found, now)
        if found is None:
            return None
        at, rows = found
        names = self._cluster.snapshot.table.names
        return Reservation(job, at, tuple(names[int(row)] for row in rows), since, closed=missed)

    def _areas(self, job: Job) -> list[Mask | None]:
        """Where all of it must be: anywhere, or in one of these."""
        topology = job.topology
        if topology is None or not topology.hard:
            return [None]
        known = self._cluster.hyper_nodes
        highest = topology.highest_tier
        if topology.highest_name:
            highest = max((one.tier for one in known if one.tier_name == topology.highest_name), default=None)
        near = [one for one in known if highest is None or one.tier <= highest]
        near.sort(key=lambda one: (-len(one.nodes), one.name))
        return [self._session.mask_of(one) for one in near[:HYPER_NODES]]

    def _fitting(self, job: Job, area: Mask | None) -> Fitting | None:
        session = self._session
        open_to = self.open_to(job)
        needs: list[Need] = []
        for task, number in self._lacking(job):
            shape = session.placer.shapes.of(task.pod)
            within = session.placer.allowed(shape).copy()
            for mask in (session.mask(task), open_to, area):
                if mask is not None:
                    within &= mask
            needs.append(Need(shape, number, within))
        return Fitting(self._cluster.snapshot.table, needs) if needs else None

    def _lacking(self, job: Job) -> list[tuple[Task, int]]:
        """What it needs to be complete: of each shape one task, and how many."""
        shapes = self._session.placer.shapes
        tasks = sorted(job.pending.values(), key=self._session.task_key)[: max(1, job.min_member - job.ready)]
        counts: dict[int, tuple[Task, int]] = {}
        for task in tasks:
            shape = id(shapes.of(task.pod))
            counts[shape] = (counts[shape][0], counts[shape][1] + 1) if shape in counts else (task, 1)
        return list(counts.values())


def _earliest(fittings: Sequence[Fitting], running: Running) -> Place | None:
    at, rows = None, None
    for fitting in fittings:
        found = fitting.when(running)
        if found is not None and (at is None or found[0] < at):
            at, rows = found
        elif rows is None:
            rows = fitting.anywhere()
    return None if rows is None else (at, rows)


def _rather_stay(here: Place | None, elsewhere: Place | None, now: float) -> Place | None:
    """Who moves as soon as it seems a little better elsewhere never has anywhere the room that he waits for."""
    if here is None or elsewhere is None or elsewhere[0] is None:
        return here or elsewhere
    if here[0] is None or elsewhere[0] - now < WORTH_MOVING * (here[0] - now):
        return elsewhere
    return here
