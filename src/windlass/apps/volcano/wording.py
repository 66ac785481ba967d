"""Formatting of Volcano's webhook messages as Go prints them: lists, field errors, aggregated errors."""

from collections.abc import Iterable

from windlass.kube.errors import Cause


def listed(items: Iterable[str]) -> str:
    """Format a list as `%v` prints a slice: `[a b]`."""
    return f"[{' '.join(items)}]"


def aggregated(causes: list[Cause]) -> str:
    """Format one field error as it is, several in brackets, and none as an empty string."""
    told = [f"{cause.field}: {cause.message}" for cause in causes]
    return told[0] if len(told) == 1 else f"[{', '.join(told)}]" if told else ""


def occurred(errors: list[str]) -> str:
    """Format errors as the library go-multierror lists them."""
    head = "1 error" if len(errors) == 1 else f"{len(errors)} errors"
    return f"{head} occurred:\n" + "".join(f"\t* {error}\n" for error in errors) + "\n"


def queue_not_found(name: str) -> str:
    return f'queue.scheduling.volcano.sh "{name}" not found'
