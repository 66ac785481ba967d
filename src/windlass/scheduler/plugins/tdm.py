"""`tdm`: some nodes are lent to pods that may go at any time, at certain hours of the day; then they are taken back.

Such a node is labelled `volcano.sh/revocable-zone: X`; the hours of X are an argument, by the clock of the machine.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from windlass.apis.reasons import NodeCause
from windlass.apis.wellknown import JDB_MAX_UNAVAILABLE_ANNOTATION, JDB_MIN_AVAILABLE_ANNOTATION
from windlass.scheduler.framework.evictable import is_protected, job_offers_itself, offers_itself
from windlass.scheduler.framework.extension_points import Vote
from windlass.scheduler.framework.plugin import Arguments, Plugin
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.columns import Mask, Vector
from windlass.scheduler.model.jobs import READY, Job, Status, Task
from windlass.scheduler.model.parsing import duration_of

ZONE = "volcano.sh/revocable-zone"
ARGUMENT, PERIOD = "tdm.revocable-zone.", "tdm.evict.period"
MAX_UNAVAILABLE, MIN_AVAILABLE = JDB_MAX_UNAVAILABLE_ANNOTATION, JDB_MIN_AVAILABLE_ANNOTATION
_HOURS = re.compile(r"(\d{1,2}):(\d{2})-(\d{1,2}):(\d{2})")
AT_ONCE = 1  # of a job, where nothing is said
Hours = tuple[int, int]
"""From and to, in minutes of the day."""


class Tdm(Plugin):
    NAME = "tdm"

    def __init__(self, arguments: Arguments) -> None:
        super().__init__(arguments)
        self._zones: dict[str, Hours] = {}
        for zone, given in arguments.starting_with(ARGUMENT).items():
            hours = hours_of(str(given))
            if hours is None:
                told = f"tdm: {ARGUMENT}{zone}: {given!r} is not a time of the day such as 10:00-21:00"
                arguments.warnings.append(told)
            else:
                self._zones[zone] = hours
        period = duration_of(arguments.text(PERIOD, "1m"))
        if period is None:
            arguments.warnings.append(f"tdm: {PERIOD}: {arguments.text(PERIOD)!r} is not a time such as 1m")
        self._period = 60.0 if period is None else period
        self._evicted_at = float("-inf")

    def open(self, session: Session) -> None:
        self._session = session
        self._nodes: tuple[Mask, Mask] | None = None

    # --- nodes

    def _is_lent(self, zone: str) -> bool:
        hours = self._zones.get(zone)
        return hours is not None and is_within(hours, datetime.fromtimestamp(self._session.now, UTC).astimezone())

    def _lent(self) -> tuple[Mask, Mask]:
        """Nodes that are lent sometimes, and those that are now."""
        snapshot = self._session.cluster.snapshot
        if self._nodes is None or len(self._nodes[0]) != len(snapshot.table):
            ever, now = (np.zeros(len(snapshot.table), dtype=np.bool_) for _ in range(2))
            for node in snapshot.nodes:
                zone = node.labels.get(ZONE)
                if zone:
                    ever[snapshot.table.index[node.name]] = True
                    now[snapshot.table.index[node.name]] = self._is_lent(zone)
            self._nodes = (ever, now)
        return self._nodes

    def node_mask(self, task: Task) -> Mask | None:
        ever, now = self._lent()
        if not ever.any():
            return None
        return ~ever | now if may_be_lent_to(task) else ~ever

    def node_cause(self, task: Task) -> NodeCause:
        return NodeCause("RevocableZone")

    def node_score(self, task: Task) -> Vector | None:
        _, now = self._lent()
        return np.where(now, 100.0, 0.0) if now.any() and may_be_lent_to(task) else None

    # --- jobs

    def job_order(self, job: Job) -> bool:
        return job_offers_itself(job)

    def job_pipelined(self, job: Job) -> Vote:
        return Vote.PERMIT if job.number(READY | {Status.PIPELINED}) >= job.min_member else Vote.REJECT

    def job_starving(self, job: Job) -> bool:
        return not job_offers_itself(job) and bool(job.pending)

    # --- victims

    def preemptable(self, preemptor: Task, candidates: Sequence[Task]) -> Sequence[Task]:
        """Preemptable jobs have no victims; others take from nodes that are never lent."""
        if offers_itself(preemptor) or may_be_lent_to(preemptor):
            return []
        return self._some_of_each([task for task in candidates if not self._zone_of(task)])

    def victims(self, tasks: Sequence[Task]) -> Sequence[Task]:
        """Pods on nodes whose hours are over, a few of each job in each period."""
        if self._session.now - self._evicted_at < self._period:
            return []
        self._evicted_at = self._session.now
        over = [task for task in tasks if (zone := self._zone_of(task)) in self._zones and not self._is_lent(zone)]
        return self._some_of_each(over)

    def _zone_of(self, task: Task) -> str:
        node = self._session.cluster.snapshot.node(task.node)
        return node.labels.get(ZONE, "") if node is not None else ""

    def _some_of_each(self, tasks: Sequence[Task]) -> list[Task]:
        by_job: dict[str, list[Task]] = {}
        for task in tasks:
            if task.status is Status.RUNNING and not is_protected(task):
                by_job.setdefault(task.job.uid, []).append(task)
        return [task for group in by_job.values() for task in group[: may_miss(group[0].job)]]


def hours_of(given: str) -> Hours | None:
    """`10:00-21:00`; None if it is not of this kind."""
    found = _HOURS.fullmatch(given.strip())
    if found is None:
        return None
    begin, begin_minute, end, end_minute = map(int, found.groups())
    if max(begin, end) > 23 or max(begin_minute, end_minute) > 59:
        return None
    return begin * 60 + begin_minute, end * 60 + end_minute


def is_within(hours: Hours, now: datetime) -> bool:
    """An end before its beginning is on the next day."""
    minute, (begin, end) = now.hour * 60 + now.minute + now.second / 60, hours
    return begin <= minute <= end if begin < end else minute >= begin or minute <= end


def may_be_lent_to(task: Task) -> bool:
    zone = task.pod.pod.metadata.annotations.get(ZONE)
    return zone == "*" if zone is not None else offers_itself(task)


def may_miss(job: Job) -> int:
    """How many of its tasks may go now: by what its annotations say of it, else one."""
    running, total = job.counts[Status.RUNNING], len(job.tasks)
    told = _amount(job.annotations.get(MAX_UNAVAILABLE), total)
    if told is not None:
        ended = job.counts[Status.SUCCEEDED] + job.counts[Status.FAILED]
        return max(0, told - (total - ended - running))
    least = _amount(job.annotations.get(MIN_AVAILABLE), total)
    if least is not None:
        return max(0, running - least)
    return AT_ONCE


def _amount(given: str | None, total: int) -> int | None:
    """A number, or a percentage rounded up."""
    if not given:
        return None
    try:
        return -(-int(given[:-1]) * total // 100) if given.endswith("%") else int(given)
    except ValueError:
        return None
