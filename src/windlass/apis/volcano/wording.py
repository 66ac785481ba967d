"""How Go prints what Volcano's webhooks say: lists, errors of fields, several errors at once."""

from collections.abc import Iterable

from windlass.kube.errors import Cause


def listed(items: Iterable[str]) -> str:
    """`[a b]`, as `%v` prints a slice."""
    return f"[{' '.join(items)}]"


def aggregated(causes: list[Cause]) -> str:
    """One error of a field as it is, several in brackets; nothing where there are none."""
    told = [f"{cause.field}: {cause.message}" for cause in causes]
    return told[0] if len(told) == 1 else f"[{', '.join(told)}]" if told else ""


def occurred(errors: list[str]) -> str:
    """As the library go-multierror lists errors."""
    head = "1 error" if len(errors) == 1 else f"{len(errors)} errors"
    return f"{head} occurred:\n" + "".join(f"\t* {error}\n" for error in errors) + "\n"


def queue_not_found(name: str) -> str:
    return f'queue.scheduling.volcano.sh "{name}" not found'
