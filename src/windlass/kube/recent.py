"""A dict that keeps the keys used last."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

H = TypeVar("H", bound=Hashable)
V = TypeVar("V")

REMEMBERED = 4096


class Recent(Generic[H, V]):
    """Forgets the key that was used least recently when there are more than `size`."""

    def __init__(self, size: int = REMEMBERED) -> None:
        self._size = size
        self._entries: OrderedDict[H, V] = OrderedDict()

    def __contains__(self, key: H) -> bool:
        return key in self._entries

    def get(self, key: H, make: Callable[[], V]) -> V:
        if key not in self._entries:
            self._entries[key] = make()
            if len(self._entries) > self._size:
                self._entries.popitem(last=False)
        self._entries.move_to_end(key)
        return self._entries[key]
