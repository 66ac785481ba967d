# pyright: strict
"""Remembers packages that could not be installed, so that every pod that names them need not wait for it again."""

import time
from collections.abc import Callable
from datetime import timedelta

RETRY_AFTER = timedelta(minutes=5)


class PackageFailures:
    """Reasons by the keys of environments."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._reasons: dict[str, tuple[float, str]] = {}

    def add(self, key: str, reason: str) -> None:
        now = self._clock()
        self._reasons = {one: entry for one, entry in self._reasons.items() if entry[0] > now}
        self._reasons[key] = (now + RETRY_AFTER.total_seconds(), reason)

    def recent(self, key: str) -> str | None:
        """Return why the environment could not be built a short while ago; None if it may be tried."""
        until, reason = self._reasons.get(key, (0.0, ""))
        return reason if self._clock() < until else None
