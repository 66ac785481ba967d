"""Sinks that end the long delays of keys that failed: what they failed for may have changed."""

from collections.abc import Callable
from typing import Any

from windlass.kube.meta import Key
from windlass.kube.objects import AnyObject, desired, key_of
from windlass.kube.queue import Queue


class Edits:
    """Of a controller's own kind: an object that was edited starts with short delays again."""

    def __init__(self, queue: Queue[Key]) -> None:
        self._queue = queue

    def added(self, obj: AnyObject, /) -> None:
        """Another object of a name that failed is tried as if it were the first."""
        self._queue.forget(key_of(obj))

    def changed(self, old: AnyObject, new: AnyObject, /) -> None:
        key = key_of(new)
        if self._queue.failures(key) and desired(old) != desired(new):
            self._queue.forget(key)

    deleted = added


class Causes:
    """Of a kind that decides what is admitted: when it changes, all keys that failed are tried again at once."""

    def __init__(self, queue: Queue[Key], matters: Callable[[Any], object]) -> None:
        self._queue, self._matters = queue, matters

    def added(self, obj: AnyObject, /) -> None:
        for key in self._queue.failing():
            self._queue.add(key)

    def changed(self, old: AnyObject, new: AnyObject, /) -> None:
        if self._matters(old) != self._matters(new):
            self.added(new)

    deleted = added
