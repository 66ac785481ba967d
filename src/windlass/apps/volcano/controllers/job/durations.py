"""Lengths of time as Go writes and reads them: `90s`, `1h30m`, `1.5s`."""

import re
from datetime import timedelta

from windlass.kube.moments import span

_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = re.compile(r"(\d++\.?\d*+|\.\d++)(ns|us|µs|ms|s|m|h)")
_WHOLE = re.compile(rf"(?:{_PART.pattern})+")


def parse_duration(text: str) -> timedelta:
    """ValueError where the text is no duration."""
    if text == "0":
        return timedelta()
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"invalid duration {text!r}")
    return span(sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text)))


def go_duration(length: timedelta) -> str:
    """As Go prints it: `1m30s`, `2h0m0s`, `1.5s`, `250ms`."""
    micros = round(length / timedelta(microseconds=1))
    sign, micros = ("-", -micros) if micros < 0 else ("", micros)
    if 0 < micros < 1_000_000:
        return f"{sign}{_decimal(micros, 1000)}ms" if micros >= 1000 else f"{sign}{micros}µs"
    minutes, rest = divmod(micros, 60_000_000)
    hours, minutes = divmod(minutes, 60)
    seconds = f"{_decimal(rest, 1_000_000)}s"
    if hours:
        return f"{sign}{hours}h{minutes}m{seconds}"
    return f"{sign}{minutes}m{seconds}" if minutes else f"{sign}{seconds}"


def _decimal(amount: int, unit: int) -> str:
    whole, part = divmod(amount, unit)
    digits = str(part).rjust(len(str(unit)) - 1, "0").rstrip("0")
    return f"{whole}.{digits}" if digits else str(whole)
