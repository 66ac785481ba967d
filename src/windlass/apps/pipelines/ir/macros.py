"""Macros in the string parameters of a run: its id, and times, in three notations."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

DEFAULT_LAYOUT = "20060102150405"

_BRACKETS = re.compile(r"\[\[(RunUUID|Index|CurrentTime|ScheduledTime)(?:\.([^\]\[]{1,200}))?\]\]")
_STRFTIME = re.compile(r"\{\{\$\.(currentTime|scheduledTime)\.strftime\('([^']{0,200})'\)\}\}")
_DIRECTIVE = re.compile(r"%([aAbBdHIjmMpSUwWyYzZfcxX%])")


def expand_macros(
    value: Any, *, run_id: str, now: float, scheduled: float | None = None, index: int | None = None
) -> Any:
    """The value with its macros replaced, if it is a string. `scheduled` and `index` belong to recurring runs: without
    them their macros stay as they are."""
    if not isinstance(value, str) or ("[[" not in value and "{{$." not in value):
        return value
    times = {"current": _utc(now), "scheduled": _utc(scheduled) if scheduled is not None else None}

    def bracket(match: re.Match[str]) -> str:
        name, layout = match.group(1), match.group(2)
        if name in ("RunUUID", "Index"):
            replacement = run_id if name == "RunUUID" else None if index is None else str(index)
            return match.group() if replacement is None or layout is not None else replacement
        time = times["current" if name == "CurrentTime" else "scheduled"]
        return match.group() if time is None else go_time(time, layout or DEFAULT_LAYOUT)

    def strftime(match: re.Match[str]) -> str:
        time = times[match.group(1).removesuffix("Time")]
        if time is None:
            return match.group()
        # One directive at a time: glibc's widths, such as %0999999999d, would ask for gigabytes.
        return _DIRECTIVE.sub(lambda directive: time.strftime(directive.group()), match.group(2))

    return _STRFTIME.sub(strftime, _BRACKETS.sub(bracket, value))


def _utc(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


_GO_ELEMENTS: dict[str, Callable[[datetime], str]] = {
    "January": lambda time: time.strftime("%B"),
    "Monday": lambda time: time.strftime("%A"),
    "2006": lambda time: f"{time.year:04}",
    "-07:00": lambda _: "+00:00",
    "Z07:00": lambda _: "Z",
    "-0700": lambda _: "+0000",
    "Z0700": lambda _: "Z",
    "Jan": lambda time: time.strftime("%b"),
    "Mon": lambda time: time.strftime("%a"),
    "MST": lambda _: "UTC",
    "002": lambda time: time.strftime("%j"),
    "-07": lambda _: "+00",
    "01": lambda time: f"{time.month:02}",
    "02": lambda time: f"{time.day:02}",
    "03": lambda time: f"{(time.hour + 11) % 12 + 1:02}",
    "04": lambda time: f"{time.minute:02}",
    "05": lambda time: f"{time.second:02}",
    "06": lambda time: f"{time.year % 100:02}",
    "15": lambda time: f"{time.hour:02}",
    "PM": lambda time: "PM" if time.hour >= 12 else "AM",
    "pm": lambda time: "pm" if time.hour >= 12 else "am",
    "_2": lambda time: f"{time.day:2}",
    "1": lambda time: str(time.month),
    "2": lambda time: str(time.day),
    "3": lambda time: str((time.hour + 11) % 12 + 1),
    "4": lambda time: str(time.minute),
    "5": lambda time: str(time.second),
}
_FRACTION = r"[.,]0{1,9}(?!\d)|[.,]9{1,9}(?!\d)"
_GO_LAYOUT = re.compile("|".join([_FRACTION, *map(re.escape, _GO_ELEMENTS)]))


def go_time(time: datetime, layout: str) -> str:
    """The time in a layout of Go's `time` package, in which 2006-01-02 15:04:05 stands for the parts of a time."""

    def element(match: re.Match[str]) -> str:
        text = match.group()
        if text[0] in ".,":
            digits = f"{time.microsecond:06}000"[: len(text) - 1]
            return text[0] + digits if text[1] == "0" else (text[0] + digits.rstrip("0")).rstrip(".,")
        return _GO_ELEMENTS[text](time)

    return _GO_LAYOUT.sub(element, layout)
