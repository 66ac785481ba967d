"""Turns what happens to objects into keys that a controller has to look at."""

from collections.abc import Callable, Iterable
from typing import Any

from windlass.kube.meta import Key
from windlass.kube.objects import AnyObject
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
