"""Times of the status, which are RFC 3339 to the second."""

from datetime import UTC, datetime
from typing import Any

from windlass.kube.meta import parse_time

EPOCH = datetime.fromtimestamp(0, UTC)


def moment(text: Any) -> datetime:
    """The moment that a text names; 1970 for what is none."""
    try:
        return parse_time(str(text)) if text else EPOCH
    except ValueError:
        return EPOCH
