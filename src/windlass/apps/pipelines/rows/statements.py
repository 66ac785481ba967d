"""The statements that all records share: insert, get, change and delete by id."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from windlass.apps.pipelines.model import Pipeline, PipelineVersion, Record
from windlass.apps.pipelines.rows.connections import lock_row
from windlass.apps.pipelines.rows.errors import AlreadyExists
from windlass.apps.pipelines.rows.queries import R
from windlass.apps.pipelines.rows.records import columns_of, identity_of, record_id, record_of, row_of, table_of
from windlass.apps.pipelines.rows.tables import TAGS

T = TypeVar("T")
BATCH = 500
"""Ids in one statement; SQLite refuses more than 32,766 variables."""


def insert_record(connection: Connection, record: Record) -> None:
    try:
        connection.execute(insert(table_of(type(record))), row_of(record))
    except IntegrityError as error:
        raise AlreadyExists(record_id(record)) from error
    if isinstance(record, Pipeline | PipelineVersion):
        set_tags(connection, record_id(record), record.tags)


def get_record(connection: Connection, type: type[R], id: str, *, lock: bool = False) -> R | None:
    return first_record(connection, type, identity_of(type) == id, lock=lock)


def first_record(
    connection: Connection,
    type: type[R],
    *conditions: ColumnElement[bool],
    order_by: Sequence[ColumnElement[Any]] = (),
    lock: bool = False,
) -> R | None:
    statement = select(*columns_of(type)).where(*conditions).order_by(*order_by).limit(1)
    if lock and lock_row(connection):
        statement = statement.with_for_update()
    row = connection.execute(statement).mappings().first()
    return None if row is None else record_of(type, row)


def find_records(
    connection: Connection,
    type: type[R],
    *conditions: ColumnElement[bool],
    order_by: Sequence[ColumnElement[Any]] = (),
    limit: int | None = None,
) -> list[R]:
    statement = select(*columns_of(type)).where(*conditions).order_by(*order_by).limit(limit)
    return [record_of(type, row) for row in connection.execute(statement).mappings()]


def get_records(connection: Connection, type: type[R], ids: Collection[str]) -> list[R]:
    return [
        record
        for batch in batches(list(ids))
        for record in find_records(connection, type, identity_of(type).in_(batch))
    ]


def replace_records(connection: Connection, type: type[R], records: Sequence[R]) -> None:
    """Insert or replace; what refers to a row that is replaced is deleted with it."""
    delete_records(connection, type, [record_id(record) for record in records])
    for batch in batches([row_of(record) for record in records]):
        connection.execute(insert(table_of(type)), batch)


def change_record(connection: Connection, type: type[R], id: str, changes: dict[str, Any]) -> bool:
    """Set columns of a row; False if there is none."""
    statement = update(table_of(type)).where(identity_of(type) == id).values(**changes)
    try:
        changed = connection.execute(statement).rowcount > 0
    except IntegrityError as error:
        raise AlreadyExists(id) from error
    if "tags" in changes:
        set_tags(connection, id, changes["tags"])
    return changed


def delete_record(connection: Connection, type: type[Record], id: str) -> bool:
    connection.execute(delete(TAGS).where(TAGS.c.owner_id == id))
    return connection.execute(delete(table_of(type)).where(identity_of(type) == id)).rowcount > 0


def delete_records(connection: Connection, type: type[Record], ids: Sequence[str]) -> None:
    for batch in batches(ids):
        connection.execute(delete(table_of(type)).where(identity_of(type).in_(batch)))


def set_tags(connection: Connection, owner_id: str, tags: dict[str, str]) -> None:
    connection.execute(delete(TAGS).where(TAGS.c.owner_id == owner_id))
    if tags:
        rows = [{"owner_id": owner_id, "name": name, "value": value} for name, value in tags.items()]
        connection.execute(insert(TAGS), rows)


def batches(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), BATCH):
        yield items[start : start + BATCH]
