"""Finds the objects whose selector picks given labels without asking every one of them.

Each is filed under one pair of its selector, the rarest at that time. Labels are then asked for pair by pair, and only
those that are filed there are looked at: a few, however many Services there are.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from windlass.kube.meta import Key
from windlass.kube.objects import AnyObject, key_of

Labels: TypeAlias = Mapping[str, str]
Pair: TypeAlias = tuple[str, str, str]
"""Namespace, label, value."""


class BySelector:
    """A handler of a store: subscribe it, then ask. An empty selector picks nothing."""

    def __init__(self, selector_of: Callable[[Any], Labels]) -> None:
        self._selector_of = selector_of
        self._filed: dict[Pair, dict[Key, Labels]] = {}
        self._place: dict[Key, Pair] = {}
        self._used: Counter[Pair] = Counter()

    def added(self, obj: AnyObject, /) -> None:
        selector, key = self._selector_of(obj), key_of(obj)
        pairs = _pairs(key.namespace, selector)
        if not pairs:
            return
        rarest = min(pairs, key=self._used.__getitem__)
        self._used.update(pairs)
        self._filed.setdefault(rarest, {})[key] = selector
        self._place[key] = rarest

    def changed(self, old: AnyObject, new: AnyObject, /) -> None:
        if self._selector_of(old) != self._selector_of(new):
            self.deleted(old)
            self.added(new)

    def deleted(self, obj: AnyObject, /) -> None:
        key = key_of(obj)
        place = self._place.pop(key, None)
        if place is None:
            return
        for pair in _pairs(key.namespace, self._filed[place].pop(key)):
            self._used[pair] -= 1
            if not self._used[pair]:
                del self._used[pair]
        if not self._filed[place]:
            del self._filed[place]

    def picking(self, namespace: str, labels: Labels) -> list[Key]:
        """Those of a namespace whose every pair is among the labels."""
        found: list[Key] = []
        for pair in _pairs(namespace, labels):
            for key, selector in self._filed.get(pair, {}).items():
                if all(labels.get(name) == value for name, value in selector.items()):
                    found.append(key)
        return found


def _pairs(namespace: str, labels: Labels) -> list[Pair]:
    return [(namespace, name, value) for name, value in labels.items()]
