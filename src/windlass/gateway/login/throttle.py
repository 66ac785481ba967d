"""How often a password may be tried: freely up to a limit in ten minutes, then with a growing delay."""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from datetime import timedelta

WINDOW = timedelta(minutes=10)
PER_USER, PER_ADDRESS = 10, 30
LONGEST_DELAY = timedelta(seconds=30)
MAX_WAITING = 3
"""Tries of one user or address that may wait at a time; more are refused at once."""
MAX_KEYS = 50_000


def delay_after(failures: int, limit: int) -> float:
    """Seconds to wait before the next try: 0 below the limit, then 1, 2, 4 … up to the longest."""
    excess = failures - limit
    return 0.0 if excess < 0 else min(2.0 ** min(excess, 10), LONGEST_DELAY.total_seconds())


class Throttle:
    """Failures of the last ten minutes by user and by address; in memory, since no attacker can restart the gateway."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()
        self._waiting: dict[tuple[str, str], int] = {}

    def delay(self, user: str, address: str) -> float:
        return max(
            delay_after(len(self._recent(("user", user))), PER_USER),
            delay_after(len(self._recent(("address", address))), PER_ADDRESS),
        )

    def failed(self, user: str, address: str) -> None:
        for key, limit in ((("user", user), PER_USER), (("address", address), PER_ADDRESS)):
            times = self._recent(key)
            times.append(self._clock())
            while len(times) > limit + 10:  # what is older than the longest delay asks for changes nothing
                times.popleft()
            self._failures[key] = times
            self._failures.move_to_end(key)
        while len(self._failures) > MAX_KEYS:
            self._failures.popitem(last=False)

    def succeeded(self, user: str) -> None:
        self._failures.pop(("user", user), None)

    def may_wait(self, user: str, address: str) -> bool:
        """Enter the queue of delayed tries; pair with `waited`. False when it is full."""
        keys = (("user", user), ("address", address))
        if any(self._waiting.get(key, 0) >= MAX_WAITING for key in keys):
            return False
        for key in keys:
            self._waiting[key] = self._waiting.get(key, 0) + 1
        return True

    def waited(self, user: str, address: str) -> None:
        for key in (("user", user), ("address", address)):
            left = self._waiting.get(key, 1) - 1
            if left > 0:
                self._waiting[key] = left
            else:
                self._waiting.pop(key, None)

    def _recent(self, key: tuple[str, str]) -> deque[float]:
        times = self._failures.get(key) or deque[float]()
        oldest = self._clock() - WINDOW.total_seconds()
        while times and times[0] < oldest:
            times.popleft()
        return times


async def wait_turn(throttle: Throttle, user: str, address: str) -> bool:
    """Wait as long as earlier failures ask for; False when too many are waiting already."""
    delay = throttle.delay(user, address)
    if delay <= 0:
        return True
    if not throttle.may_wait(user, address):
        return False
    try:
        await asyncio.sleep(delay)
    finally:
        throttle.waited(user, address)
    return True
