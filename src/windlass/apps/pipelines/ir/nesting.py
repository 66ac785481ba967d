"""A bound on lists and objects in each other: what reads them recurses."""

from typing import Any

from windlass.kube.json import is_list, is_object

MAX_NESTING = 100


def is_too_deep(value: Any) -> bool:
    """Whether more than MAX_NESTING lists and objects are in each other."""
    level = [value]
    for _ in range(MAX_NESTING + 1):
        inner: list[Any] = []
        for item in level:
            if is_object(item):
                inner.extend(item.values())
            elif is_list(item):
                inner.extend(item)
        if not inner:
            return False
        level = inner
    return True
