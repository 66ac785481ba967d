"""Converts objects to a `meta.k8s.io` Table or to their metadata, as a client requests with `;as=`.

`table` returns the Table as an object, whose rows share data with the given objects. `encode_table` yields its JSON in
pieces: with objects from a generator a table of any length needs only the memory of a piece.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Literal, TypeAlias

from windlass.apiserver.resources import Column
from windlass.apiserver.tables.pods import row_conditions
from windlass.kube.json import Object, encode

Include: TypeAlias = Literal["Metadata", "Object", "None"]


def column_definitions(columns: Iterable[Column]) -> list[Object]:
    return [
        {
            "name": column.name,
            "type": column.type,
            "format": column.format,
            "description": column.description,
            "priority": column.priority,
        }
        for column in columns
    ]


def _rows(
    columns: Sequence[Column], objects: Iterable[Object], now: datetime, include: Include, api_version: str
) -> Iterator[Object]:
    cells = [column.cell for column in columns]
    for obj in objects:
        row: Object = {"cells": [cell(obj, now) for cell in cells]}
        if obj.get("kind") == "Pod" and obj.get("apiVersion") == "v1" and (conditions := row_conditions(obj)):
            row["conditions"] = conditions
        if include == "Metadata":
            row["object"] = partial_object_metadata(obj, api_version)
        else:
            row["object"] = obj if include == "Object" else None
        yield row


def table(
    columns: Sequence[Column],
    objects: Iterable[Object],
    *,
    now: datetime,
    include: Include = "Metadata",
    list_metadata: Object | None = None,
    no_headers: bool = False,
    api_version: str = "meta.k8s.io/v1",
) -> Object:
    """Build a Table with a row per object.

    `now` (aware) is the time to which ages are relative; `no_headers` is for all but the first event of a watch.
    """
    return {
        "kind": "Table",
        "apiVersion": api_version,
        "metadata": list_metadata or {},
        "columnDefinitions": None if no_headers else column_definitions(columns),
        "rows": list(_rows(columns, objects, now, include, api_version)),
    }


def encode_table(
    columns: Sequence[Column],
    objects: Iterable[Object],
    *,
    now: datetime,
    include: Include = "Metadata",
    list_metadata: Object | None = None,
    no_headers: bool = False,
    api_version: str = "meta.k8s.io/v1",
    rows_at_once: int = 200,
) -> Iterator[bytes]:
    """Yield the JSON of `table(...)` with the same arguments, some rows at a time; objects are released early."""
    frame = table(columns, (), now=now, list_metadata=list_metadata, no_headers=no_headers, api_version=api_version)
    del frame["rows"]
    before = encode(frame)[:-1] + b',"rows":['
    rows = _rows(columns, objects, now, include, api_version)
    while some := list(islice(rows, rows_at_once)):
        yield before + encode(some)[1:-1]
        before = b","
    yield b"]}" if before == b"," else before + b"]}"


def partial_object_metadata(obj: Object, api_version: str = "meta.k8s.io/v1") -> Object:
    return {"kind": "PartialObjectMetadata", "apiVersion": api_version, "metadata": obj.get("metadata", {})}


def partial_object_metadata_list(
    objects: Iterable[Object], *, list_metadata: Object | None = None, api_version: str = "meta.k8s.io/v1"
) -> Object:
    return {
        "kind": "PartialObjectMetadataList",
        "apiVersion": api_version,
        "metadata": list_metadata or {},
        "items": [partial_object_metadata(obj, api_version) for obj in objects],
    }
