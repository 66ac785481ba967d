"""Whether things that wait for each other can ever be done."""

from collections.abc import Iterable, Mapping


def is_acyclic(waits_for: Mapping[str, Iterable[str]]) -> bool:
    """Whether each can be done after all that it waits for. What is not in the mapping is never done."""
    waiting = {name: set(others) for name, others in waits_for.items()}
    while waiting:
        free = {name for name, others in waiting.items() if not others}
        if not free:
            return False
        waiting = {name: others - free for name, others in waiting.items() if name not in free}
    return True
