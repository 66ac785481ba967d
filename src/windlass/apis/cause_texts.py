"""Formatting of field errors as upstream's webhook prints them."""

from collections.abc import Iterable

from windlass.kube.errors import Cause


def formatted(causes: Iterable[Cause]) -> list[str]:
    return [f"{cause.field}: {cause.message}" for cause in causes]


def aggregated(messages: list[str]) -> str:
    """Format the errors of an update: one as it is, several in brackets."""
    return messages[0] if len(messages) == 1 else f"[{', '.join(messages)}]" if messages else ""
