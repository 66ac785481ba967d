"""The cron expressions of recurring runs, in a time zone; moments are seconds since 1970.

`windlass.kube.cron` reads them (`parse_with_seconds`): `second minute hour day month [weekday]`, or a descriptor such
as `@daily` and `@every 90m`. An hour that daylight saving skips has no moments, one that it repeats has them twice.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from windlass.kube import cron

MAX_TIME = datetime(9990, 1, 1, tzinfo=UTC).timestamp()
"""No moment later than this is computed: the calendar of Python ends in the year 9999."""


@dataclass(frozen=True, slots=True)
class Schedule:
    times: cron.Schedule
    zone: tzinfo


@lru_cache(maxsize=1024)
def parse(text: str, zone: tzinfo = UTC) -> Schedule:
    """Read an expression. Raises ValueError, whose message names the field."""
    return Schedule(cron.parse_with_seconds(text), zone)


def time_zone(name: str) -> tzinfo:
    """The zone of a name such as Europe/Berlin; an empty name is UTC. Raises ValueError."""
    if not name:
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError: the name of a folder of zones
        raise ValueError(f"unknown time zone {name!r}") from None


def next_after(schedule: Schedule, moment: float) -> float | None:
    """The first moment of the schedule later than `moment`; None where there is none in five years."""
    if moment >= MAX_TIME:
        return None
    following = schedule.times.after(datetime.fromtimestamp(max(moment, 0.0), UTC), schedule.zone)
    return following.timestamp() if following is not None else None


def latest_until(schedule: Schedule, base: float, until: float) -> float | None:
    """The last of the moments that follow `base`, each from the one before, and are not later than `until`."""
    until = min(until, MAX_TIME)
    first = next_after(schedule, base)
    if first is None or first > until:
        return None
    if isinstance(schedule.times, cron.Interval):
        period = schedule.times.period.total_seconds()
        return first + (until - first) // period * period
    # The moments of a calendar do not depend on the base, so bisection finds the last whole second from which one
    # follows in time: from `low` one does, from `high` none does.
    low, high, latest = int(first) - 1, int(until), first
    while high - low > 1:
        middle = (low + high) // 2
        following = next_after(schedule, middle)
        if following is not None and following <= until:
            low, latest = middle, following
        else:
            high = middle
    return latest
