"""Refuse YAML whose aliases stand for far more than what is written: a few lines can mean gigabytes. Pure."""

from typing import Any

MAX_EXPANDED_NODES = 400_000
"""Of a document with all of its aliases replaced. A manifest of 3 MiB, the largest that a server takes, has fewer."""


class ExcessiveAliasing(ValueError):
    """The document is too large once its aliases are replaced, or contains itself."""

    def __init__(self) -> None:
        super().__init__("document contains excessive aliasing")


def check_aliases(node: Any) -> None:
    """Raise ExcessiveAliasing for such a node of PyYAML's, before Python objects are made of it."""
    _expanded_size(node, {})


def _expanded_size(node: Any, known: dict[int, int | None]) -> int:
    """How many nodes there are below; each is counted once and its size added wherever it is meant."""
    if id(node) in known:
        size = known[id(node)]
        if size is None:  # it is being counted: it contains itself
            raise ExcessiveAliasing
        return size
    known[id(node)] = None
    size = 1
    for child in _children(node):
        size += _expanded_size(child, known)
        if size > MAX_EXPANDED_NODES:
            raise ExcessiveAliasing
    known[id(node)] = size
    return size


def _children(node: Any) -> list[Any]:
    match node.id:
        case "mapping":
            return [part for pair in node.value for part in pair]
        case "sequence":
            return node.value
        case _:
            return []
