"""How upstream's webhook prints what is wrong with fields."""

from collections.abc import Iterable

from windlass.kube.errors import Cause


def told(causes: Iterable[Cause]) -> list[str]:
    return [f"{cause.field}: {cause.message}" for cause in causes]


def aggregated(messages: list[str]) -> str:
    """Of an update: one as it is, several in brackets."""
    return messages[0] if len(messages) == 1 else f"[{', '.join(messages)}]" if messages else ""
