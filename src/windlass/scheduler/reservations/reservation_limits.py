"""Who may use what is kept for gangs that wait: those behind a gang only what they leave again before it can start."""

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Any

import numpy as np

from windlass.apis.reasons import Kept, KeptForOthers, NodeCause
from windlass.scheduler.framework.reservation import Reservation
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.columns import Mask, Vector
from windlass.scheduler.model.jobs import Job
from windlass.scheduler.model.parsing import moment_of
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.reservations.estimates import Estimates, longest, said_of
from windlass.scheduler.reservations.queue_shares import Share

Barring = tuple[tuple[str, "Limit"], ...]
"""Which reservations limit a job, and how much."""


class Limit(IntEnum):
    """What a job behind a gang may not use."""

    NOTHING = 0
    NODES = 1
    ALL = 2


class Limits:
    """Asked throughout a cycle, which `open` begins; `kept` are the reservations by queue, as they are at any time."""

    def __init__(
        self, cluster: Cluster, estimates: Estimates, starvation: float, kept: Mapping[str, Reservation]
    ) -> None:
        self._cluster, self._estimates, self._starvation, self._kept = cluster, estimates, starvation, kept
        self._masks: dict[Barring, Mask] = {}
        self._began: dict[str, Vector] = {}
        """What queues had when the cycle began."""
        self._keys: dict[str, tuple[Any, ...]] = {}
        self._enough: dict[tuple[str, int, bytes, bytes], bool] = {}
        """Answers that hold for one cycle."""
        self._session: Session

    def open(self, session: Session) -> None:
        self._session = session
        self._keys.clear()
        self.changed()
        self._began = {name: self._cluster.queues[name].allocated.copy() for name in self._kept}

    def changed(self) -> None:
        """What is kept is not what it was."""
        self._masks.clear()
        self._enough.clear()

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

    def why(self, job: Job) -> KeptForOthers | None:
        """For whom nodes are kept that the job may not use; None if for nobody."""
        kept: list[Kept] = []
        for name, limit in self._barring(job):
            one = self._kept[name]
            until = f"{moment_of(one.at):%Y-%m-%dT%H:%M:%SZ}" if one.at is not None else ""
            gang = f"{one.job.namespace}/{one.job.name}"
            nodes, queue = (0, name) if limit is Limit.ALL else (len(one.nodes), "")
            kept.append(Kept(gang, nodes, queue, until))
        return KeptForOthers(tuple(kept)) if kept else None

    def ends_before(self, job: Job, one: Reservation) -> bool:
        """The job would have ended when the gang can start."""
        if one.at is None or one.closed:
            return False
        expected = self._estimates.of(job)
        if expected is None:
            expected = longest(task.pod for task in job.pending.values())
        return one.leaves_time(expected, self._session.now)

    def _barring(self, job: Job) -> Barring:
        limits = ((name, self._limit(job, one)) for name, one in self._kept.items() if one.job is not job)
        return tuple((name, limit) for name, limit in limits if limit is not Limit.NOTHING)

    def _mask(self, barring: Barring) -> Mask:
        table = self._cluster.snapshot.table
        mask = np.ones(len(table), dtype=np.bool_)
        for name, limit in barring:
            nodes = self._kept[name].nodes
            mask[[table.index[node] for node in nodes if node in table.index]] = False
            if limit is Limit.ALL:
                mask[:] = False
        return mask

    def _limit(self, job: Job, one: Reservation) -> Limit:
        if self._goes_before(job, one.job) or self.ends_before(job, one):
            return Limit.NOTHING
        if not one.is_in_force(self._session.now, self._starvation):
            return Limit.NOTHING
        if one.share is not None and job.queue == one.job.queue and not self._leaves_enough(job, one.share):
            return Limit.ALL
        return Limit.NODES

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


def closed_to(pod: PodInfo, kept: Iterable[Reservation], starvation: float, now: float) -> dict[str, NodeCause]:
    """The nodes that the pod may not use, and why: unless it is more important, or ends before the gang can start."""
    seconds = said_of(pod)
    return {
        node: NodeCause("KeptForGang", f"{one.job.namespace}/{one.job.name}")
        for one in kept
        if pod.priority <= one.job.priority and one.is_in_force(now, starvation) and not one.leaves_time(seconds, now)
        for node in one.nodes
    }
