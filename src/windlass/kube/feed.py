"""Turns what happens to objects into keys that a controller has to look at."""

from collections.abc import Callable, Iterable
from typing import Any

from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.kube.objects import AnyObject, controller_of, key_of
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


class OwnerFeed:
    """Turns changes of one store into the keys of the objects' owners, each on the queues of controllers of its kind.

    One for all controllers that own objects of a store, so that an object costs the same however many there are.
    """

    place = "owners"

    def __init__(self) -> None:
        self._queues: dict[tuple[str, str], list[tuple[Queue[Key], bool]]] = {}
        """By group and kind of the owner; with whether the owner is in a namespace."""

    def add(self, kind: Kind, queue: Queue[Key]) -> None:
        """From now on; the controller itself looks at owners that are there already."""
        self._queues.setdefault((kind.group, kind.name), []).append((queue, kind.namespaced))

    def added(self, obj: AnyObject, /) -> None:
        owner = controller_of(obj)
        if owner is None:
            return
        for queue, is_namespaced in self._queues.get((owner.api_version.rpartition("/")[0], owner.kind), ()):
            queue.add(Key(key_of(obj).namespace if is_namespaced else "", owner.name))

    def changed(self, old: AnyObject, new: AnyObject, /) -> None:
        self.added(new)
        if old is not new:
            self.added(old)

    deleted = added
