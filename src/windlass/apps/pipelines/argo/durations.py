"""Durations: `10s`, `1h30m`, `2d`, or a number of seconds."""

import re
from typing import Any

MAX_LENGTH = 40
_PART = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h|d)")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def seconds_of(value: Any) -> float:
    """The seconds of a duration. Raises ValueError."""
    text = str(value).strip()
    if re.fullmatch(r"\d{1,12}(\.\d+)?", text):
        return float(text)
    parts = list(_PART.finditer(text)) if len(text) <= MAX_LENGTH else []
    if not parts or "".join(part[0] for part in parts) != text:
        raise ValueError(f"{text[:100]!r} is not a duration such as 10s, 2m or 1h")
    return sum(float(part[1]) * _SECONDS[part[2]] for part in parts)
