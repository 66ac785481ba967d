"""Cron schedules: five fields, or one of the `@` descriptors, read as Kubernetes' parser reads them, with its messages.

`parse` answers a schedule that can be asked for the next moment after another. Fields are those of the wall clock in
the time zone that is given: an hour that daylight saving skips has no moments, one that it repeats has them twice.
`parse_with_seconds` reads the dialect of Kubeflow's recurring runs, in which the first field is the second.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import TypeAlias

_MONTHS = {
    "jan": 1,
    "feb": 2,
    "mar": 3,
    "apr": 4,
    "may": 5,
    "jun": 6,
    "jul": 7,
    "aug": 8,
    "sep": 9,
    "oct": 10,
    "nov": 11,
    "dec": 12,
}
_DAYS = {"sun": 0, "mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6}
_SECOND_FIELD: tuple[int, int, dict[str, int]] = (0, 59, {})
_FIELDS: tuple[tuple[int, int, dict[str, int]], ...] = (
    (0, 59, {}),
    (0, 23, {}),
    (1, 31, {}),
    (1, 12, _MONTHS),
    (0, 6, _DAYS),
)
_NAMES = ("second", "minute", "hour", "day", "month", "weekday")
_DESCRIPTORS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_INTERVAL = "@every "
_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_duration = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h)").match
_LONGEST_SECONDS = 2**63 / 1e9  # what a duration of Go can hold, in nanoseconds
_SECOND, _DAY = timedelta(seconds=1), timedelta(days=1)
_MAX_LENGTH = 2048  # all values of all fields, written one by one, have fewer characters
_MAX_DIGITS = 18  # of a number that Go reads for sure
_LAST = datetime(9999, 12, 30, tzinfo=UTC)  # a day before the last that any time zone can write
_FAR = timedelta(days=5 * 366)  # a day that has not come in five years, like 30 February, never comes


class BadSchedule(ValueError):
    """Says what is wrong, in the words of Kubernetes' parser."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """The moments whose second, minute, hour, day and month are all among those named.

    If both kinds of day are restricted, either is enough, as cron has always had it.
    """

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    any_day: bool
    any_weekday: bool
    seconds: frozenset[int] = frozenset((0,))

    def after(self, moment: datetime, zone: tzinfo = UTC) -> datetime | None:
        """The first moment later than `moment`; None where there is none in five years."""
        at = moment.astimezone(UTC).replace(microsecond=0) + _SECOND
        limit = min(at, _LAST - _FAR) + _FAR
        while at < limit:
            local = at.astimezone(zone)
            if not self._has_day(local):
                at = _next_day(at, local, zone)
            elif local.hour not in self.hours:
                at = _next_hour(at, local, zone)
            elif local.minute not in self.minutes:
                at = _next_minute(at, local)
            elif local.second not in self.seconds:
                following = min((second for second in self.seconds if second > local.second), default=60)
                at += timedelta(seconds=following - local.second)
            else:
                return at
        return None

    def _has_day(self, local: datetime) -> bool:
        if local.month not in self.months:
            return False
        by_date, by_weekday = local.day in self.days, local.isoweekday() % 7 in self.weekdays
        return by_date and by_weekday if self.any_day or self.any_weekday else by_date or by_weekday


def _next_day(at: datetime, local: datetime, zone: tzinfo) -> datetime:
    midnight = datetime.combine(local.date() + _DAY, time(), zone).astimezone(UTC)
    return midnight if midnight > at else _next_minute(at, local)


def _next_hour(at: datetime, local: datetime, zone: tzinfo) -> datetime:
    """The start of the next hour, or of the next minute where the clock is set in this hour.

    A clock that is set at one minute past midnight, as in St. John's until 2011, would jump past a part of that hour.
    """
    following = at + timedelta(minutes=60 - local.minute, seconds=-local.second)
    is_steady = following.astimezone(zone).utcoffset() == local.utcoffset()
    return following if is_steady else _next_minute(at, local)


def _next_minute(at: datetime, local: datetime) -> datetime:
    return at + timedelta(seconds=60 - local.second)


@dataclass(frozen=True, slots=True)
class Interval:
    """Moments a fixed time apart, to the second."""

    period: timedelta

    def after(self, moment: datetime, zone: tzinfo = UTC) -> datetime | None:
        """The moment a period later; None beyond the year 9999."""
        del zone
        at = moment.astimezone(UTC).replace(microsecond=0)
        return at + self.period if self.period < _LAST - at else None


Schedule: TypeAlias = Calendar | Interval


def schedule_problem(schedule: str) -> str:
    """What is wrong with the schedule; an empty string where nothing is."""
    try:
        parse(schedule)
    except BadSchedule as bad:
        return str(bad)
    return ""


def parse(schedule: str) -> Schedule:
    _check_length(schedule)
    if schedule.startswith(_INTERVAL):
        return Interval(timedelta(seconds=max(1, int(_seconds(schedule)))))
    if schedule.startswith("@") and schedule not in _DESCRIPTORS:
        raise BadSchedule(f"unrecognized descriptor: {schedule}")
    parts = _DESCRIPTORS.get(schedule, schedule).split()
    if len(parts) != 5:
        raise BadSchedule(f"expected exactly 5 fields, found {len(parts)}: [{' '.join(parts)}]")
    minutes, hours, days, months, weekdays = (
        _values(part, low, high, names) for part, (low, high, names) in zip(parts, _FIELDS, strict=True)
    )
    return Calendar(minutes, hours, days, months, weekdays, _is_open(parts[2]), _is_open(parts[4]))


def parse_with_seconds(schedule: str) -> Schedule:
    """Read `second minute hour day month [weekday]` or a descriptor; the message of a BadSchedule names the field.

    Unlike in Kubernetes' parser, `*/2` does not restrict the days: a restriction of the other kind must hold too.
    """
    _check_length(schedule)
    if schedule.startswith("@"):
        return parse(schedule)
    parts = schedule.split()
    if len(parts) not in (5, 6):
        raise BadSchedule(f"expected 5 or 6 fields (second minute hour day month [weekday]), found {len(parts)}")
    parts = [*parts, "*"][:6]
    seconds, minutes, hours, days, months, weekdays = (
        _named_values(name, part, *field)
        for name, part, field in zip(_NAMES, parts, (_SECOND_FIELD, *_FIELDS), strict=True)
    )
    return Calendar(minutes, hours, days, months, weekdays, _has_star(parts[3]), _has_star(parts[5]), seconds)


def _check_length(schedule: str) -> None:
    if len(schedule) > _MAX_LENGTH:
        raise BadSchedule(f"a schedule may have at most {_MAX_LENGTH} characters")


def _named_values(name: str, part: str, low: int, high: int, names: dict[str, int]) -> frozenset[int]:
    try:
        return _values(part, low, high, names)
    except BadSchedule as bad:
        raise BadSchedule(f"{name}: {bad}") from None


def _seconds(schedule: str) -> float:
    text = schedule.removeprefix(_INTERVAL)
    at, seconds = 0, 0.0
    while at < len(text):
        found = _duration(text, at)
        if not found:
            break
        seconds += float(found[1]) * _SECONDS[found[2]]
        at = found.end()
    if not text or at < len(text) or seconds >= _LONGEST_SECONDS:
        raise BadSchedule(f'failed to parse duration {schedule}: time: invalid duration "{text}"')
    return seconds


def _is_open(part: str) -> bool:
    """Whether a field of days restricts nothing."""
    return any(item in ("*", "?", "*/1", "?/1") for item in part.split(","))


def _has_star(part: str) -> bool:
    return any(item.partition("/")[0] in ("*", "?") for item in part.split(","))


def _values(part: str, low: int, high: int, names: dict[str, int]) -> frozenset[int]:
    return frozenset(value for item in part.split(",") for value in _range(item, low, high, names))


def _range(item: str, low: int, high: int, names: dict[str, int]) -> range:
    span, *steps = item.split("/")
    if len(steps) > 1:
        raise BadSchedule(f"too many slashes: {item}")
    ends = span.split("-")
    if ends[0] in ("*", "?"):
        first, last = low, high
    elif len(ends) > 2:
        raise BadSchedule(f"too many hyphens: {item}")
    else:
        first = _number(ends[0], names)
        last = _number(ends[1], names) if len(ends) == 2 else (high if steps else first)
    step = _number(steps[0], {}) if steps else 1
    if first < low:
        raise BadSchedule(f"beginning of range ({first}) below minimum ({low}): {item}")
    if last > high:
        raise BadSchedule(f"end of range ({last}) above maximum ({high}): {item}")
    if first > last:
        raise BadSchedule(f"beginning of range ({first}) beyond end of range ({last}): {item}")
    if step == 0:
        raise BadSchedule(f"step of range should be a positive number: {item}")
    return range(first, last + 1, step)


def _number(text: str, names: dict[str, int]) -> int:
    named = names.get(text.lower())
    if named is not None:
        return named
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise BadSchedule(f'failed to parse int from {text}: strconv.Atoi: parsing "{text}": invalid syntax')
    if len(text) > _MAX_DIGITS:
        raise BadSchedule(f'failed to parse int from {text}: strconv.Atoi: parsing "{text}": value out of range')
    number = int(text)
    if number < 0:
        raise BadSchedule(f"negative number ({number}) not allowed: {text}")
    return number
