"""Tables as nodes of the metadata store: what their fields are in a filter, and how they are sorted. Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Generic, cast

from sqlalchemy import ColumnElement, String, and_, case, false, func, literal, or_, type_coerce

from windlass.apps.pipelines.model import Artifact, Record, Run, Task, TaskState, TaskType
from windlass.apps.pipelines.rows.metadata.node_queries import (
    CONTAINER_EXECUTION,
    DAG_EXECUTION,
    IMPORTER_EXECUTION,
    LIVE,
    NEW,
    RUN_CONTEXT,
    Condition,
    Operator,
)
from windlass.apps.pipelines.rows.numbers import ids_with
from windlass.apps.pipelines.rows.queries import R
from windlass.apps.pipelines.rows.records import identity_of
from windlass.apps.pipelines.rows.tables import ARTIFACTS, RUNS, TASKS

AnyElement = ColumnElement[Any]

task_type, task_state = type_coerce(TASKS.c.type, String), type_coerce(TASKS.c.state, String)
is_root: ColumnElement[bool] = task_type == TaskType.ROOT.value
task_updated = case(
    (TASKS.c.finished_at > 0, TASKS.c.finished_at),
    (TASKS.c.started_at > 0, TASKS.c.started_at),
    else_=TASKS.c.created_at,
)
run_updated = case((RUNS.c.finished_at > 0, RUNS.c.finished_at), else_=RUNS.c.created_at)


@dataclass(frozen=True)
class NodeTable(Generic[R]):
    record: type[R]
    created: AnyElement
    updated: AnyElement
    fields: Mapping[str, AnyElement]
    """By the names of filters."""

    @property
    def identity(self) -> AnyElement:
        return identity_of(self.record)

    def key(self, order: str) -> AnyElement | None:
        """What nodes are sorted by, before their ids; None if only by these."""
        return {"created": self.created, "updated": self.updated}.get(order)

    def field(self, name: str) -> AnyElement:
        times = {"create_time_since_epoch": self.created, "last_update_time_since_epoch": self.updated}
        return func.floor(times[name] * 1000) if name in times else self.fields[name]


_TABLES: Mapping[type[Record], NodeTable[Any]] = {
    Artifact: NodeTable(
        Artifact,
        ARTIFACTS.c.created_at,
        ARTIFACTS.c.created_at,
        {
            "name": ARTIFACTS.c.artifact_id,
            "type": ARTIFACTS.c.type,
            "uri": ARTIFACTS.c.uri,
            "state": literal(LIVE),
        },
    ),
    Task: NodeTable(
        Task,
        TASKS.c.created_at,
        task_updated,
        {
            "name": case((is_root, literal("run/") + TASKS.c.run_id), else_=TASKS.c.task_id),
            "type": case(
                (task_type == TaskType.RUNTIME.value, literal(CONTAINER_EXECUTION)),
                (task_type == TaskType.IMPORTER.value, literal(IMPORTER_EXECUTION)),
                else_=literal(DAG_EXECUTION),
            ),
            "last_known_state": case((task_state == TaskState.PENDING.value, literal(NEW)), else_=task_state),
        },
    ),
    Run: NodeTable(Run, RUNS.c.created_at, run_updated, {"name": RUNS.c.run_id, "type": literal(RUN_CONTEXT)}),
}


def table_of_nodes(type: type[R]) -> NodeTable[R]:
    return cast(NodeTable[R], _TABLES[type])


def has_number(identity: AnyElement, numbers: Collection[int]) -> ColumnElement[bool]:
    return or_(false(), *(identity.between(*ids_with(number)) for number in numbers))


def compared(nodes: NodeTable[Any], condition: Condition) -> ColumnElement[bool]:
    if condition.field == "id":
        numbers = [number for number in condition.values if isinstance(number, int)]
        is_one_of = has_number(nodes.identity, numbers)
        return ~is_one_of if condition.operator is Operator.NOT_EQUAL else is_one_of
    column, values = nodes.field(condition.field), condition.values
    match condition.operator:
        case Operator.EQUAL:
            return column == values[0]
        case Operator.NOT_EQUAL:
            return column != values[0]
        case Operator.LESS:
            return column < values[0]
        case Operator.LESS_OR_EQUAL:
            return column <= values[0]
        case Operator.GREATER:
            return column > values[0]
        case Operator.GREATER_OR_EQUAL:
            return column >= values[0]
        case Operator.IN:
            return column.in_(values)


def beyond(
    key: AnyElement | None, identity: AnyElement, after: tuple[float, int], *, is_descending: bool
) -> ColumnElement[bool]:
    """After the last node of the page before: by its sort key, then by its number."""
    value, number = after
    first, last = ids_with(number)
    is_later = identity < first if is_descending else identity > last
    if key is None:
        return is_later
    return or_(key < value if is_descending else key > value, and_(key == value, is_later))
