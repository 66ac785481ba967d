"""Arithmetic of times that users write: what is too far away is far away, and not an error.

Deadlines and times to live are 64-bit numbers in the API, of which most are beyond what Python's datetime holds.
"""

from datetime import UTC, datetime, timedelta

LONGEST = timedelta(days=100 * 365)
EARLIEST, LATEST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


def span(seconds: float) -> timedelta:
    """So many seconds; at most a hundred years, either way."""
    most = LONGEST.total_seconds()
    return timedelta(seconds=max(-most, min(seconds, most)))


def moment_after(start: datetime, seconds: float) -> datetime:
    """The moment so many seconds later, as far as there is a date for it."""
    try:
        return start + span(seconds)
    except OverflowError:
        return LATEST if seconds > 0 else EARLIEST
