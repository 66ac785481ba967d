"""How long to wait before a fallen process is started again."""

from dataclasses import dataclass

FIRST = 0.2
LONGEST = 30.0
STEADY = 60.0  # who ran this long has proven itself: the next fall counts as the first


@dataclass(frozen=True)
class Backoff:
    falls: int = 0

    def after(self, ran_for: float) -> "Backoff":
        return Backoff(1 if ran_for >= STEADY else self.falls + 1)

    @property
    def delay(self) -> float:
        if self.falls == 0:
            return 0.0
        return min(LONGEST, FIRST * 2.0 ** min(self.falls - 1, 30))
