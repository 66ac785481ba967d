"""Times as numbers (seconds since the epoch), as the API's strings, and as Go prints durations."""

from datetime import UTC, datetime

from windlass.kube.json import timestamp
from windlass.kube.meta import parse_time


def told(moment: float) -> str:
    """RFC 3339, to the second."""
    return timestamp(datetime.fromtimestamp(moment, UTC))


def read(text: object) -> float:
    """The moment that a string of the API names; 0 where there is none."""
    if not isinstance(text, str):
        return 0.0
    try:
        return parse_time(text).timestamp()
    except ValueError:
        return 0.0


def duration(seconds: float) -> str:
    """As Go prints whole seconds: `10s`, `1m20s`, `5m0s`, `1h0m0s`."""
    hours, rest = divmod(int(seconds), 3600)
    minutes, left = divmod(rest, 60)
    if hours:
        return f"{hours}h{minutes}m{left}s"
    return f"{minutes}m{left}s" if minutes else f"{left}s"
