"""Spreads writes that nobody waits for over time. Pure: the clock is an argument."""


class Pace:
    """`burst` writes at once, then `rate` a second."""

    def __init__(self, rate: float, burst: int) -> None:
        self._interval, self._burst_seconds = 1 / rate, burst / rate
        self._used_until = float("-inf")

    def delay(self, now: float) -> float:
        """Seconds until the next write may be made; each call is a write."""
        self._used_until = max(self._used_until, now) + self._interval
        return max(0.0, self._used_until - now - self._burst_seconds)
