"""What a task with `withItems`, `withParam` or `withSequence` is expanded into."""

from typing import Any

from windlass.apps.pipelines.argo.language.scope import Scope
from windlass.apps.pipelines.argo.language.values import text_of
from windlass.kube.json import Object, is_list, is_object, parse

LOOPS = ("withItems", "withParam", "withSequence")
MAX_ITEMS = 10_000
MAX_LABEL = 200


class BadLoop(ValueError):
    """Says why there are no items."""


def is_loop(call: Object) -> bool:
    return any(call.get(loop) is not None for loop in LOOPS)


def items_of(call: Object) -> list[Any]:
    """Items of a loop whose tags were replaced. Raises BadLoop."""
    items = _items(call)
    if len(items) > MAX_ITEMS:
        raise BadLoop(f"{len(items)} items; at most {MAX_ITEMS} are supported")
    return items


def item_scope(item: Any) -> Scope:
    """`item` and, of an object, `item.<field>`."""
    values: dict[str, Any] = {"item": item}
    if is_object(item):
        values |= {f"item.{name}": value for name, value in item.items()}
    return Scope(values)


def label(item: Any) -> str:
    """How a node's name shows an item."""
    if is_object(item):
        return ",".join(f"{name}:{text_of(item[name])}" for name in sorted(item))[:MAX_LABEL]
    if is_list(item):
        return f"[{' '.join(map(text_of, item))}]"[:MAX_LABEL]
    return text_of(item)[:MAX_LABEL]


def _items(call: Object) -> list[Any]:
    if call.get("withItems") is not None:
        given = call["withItems"]
        if not is_list(given):
            raise BadLoop("withItems is not a list")
        return given
    if call.get("withParam") is not None:
        return _decoded(str(call["withParam"]))
    return _sequence(call["withSequence"])


def _decoded(text: str) -> list[Any]:
    try:
        items = parse(text)
    except ValueError:
        raise BadLoop(f"withParam value could not be parsed as a JSON list: {text[:100]!r}") from None
    if not is_list(items):
        raise BadLoop(f"withParam value is not a JSON list: {text[:100]!r}")
    return items


def _sequence(sequence: Object) -> list[Any]:
    try:
        start = int(str(sequence.get("start") or 0))
        if sequence.get("count") is not None:
            count = int(str(sequence["count"]))
            numbers = range(start, start + max(count, 0))
        elif sequence.get("end") is not None:
            end = int(str(sequence["end"]))
            numbers = range(start, end + 1) if end >= start else range(start, end - 1, -1)
        else:
            raise BadLoop("withSequence needs count or end")
        if len(numbers) > MAX_ITEMS:
            raise BadLoop(f"{len(numbers)} items; at most {MAX_ITEMS} are supported")
        form = str(sequence.get("format") or "%d")
        return [form % number for number in numbers]
    except (ValueError, TypeError, OverflowError, MemoryError) as error:
        if isinstance(error, BadLoop):
            raise
        raise BadLoop(f"withSequence: {error}") from None
