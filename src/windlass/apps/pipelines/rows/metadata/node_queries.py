"""What the metadata store asks of the tables. Data only, without SQLAlchemy."""

from enum import StrEnum
from typing import Literal, TypeAlias

from windlass.kube.meta import Struct

Scalar: TypeAlias = str | int
NodeField: TypeAlias = Literal[
    "id", "name", "type", "uri", "state", "last_known_state", "create_time_since_epoch", "last_update_time_since_epoch"
]

DAG_EXECUTION, CONTAINER_EXECUTION = "system.DAGExecution", "system.ContainerExecution"
IMPORTER_EXECUTION = "system.ImporterExecution"
PIPELINE_CONTEXT, RUN_CONTEXT = "system.Pipeline", "system.PipelineRun"
NEW = "NEW"
"""The state of an execution that has not started."""
LIVE = "LIVE"
"""The state of every artifact."""


class Operator(StrEnum):
    EQUAL = "="
    NOT_EQUAL = "!="
    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="
    IN = "IN"


class Condition(Struct):
    """A comparison of a filter; times are in milliseconds since 1970."""

    field: NodeField
    operator: Operator
    values: list[Scalar]
    """One, unless the operator is IN."""


class NodeQuery(Struct):
    """Which artifacts, executions or contexts, and in which order."""

    conditions: list[Condition] = []
    order: Literal["created", "updated", "id"] = "created"
    is_descending: bool = False
    after: tuple[float, int] | None = None
    """The sort key and the number of the last node of the page before."""
    limit: int = 20


class Scope(Struct):
    """The context whose nodes are asked for: a run, or all runs of a pipeline."""

    run_id: str = ""
    pipeline_name: str = ""


class PipelineSpan(Struct):
    """A pipeline by its name in the specification, and when its runs were created and last changed."""

    name: str
    created_at: float
    updated_at: float


class Link(Struct):
    """An input or output of a task."""

    artifact_id: str
    task_id: str
    is_output: bool
    key: str
    at: float
    """When the task started, or finished for an output."""
