"""Cells that many kinds share: ages, names, label texts, container lists, and shorthands for columns.

A cell is a function of the decoded object and of the time to which ages are relative. Objects are validated when they
are written, so cells may rely on JSON types, but not on fields being present.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

from windlass.apiserver.resources import Column
from windlass.kube.json import Object, dig, dig_list, dig_object

Cell: TypeAlias = Callable[[Object, datetime], Any]
Columns: TypeAlias = tuple[Column, ...]

_MINUTE, _HOUR, _DAY, _YEAR = 60, 3600, 86400, 86400 * 365


def human_duration(seconds: float) -> str:
    """A duration in at most two units, coarser the longer it is, as Kubernetes prints ages."""
    whole = int(seconds)
    if whole < -1:
        return "<invalid>"
    if whole < 0:
        return "0s"
    if whole < 2 * _MINUTE:
        return f"{whole}s"
    if whole < 10 * _MINUTE:
        return _two_units(whole, _MINUTE, "m", 1, "s")
    if whole < 3 * _HOUR:
        return f"{whole // _MINUTE}m"
    if whole < 8 * _HOUR:
        return _two_units(whole, _HOUR, "h", _MINUTE, "m")
    if whole < 2 * _DAY:
        return f"{whole // _HOUR}h"
    if whole < 8 * _DAY:
        return _two_units(whole, _DAY, "d", _HOUR, "h")
    if whole < 2 * _YEAR:
        return f"{whole // _DAY}d"
    if whole < 8 * _YEAR:
        return _two_units(whole, _YEAR, "y", _DAY, "d")
    return f"{whole // _YEAR}y"


def _two_units(seconds: int, large: int, large_name: str, small: int, small_name: str) -> str:
    rest = seconds % large // small
    return f"{seconds // large}{large_name}{rest}{small_name}" if rest else f"{seconds // large}{large_name}"


def parse_time(text: str) -> datetime | None:
    """Parse an RFC 3339 time; None if it is invalid."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def since(text: str | None, now: datetime) -> str:
    """The age of a timestamp; `<unknown>` without one."""
    if not text:
        return "<unknown>"
    moment = parse_time(text)
    return human_duration((now - moment).total_seconds()) if moment else "<invalid>"


def age(obj: Object, now: datetime) -> str:
    return since(obj["metadata"].get("creationTimestamp"), now)


def name(obj: Object, now: datetime) -> str:
    return obj["metadata"].get("name", "")


def at(*path: str, default: Any = "") -> Cell:
    """The field at `path`, or `default` if it is missing or empty."""
    return lambda obj, now: dig(obj, *path) or default


def shown(*path: str, default: Any = "<unset>") -> Cell:
    """The field at `path` even if it is empty, and `default` only if it is missing."""

    def cell(obj: Object, now: datetime) -> Any:
        found = dig(obj, *path)
        return default if found is None else found

    return cell


def count(*path: str) -> Cell:
    """The number of items of the list or map at `path`."""
    return lambda obj, now: len(dig(obj, *path) or ())


def labels_text(labels: Mapping[str, str] | None) -> str:
    return ",".join(f"{key}={value}" for key, value in sorted(labels.items())) if labels else "<none>"


def selector_text(selector: Object) -> str:
    """A label selector in the syntax of `-l`; empty if it has no requirements."""
    terms = [(key, f"{key}={value}") for key, value in dig_object(selector, "matchLabels").items()]
    for term in dig_list(selector, "matchExpressions"):
        key, values = term.get("key", ""), ",".join(sorted(term.get("values") or ()))
        match term.get("operator"):
            case "In":
                terms.append((key, f"{key} in ({values})"))
            case "NotIn":
                terms.append((key, f"{key} notin ({values})"))
            case "Exists":
                terms.append((key, key))
            case _:
                terms.append((key, f"!{key}"))
    return ",".join(text for _, text in sorted(terms))


def with_more(items: Iterable[str], limit: int, separator: str = ",", empty: str = "<unset>") -> str:
    """The first few items, and the number of others."""
    texts = list(items)
    text = separator.join(texts[:limit])
    if len(texts) > limit:
        return f"{text} + {len(texts) - limit} more..."
    return text or empty


def condition_status(obj: Object, type_: str) -> str:
    """The status of a condition; empty if the object does not have it."""
    for condition in dig_list(obj, "status", "conditions"):
        if condition.get("type") == type_:
            return condition.get("status", "")
    return ""


NAME = Column("Name", name, "string", "name", "The name of the object, unique among its kind in its namespace.")
AGE = Column("Age", age, "string", "", "Time since the creation of the object.")


def text(title: str, cell: Cell, description: str = "") -> Column:
    return Column(title, cell, "string", "", description)


def number(title: str, cell: Cell, description: str = "") -> Column:
    return Column(title, cell, "integer", "", description)


def flag(title: str, cell: Cell, description: str = "") -> Column:
    return Column(title, cell, "boolean", "", description)


def wide(title: str, cell: Cell, description: str = "") -> Column:
    """A column that only `-o wide` shows."""
    return Column(title, cell, "string", "", description, 1)


def container_columns(*template: str) -> Columns:
    """Names and images of the containers in the pod template at `template`, for -o wide."""
    path = (*template, "spec", "containers")
    return (
        wide("Containers", _joined(path, "name"), "Names of each container in the template."),
        wide("Images", _joined(path, "image"), "Images referenced by each container in the template."),
    )


def _joined(path: tuple[str, ...], field: str) -> Cell:
    return lambda obj, now: ",".join(item.get(field, "") for item in dig_list(obj, *path))


def selector_column(*path: str) -> Column:
    return wide(
        "Selector",
        lambda obj, now: selector_text(dig_object(obj, *path)) or "<none>",
        "The label selector of the pods.",
    )
