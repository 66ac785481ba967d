"""The columns of a custom resource: its name, and the definition's `additionalPrinterColumns`."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from windlass.apiserver.resources import Column
from windlass.apiserver.tables.cells import NAME, Cell, Columns, since
from windlass.kube.json import Object, encode
from windlass.kube.jsonpath import Find, compile_path

_DEFAULT = {
    "name": "Age",
    "type": "date",
    "jsonPath": ".metadata.creationTimestamp",
    "description": "Time since the creation of the object.",
}


def crd_columns(additional_printer_columns: Iterable[Object] | None) -> Columns:
    """The columns of a version of a CustomResourceDefinition; a column with an invalid path stays empty."""
    declared = list(additional_printer_columns or ()) or [_DEFAULT]
    return (NAME, *(_column(declaration) for declaration in declared))


def _column(declared: Object) -> Column:
    path, type_ = declared.get("jsonPath", ""), declared.get("type", "string")
    return Column(
        name=declared.get("name", ""),
        cell=_cell(_finder(path), type_),
        type=type_,
        format=declared.get("format", ""),
        description=declared.get("description") or f"Custom resource definition column (in JSONPath format): {path}",
        priority=declared.get("priority", 0),
    )


def _finder(path: str) -> Find:
    try:
        return compile_path(path)
    except ValueError:  # definitions are checked when they are written: this one is older than that check
        return lambda value: []


def _cell(find: Find, type_: str) -> Cell:
    convert = _CONVERSIONS.get(type_, _nothing)

    def cell(obj: Object, now: datetime) -> Any:
        found = find(obj)
        return convert(found[0], now) if found and found[0] is not None else None

    return cell


def _string(value: Any, now: datetime) -> str:
    return value if isinstance(value, str) else encode(value).decode()


def _integer(value: Any, now: datetime) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _number(value: Any, now: datetime) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _boolean(value: Any, now: datetime) -> bool | None:
    return value if isinstance(value, bool) else None


def _date(value: Any, now: datetime) -> str | None:
    return since(value, now) if isinstance(value, str) else None


def _nothing(value: Any, now: datetime) -> None:
    return None


_CONVERSIONS: dict[str, Callable[[Any, datetime], Any]] = {
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "date": _date,
}
