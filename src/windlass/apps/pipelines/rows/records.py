"""Records as rows, and rows as records."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import structs
from sqlalchemy import ColumnElement, Table
from sqlalchemy.engine import RowMapping

from windlass.apps.pipelines.model import Artifact, Record, Task
from windlass.apps.pipelines.rows.queries import R
from windlass.apps.pipelines.rows.tables import TABLE_OF

INPUT, OUTPUT = "TASK_OUTPUT_INPUT", "OUTPUT"
"""How a task is linked to an artifact; the names of the API."""


def table_of(type: type[Record]) -> Table:
    return TABLE_OF[type]


def identity_of(type: type[Record]) -> ColumnElement[str]:
    return next(iter(table_of(type).primary_key))


def record_id(record: Record) -> str:
    return getattr(record, identity_of(type(record)).key or "")


def row_of(record: Record) -> dict[str, Any]:
    row = structs.asdict(record)
    if isinstance(record, Artifact):
        row["uri_digest"] = digest(record.uri)
    return row


def record_of(type: type[R], row: RowMapping | Mapping[str, Any]) -> R:
    return type(**{name: row[name] for name in type.__struct_fields__})


def columns_of(type: type[Record], *, without: tuple[str, ...] = ()) -> list[ColumnElement[Any]]:
    table = table_of(type)
    return [table.c[name] for name in type.__struct_fields__ if name not in without]


def digest(uri: str) -> str:
    """A short key for URIs, which may be longer than a database can index."""
    return hashlib.sha256(uri.encode()).hexdigest()


def links_of(task: Task) -> Iterator[dict[str, Any]]:
    """The rows that link a task to its artifacts. Their ids follow from the task, so saving again changes none."""
    for type, values in ((INPUT, task.inputs), (OUTPUT, task.outputs)):
        for key, artifact_ids in values.artifacts.items():
            for position, artifact_id in enumerate(artifact_ids):
                place = "\0".join((task.task_id, type, key, str(position)))
                yield {
                    "id": hashlib.sha256(place.encode()).hexdigest()[:32],
                    "artifact_id": artifact_id,
                    "run_id": task.run_id,
                    "task_id": task.task_id,
                    "type": type,
                    "key": key,
                    "position": position,
                }
