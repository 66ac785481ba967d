"""Rows as `kubectl get` would show them: titles in capitals, cells by title."""

from datetime import UTC, datetime
from typing import Any

from windlass.apiserver.tables import columns_for
from windlass.kube.json import Object

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def created(hours_ago: int = 0, minutes_ago: int = 0) -> str:
    return f"2026-03-01T{11 - hours_ago:02}:{59 - minutes_ago:02}:55Z"


def an_object(name: str = "thing", **fields: Any) -> Object:
    metadata = {"name": name, "namespace": "default", "creationTimestamp": created(), **fields.pop("metadata", {})}
    return {"metadata": metadata, **fields}


def row(group: str, kind: str, obj: Object) -> dict[str, Any]:
    return {column.name.upper(): column.cell(obj, NOW) for column in columns_for(group, kind)}
