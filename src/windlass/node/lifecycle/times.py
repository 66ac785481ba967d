"""Converts times: seconds since the epoch, the API's strings, and Go's durations."""

from datetime import UTC, datetime

from windlass.kube import meta
from windlass.kube.json import timestamp


def format_time(moment: float) -> str:
    """Format as RFC 3339, to the second."""
    return timestamp(datetime.fromtimestamp(moment, UTC))


def parse_time(text: object) -> float:
    """Parse the API's time string; 0 where there is none."""
    if not isinstance(text, str):
        return 0.0
    try:
        return meta.parse_time(text).timestamp()
    except ValueError:
        return 0.0


def format_duration(seconds: float) -> str:
    """Format whole seconds as Go does: `10s`, `1m20s`, `5m0s`, `1h0m0s`."""
    hours, rest = divmod(int(seconds), 3600)
    minutes, left = divmod(rest, 60)
    if hours:
        return f"{hours}h{minutes}m{left}s"
    return f"{minutes}m{left}s" if minutes else f"{left}s"
