"""Spreads the writes of all namespaces over time, one of each namespace in turn. Deterministic: the clock is given."""

from collections import OrderedDict

from windlass.kube.meta import Key


class Pace:
    """`burst` writes at once, then `rate` a second, for all namespaces together.

    Each namespace has a line of its own, and the lines take turns: a write waits for the earlier ones of its own
    namespace and for at most as many of each other namespace, however many those have.
    """

    def __init__(self, rate: float, burst: int) -> None:
        self._interval, self._burst_seconds = 1 / rate, burst / rate
        self._used_until = float("-inf")
        self._lines: OrderedDict[str, OrderedDict[Key, None]] = OrderedDict()
        """The lines by namespace, the next one first; OrderedDict, as a dict is slow to give up its first keys."""

    def __bool__(self) -> bool:
        """Whether any write waits."""
        return bool(self._lines)

    def add(self, key: Key) -> None:
        """Put a write in line, unless it waits there already."""
        self._lines.setdefault(key.namespace, OrderedDict()).setdefault(key)

    def delay(self, now: float) -> float:
        """Seconds until the next write may be made."""
        seconds = max(self._used_until, now) + self._interval - now - self._burst_seconds
        return max(0.0, round(seconds, 6))  # sums of floats are never exact

    def take(self, now: float) -> Key | None:
        """The next write; None if none waits or none may be made yet."""
        if not self._lines or self.delay(now) > 0:
            return None
        self._used_until = max(self._used_until, now) + self._interval
        namespace, line = next(iter(self._lines.items()))
        key, _ = line.popitem(last=False)
        if line:
            self._lines.move_to_end(namespace)
        else:
            del self._lines[namespace]
        return key
