"""Pages of records: filters and sorts as SQL, and keyset paging, which stays fast on the last page too."""

from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, func, or_, select
from sqlalchemy import literal as sql_literal

from windlass.apps.pipelines.model import PipelineVersion, Record, Run
from windlass.apps.pipelines.rows.queries import METRIC_PREFIX, TAG_PREFIX, Operation, Page, Predicate, Query, R
from windlass.apps.pipelines.rows.records import columns_of, identity_of, record_of, table_of
from windlass.apps.pipelines.rows.tables import METRICS, RUNS, TAGS

READY = "READY"
WITHOUT_METRIC = -1e308
"""The sort key of a run that has not reported the metric."""


def list_page(connection: Connection, type: type[R], query: Query, *scope: ColumnElement[bool]) -> Page[R]:
    """Records that match the query and the conditions of `scope`."""
    conditions = [*scope, *(condition(type, predicate) for predicate in query.predicates)]
    key = sort_key(type, query.sort_by)
    total = connection.execute(select(func.count()).select_from(table_of(type)).where(*conditions)).scalar() or 0
    rows = connection.execute(page_statement(type, query, key, conditions)).mappings().all()
    records = [record_of(type, row) for row in rows[: query.limit]]
    last = None
    if len(rows) > query.limit:
        row = rows[query.limit - 1]
        last = (row["sort_key"], row[identity_of(type).key or ""])
    return Page(records, total, last)


def page_statement(
    type: type[Record], query: Query, key: ColumnElement[Any], conditions: list[ColumnElement[bool]]
) -> Select[Any]:
    identity = identity_of(type)
    if query.after is not None:
        value, id = query.after
        beyond = key < value if query.descending else key > value
        later_id = identity < id if query.descending else identity > id
        conditions = [*conditions, or_(beyond, and_(key == value, later_id))]
    order = (key.desc(), identity.desc()) if query.descending else (key.asc(), identity.asc())
    columns = columns_of(type)
    return select(*columns, key.label("sort_key")).where(*conditions).order_by(*order).limit(query.limit + 1)


def sort_key(type: type[Record], sort_by: str) -> ColumnElement[Any]:
    if type is Run and sort_by.startswith(METRIC_PREFIX):
        metric = (
            select(func.max(METRICS.c.number_value))
            .where(METRICS.c.run_id == RUNS.c.run_id, METRICS.c.name == sort_by.removeprefix(METRIC_PREFIX))
            .scalar_subquery()
        )
        return func.coalesce(metric, sql_literal(WITHOUT_METRIC))
    if sort_by.startswith(TAG_PREFIX):
        return func.coalesce(tag_value(type, sort_by), "")
    return column_of(type, sort_by)


def column_of(type: type[Record], field: str) -> ColumnElement[Any]:
    """The column of a field. The status of a version is no column: each is ready once it is stored."""
    return sql_literal(READY) if type is PipelineVersion and field == "status" else table_of(type).c[field]


def tag_value(type: type[Record], field: str) -> Any:
    return (
        select(TAGS.c.value)
        .where(TAGS.c.owner_id == identity_of(type), TAGS.c.name == field.removeprefix(TAG_PREFIX))
        .scalar_subquery()
    )


def condition(type: type[Record], predicate: Predicate) -> ColumnElement[bool]:
    if predicate.field.startswith(TAG_PREFIX):
        return tag_value(type, predicate.field) == predicate.value
    column = column_of(type, predicate.field)
    if predicate.is_time:
        column = func.floor(column)
    return compare(column, predicate.operation, predicate.value)


def compare(column: ColumnElement[Any], operation: Operation, value: Any) -> ColumnElement[bool]:
    match operation:
        case Operation.EQUALS:
            return column == value
        case Operation.NOT_EQUALS:
            return column != value
        case Operation.GREATER_THAN:
            return column > value
        case Operation.GREATER_THAN_EQUALS:
            return column >= value
        case Operation.LESS_THAN:
            return column < value
        case Operation.LESS_THAN_EQUALS:
            return column <= value
        case Operation.IN:
            return column.in_(value)
        case Operation.IS_SUBSTRING:
            return column.icontains(value, autoescape=True)
