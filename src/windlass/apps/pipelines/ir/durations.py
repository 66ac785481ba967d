"""Durations as protobuf's JSON form writes them: `30s`, `1.5s`."""

import re

_DURATION = re.compile(r"^\d{1,12}(\.\d{1,9})?s$", re.ASCII)


def seconds(text: str) -> float:
    """The length of a duration; 0 for an empty text. Raises ValueError."""
    if not text:
        return 0.0
    if not _DURATION.match(text):
        raise ValueError(f"{text!r} is not a duration such as 30s")
    return float(text[:-1])
