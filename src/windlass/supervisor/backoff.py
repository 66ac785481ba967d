"""The delay before a crashed process is restarted."""

from dataclasses import dataclass

FIRST_DELAY_SECONDS = 0.2  # before the second restart; the first is at once, since most crashes happen once
MAX_DELAY_SECONDS = 30.0
STABLE_AFTER_SECONDS = 60.0  # who ran this long has proven itself: the next fall counts as the first


@dataclass(frozen=True)
class Backoff:
    crashes: int = 0

    def after(self, ran_for: float) -> "Backoff":
        return Backoff(1 if ran_for >= STABLE_AFTER_SECONDS else self.crashes + 1)

    @property
    def delay(self) -> float:
        if self.crashes <= 1:
            return 0.0
        return min(MAX_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2.0 ** min(self.crashes - 2, 30))
