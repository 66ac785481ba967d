"""How often a password may be tried: freely up to a limit in ten minutes, then with a growing delay."""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias

WINDOW = timedelta(minutes=10)
PER_USER, PER_ADDRESS = 10, 30
LONGEST_DELAY = timedelta(seconds=30)
MAX_WAITING, MAX_WAITING_FOR_USER = 3, 10
"""Tries of one address, and for one user, that may wait at a time; more are refused at once. One address cannot take
all places of a user."""
MAX_KEYS = 50_000

Key: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class SignInTry:
    """A password that someone gives.

    `known_browser` names a browser in which the user has signed in before; empty for others. Its tries are counted
    apart: who guesses the user's password elsewhere keeps nobody out of it.
    """

    user: str
    address: str
    known_browser: str = ""

    @property
    def limits(self) -> tuple[tuple[Key, int], ...]:
        """The counters of its failures, each with the failures that are free."""
        if self.known_browser:
            return ((("browser", self.known_browser), PER_USER),)
        return ((("user", self.user), PER_USER), (("address", self.address), PER_ADDRESS))


def delay_after(failures: int, limit: int) -> float:
    """Seconds to wait before the next try: 0 below the limit, then 1, 2, 4 … up to the longest."""
    excess = failures - limit
    return 0.0 if excess < 0 else min(2.0 ** min(excess, 10), LONGEST_DELAY.total_seconds())


class Throttle:
    """Failures of the last ten minutes by user, address and known browser; in memory, since no attacker can restart
    the gateway."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures: OrderedDict[Key, deque[float]] = OrderedDict()
        self._waiting: dict[Key, int] = {}

    def delay(self, attempt: SignInTry) -> float:
        return max(delay_after(len(self._recent(key)), limit) for key, limit in attempt.limits)

    def failed(self, attempt: SignInTry) -> None:
        for key, limit in attempt.limits:
            times = self._recent(key)
            times.append(self._clock())
            while len(times) > limit + 10:  # what is older than the longest delay asks for changes nothing
                times.popleft()
            self._failures[key] = times
            self._failures.move_to_end(key)
        while len(self._failures) > MAX_KEYS:
            self._failures.popitem(last=False)

    def succeeded(self, attempt: SignInTry) -> None:
        """Forget the failures of the user or browser. An address may be that of many people."""
        key, _ = attempt.limits[0]
        self._failures.pop(key, None)

    def may_wait(self, attempt: SignInTry) -> bool:
        """Enter the queue of delayed tries; pair with `waited`. False when it is full."""
        if self.full_queue(attempt) is not None:
            return False
        for key, _ in attempt.limits:
            self._waiting[key] = self._waiting.get(key, 0) + 1
        return True

    def waited(self, attempt: SignInTry) -> None:
        for key, _ in attempt.limits:
            left = self._waiting.get(key, 1) - 1
            if left > 0:
                self._waiting[key] = left
            else:
                self._waiting.pop(key, None)

    def full_queue(self, attempt: SignInTry) -> Key | None:
        """The user, address or browser with as many waiting tries as it may have."""
        return next((key for key, _ in attempt.limits if self._waiting.get(key, 0) >= _max_waiting(key)), None)

    def _recent(self, key: Key) -> deque[float]:
        times = self._failures.get(key) or deque[float]()
        oldest = self._clock() - WINDOW.total_seconds()
        while times and times[0] < oldest:
            times.popleft()
        return times


def _max_waiting(key: Key) -> int:
    return MAX_WAITING_FOR_USER if key[0] == "user" else MAX_WAITING


async def wait_turn(throttle: Throttle, attempt: SignInTry) -> bool:
    """Wait as long as earlier failures ask for; False when too many are waiting already."""
    delay = throttle.delay(attempt)
    if delay <= 0:
        return True
    if not throttle.may_wait(attempt):
        return False
    try:
        await asyncio.sleep(delay)
    finally:
        throttle.waited(attempt)
    return True
