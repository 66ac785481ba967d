"""Cycle detection in dependency graphs."""

from collections.abc import Iterable, Mapping


def is_acyclic(waits_for: Mapping[str, Iterable[str]]) -> bool:
    """Whether every node can be ordered after all that it waits for. Nodes missing from the mapping are never done."""
    waiting = {name: set(others) for name, others in waits_for.items()}
    while waiting:
        free = {name for name, others in waiting.items() if not others}
        if not free:
            return False
        waiting = {name: others - free for name, others in waiting.items() if name not in free}
    return True
