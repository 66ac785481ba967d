"""How deeply values may be nested, whatever format they are read from."""

from typing import Any

MAX_DEPTH = 200
"""Levels of nested lists and mappings. Functions that recurse over values stay far below Python's limit of 1,000."""
TOO_DEEP = f"nested deeper than {MAX_DEPTH} levels"


def is_too_deep(value: Any) -> bool:
    """Whether a value as JSON has it has more than MAX_DEPTH levels of objects and lists."""
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for container in level
            if container.__class__ in (dict, list)
            for inner in (container.values() if container.__class__ is dict else container)
            if inner.__class__ in (dict, list)
        ]
        if not level:
            return False
    return True
