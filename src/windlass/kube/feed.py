"""Turns what happens to objects into keys that a controller has to look at."""

from collections.abc import Callable, Iterable
from typing import Any

from windlass.kube.meta import Key
from windlass.kube.objects import AnyObject, desired, key_of
from windlass.kube.queue import Queue


class Feed:
    """Turns changes of one store into keys on the queue of a controller, `place`."""

    def __init__(self, place: str, queue: Queue[Key], keys: Callable[[Any], Iterable[Key]]) -> None:
        self.place, self._queue, self._keys = place, queue, keys

    def added(self, obj: AnyObject, /) -> None:
        for key in self._keys(obj):
            self._queue.add(key)

    def changed(self, old: AnyObject, new: AnyObject, /) -> None:
        self.added(new)
        if old is not new:
            self.added(old)  # whom it concerned before; the queue drops the repeated key

    deleted = added


class OwnFeed(Feed):
    """The feed of a controller's own kind: an object that somebody edited begins again with short delays."""

    def changed(self, old: AnyObject, new: AnyObject, /) -> None:
        key = key_of(new)
        if self._queue.failures(key) and desired(old) != desired(new):
            self._queue.forget(key)
        super().changed(old, new)


class FailingFeed(Feed):
    """Adds the keys that failed when something changes that may have been the cause."""

    def __init__(self, place: str, queue: Queue[Key], matters: Callable[[Any], object]) -> None:
        super().__init__(place, queue, lambda _: queue.failing())
        self._matters = matters

    def changed(self, old: AnyObject, new: AnyObject, /) -> None:
        if self._matters(old) != self._matters(new):
            self.added(new)
