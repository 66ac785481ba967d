"""Times of the status, as RFC 3339 to the second, and durations: `10s`, `1h30m`, `2d`, or a number of seconds."""

import re
from datetime import UTC, datetime
from typing import Any

from windlass.kube.meta import parse_time

EPOCH = datetime.fromtimestamp(0, UTC)
MAX_DURATION = 40  # characters
_PART = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h|d)")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def moment(text: Any) -> datetime:
    """The moment that a text names; 1970 for what is none."""
    try:
        return parse_time(str(text)) if text else EPOCH
    except ValueError:
        return EPOCH


def seconds_of(value: Any) -> float:
    """The seconds of a duration. Raises ValueError."""
    text = str(value).strip()
    if re.fullmatch(r"\d{1,12}(\.\d+)?", text):
        return float(text)
    parts = list(_PART.finditer(text)) if len(text) <= MAX_DURATION else []
    if not parts or "".join(part[0] for part in parts) != text:
        raise ValueError(f"{text[:100]!r} is not a duration such as 10s, 2m or 1h")
    return sum(float(part[1]) * _SECONDS[part[2]] for part in parts)
