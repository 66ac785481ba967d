"""Which moment of a CronJob's schedule is due, and how many were missed: of Kubernetes' CronJobs and of Volcano's."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Protocol
from zoneinfo import ZoneInfo

from windlass.kube.cron import Schedule
from windlass.kube.meta import ObjectMeta, parse_time
from windlass.kube.moments import moment_after

MARGIN = timedelta(milliseconds=100)  # later than the moment itself

MANY = 100  # missed moments that are worth a warning


class Timing(Protocol):
    @property
    def time_zone(self) -> str | None: ...
    @property
    def starting_deadline_seconds(self) -> int | None: ...


class Cron(Protocol):
    """What both kinds of CronJobs say of their moments."""

    @property
    def metadata(self) -> ObjectMeta: ...
    @property
    def spec(self) -> Timing: ...


def zone_of(cron_job: Cron) -> tzinfo:
    """Raises ZoneInfoNotFoundError, or ValueError for what cannot be a name."""
    return ZoneInfo(cron_job.spec.time_zone) if cron_job.spec.time_zone else UTC


@dataclass(frozen=True, slots=True)
class Due:
    """`moment` is the most recent one that has come and has not been served; None if there is none."""

    moment: datetime | None
    too_many_missed: bool = False
    never: bool = False
    """Whether the schedule has no moment at all, such as the 31st of February."""


def due(cron_job: Cron, schedule: Schedule, zone: tzinfo, last: datetime | None, now: datetime) -> Due:
    """What is due since `last`. Moments are counted by the distance of the first two, as Kubernetes counts them."""
    earliest = _earliest(cron_job, last, now)
    first = schedule.after(earliest, zone)
    if first is None or first > now:
        return Due(None, never=first is None)
    second = schedule.after(first, zone)
    if second is None or second > now:
        return Due(first)
    distance = second - first
    missed = (now - first) // distance + 1
    recent = first
    following = schedule.after(max(first + (missed - 2) * distance, earliest), zone)
    while following is not None and following <= now:
        recent, following = following, schedule.after(following, zone)
    return Due(recent, too_many_missed=missed > MANY)


def until_next(schedule: Schedule, zone: tzinfo, now: datetime) -> timedelta | None:
    """How long until the schedule's next moment has come for sure; None if there is none."""
    following = schedule.after(now, zone)
    return following - now + MARGIN if following is not None else None


def _earliest(cron_job: Cron, last: datetime | None, now: datetime) -> datetime:
    created = cron_job.metadata.creation_timestamp
    earliest = last or (parse_time(created) if created is not None else now)
    deadline = cron_job.spec.starting_deadline_seconds
    return earliest if deadline is None else max(earliest, moment_after(now, -deadline))
