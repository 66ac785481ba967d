"""The work queue: which objects a controller still has to look at. client-go's idea, on one event loop.

A key is in line at most once and held by at most one worker. `add` of a key in line does nothing; `add` of a key that
a worker holds puts it in line again when that worker is done. A failed key comes back after 5 ms, doubling to 1000 s.

`Line` is that bookkeeping, without time or waiting; `Queue` adds both.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Hashable
from typing import Generic, Protocol, TypeVar

K = TypeVar("K", bound=Hashable)

FIRST_DELAY, LONGEST_DELAY = 0.005, 1000.0  # seconds; client-go's per-item exponential limiter


class Line(Generic[K]):
    """Keys that must be worked on (`dirty`) and those being worked on (`running`)."""

    def __init__(self) -> None:
        self._line: deque[K] = deque()
        self._dirty: set[K] = set()
        self._running: set[K] = set()

    def __len__(self) -> int:
        return len(self._line)

    @property
    def running(self) -> int:
        return len(self._running)

    def add(self, key: K) -> bool:
        """Note that `key` must be worked on; True when it was not noted already."""
        if key in self._dirty:
            return False
        self._dirty.add(key)
        if key not in self._running:
            self._line.append(key)
        return True

    def take(self) -> K:
        """The key that waits longest; its taker must give it back with `done`."""
        key = self._line.popleft()
        self._dirty.discard(key)
        if not self._dirty:  # a set keeps the room for all that were ever in it: every object, when a manager starts
            self._dirty = set()
        self._running.add(key)
        return key

    def done(self, key: K) -> bool:
        """The worker let go of `key`; True when it was added meanwhile and is in line again."""
        self._running.discard(key)
        if key not in self._dirty:
            return False
        self._line.append(key)
        return True


class Bucket:
    """An overall limit: `burst` at once, then `rate` a second. Says how long to wait, and counts on its being done."""

    def __init__(self, rate: float = 10.0, burst: int = 100, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._tokens, self._at = float(burst), clock()

    def delay(self) -> float:
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now
        self._tokens -= 1
        return 0.0 if self._tokens >= 0 else -self._tokens / self._rate


class QueueMetrics(Protocol):
    """What a queue reports; see `windlass.kube.metrics`."""

    def depth(self, value: int, /) -> None: ...

    def added(self) -> None: ...

    def waited(self, seconds: float, /) -> None: ...

    def worked(self, seconds: float, /) -> None: ...

    def retried(self) -> None: ...


class Queue(Generic[K]):
    """A rate-limited, deduplicating queue. Workers iterate over it, and call `done` or `retry` for each key."""

    def __init__(
        self,
        *,
        first_delay: float = FIRST_DELAY,
        longest_delay: float = LONGEST_DELAY,
        bucket: Bucket | None = None,
        metrics: QueueMetrics | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._line: Line[K] = Line()
        self._failures: dict[K, int] = {}
        self._messages: dict[K, str] = {}
        self._later: dict[K, asyncio.TimerHandle] = {}
        self._since: dict[K, float] = {}
        self._started: dict[K, float] = {}
        self._first, self._longest, self._bucket = first_delay, longest_delay, bucket
        self._metrics, self._clock = metrics, clock
        self._wakers: deque[asyncio.Future[None]] = deque()
        self._stopping = False

    def __len__(self) -> int:
        return len(self._line)

    def failures(self, key: K) -> int:
        """How often in a row `key` has failed."""
        return self._failures.get(key, 0)

    def failing(self) -> list[K]:
        """The keys whose last work failed."""
        return list(self._failures)

    def repeats(self, key: K, message: str) -> bool:
        """Whether `key` has failed with this message the last time too; remembers it for the next."""
        before, self._messages[key] = self._messages.get(key), message
        return before == message

    def forget(self, key: K) -> None:
        """Let the next failure of `key` count as the first: what it failed for has changed."""
        self._failures.pop(key, None)
        self._messages.pop(key, None)

    def add(self, key: K) -> None:
        if self._stopping or not self._line.add(key):
            return
        self._since.setdefault(key, self._clock())
        if self._metrics:
            self._metrics.added()
        self._changed()

    def add_after(self, key: K, seconds: float) -> None:
        """Add `key` in a while; of several such wishes for one key, the soonest stands."""
        if self._stopping:
            return
        if seconds <= 0:
            self.add(key)
            return
        loop = asyncio.get_running_loop()
        waiting = self._later.get(key)
        if waiting is not None and waiting.when() <= loop.time() + seconds:
            return
        if waiting is not None:
            waiting.cancel()
        self._later[key] = loop.call_later(seconds, self._due, key)

    def _due(self, key: K) -> None:
        self._later.pop(key, None)
        self.add(key)

    def retry(self, key: K, longest: float | None = None) -> float:
        """The work on `key` failed: let go of it and add it again after its growing delay, which is returned.

        The delay is at most `longest` seconds, or what the queue allows.
        """
        failures = self._failures.get(key, 0)
        self._failures[key] = failures + 1
        delay = min(self._first * 2 ** min(failures, 60), self._longest if longest is None else longest)
        if self._bucket is not None:
            delay = max(delay, self._bucket.delay())
        if self._metrics:
            self._metrics.retried()
        self.add_after(key, delay)
        self._release(key)
        return delay

    def done(self, key: K, again_in: float | None = None) -> None:
        """The work on `key` succeeded: its failures are forgotten; it is queued again in `again_in` seconds."""
        self.forget(key)
        if again_in is not None:
            self.add_after(key, again_in)
        self._release(key)

    async def __aiter__(self) -> AsyncIterator[K]:
        """Keys to work on, until the queue is shut down; what is then still in line is left there."""
        while True:
            while not self._stopping and not len(self._line):
                waker: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                self._wakers.append(waker)
                try:
                    await waker
                except asyncio.CancelledError:
                    self._changed()  # the key this worker was woken for is another's now
                    raise
            if self._stopping:
                return
            yield self._take()

    def shut_down(self) -> None:
        """No more keys go in or out; workers finish what they hold."""
        self._stopping = True
        for handle in self._later.values():
            handle.cancel()
        self._later.clear()
        while self._wakers:
            self._wake_one()

    def _take(self) -> K:
        key = self._line.take()
        now = self._clock()
        waited = now - self._since.pop(key, now)
        if not self._since:  # as a set, a dict keeps its room
            self._since = {}
        self._started[key] = now
        if self._metrics:
            self._metrics.waited(waited)
            self._metrics.depth(len(self._line))
        return key

    def _release(self, key: K) -> None:
        began = self._started.pop(key, None)
        if self._metrics and began is not None:
            self._metrics.worked(self._clock() - began)
        self._line.done(key)
        self._changed()

    def _changed(self) -> None:
        if self._metrics:
            self._metrics.depth(len(self._line))
        if len(self._line):
            self._wake_one()

    def _wake_one(self) -> None:
        while self._wakers:
            waker = self._wakers.popleft()
            if not waker.done():
                waker.set_result(None)
                return
