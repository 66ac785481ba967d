"""The tables. A record's table has a column for each of its fields, with the field's name."""

from enum import StrEnum
from typing import Any

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, MetaData, Table, UniqueConstraint, true

from windlass.apps.pipelines.model import (
    Artifact,
    Error,
    Experiment,
    Pipeline,
    PipelineVersion,
    Record,
    RecurringRun,
    Run,
    RunState,
    StateChange,
    StorageState,
    Task,
    TaskState,
    TaskType,
    Trigger,
    Values,
)
from windlass.apps.pipelines.rows.columns import Choice, Json, blob, long_text, seconds, text

METADATA = MetaData()
MYSQL_OPTIONS: dict[str, Any] = {
    f"{dialect}_{option}": value
    for dialect in ("mysql", "mariadb")
    for option, value in (("engine", "InnoDB"), ("charset", "utf8mb4"), ("collate", "utf8mb4_bin"))
}
ID, NAME, LONG_NAME, NAMESPACE = 64, 128, 512, 63
AnyColumn = Column[Any]


def table(name: str, *parts: Any) -> Table:
    return Table(name, METADATA, *parts, **MYSQL_OPTIONS)


def required(name: str, type: Any, *parts: Any, **options: Any) -> AnyColumn:
    return Column(name, type, *parts, nullable=False, **options)


def identity(name: str) -> AnyColumn:
    return Column(name, text(ID), primary_key=True)


def short(name: str, length: int = NAME) -> AnyColumn:
    return required(name, text(length))


def when(name: str) -> AnyColumn:
    return required(name, seconds())


def flag(name: str) -> AnyColumn:
    return required(name, Boolean())


def added(name: str, type: Any, default: Any) -> AnyColumn:
    """A column of a later revision: rows that were there have the default."""
    return required(name, type, server_default=default)


def json(name: str, type: Any) -> AnyColumn:
    return required(name, Json(type))


def choice(name: str, type: type[StrEnum]) -> AnyColumn:
    return required(name, Choice(type))


def owner(name: str, target: str) -> AnyColumn:
    """The id of a row with which this one is deleted."""
    return required(name, text(ID), ForeignKey(target, ondelete="CASCADE"))


EXPERIMENTS = table(
    "experiments",
    identity("experiment_id"),
    short("namespace", NAMESPACE),
    short("display_name"),
    required("description", long_text()),
    when("created_at"),
    when("last_run_created_at"),
    choice("storage_state", StorageState),
    UniqueConstraint("namespace", "display_name", name="experiments_by_name"),
    Index("experiments_by_time", "namespace", "created_at", "experiment_id"),
)

PIPELINES = table(
    "pipelines",
    identity("pipeline_id"),
    short("namespace", NAMESPACE),
    short("name"),
    short("display_name", LONG_NAME),
    required("description", long_text()),
    when("created_at"),
    json("tags", dict[str, str]),
    added("default_version_id", text(ID), ""),
    UniqueConstraint("namespace", "name", name="pipelines_by_name"),
    Index("pipelines_by_time", "namespace", "created_at", "pipeline_id"),
)

VERSIONS = table(
    "pipeline_versions",
    identity("pipeline_version_id"),
    owner("pipeline_id", "pipelines.pipeline_id"),
    short("name"),
    short("display_name", LONG_NAME),
    required("description", long_text()),
    when("created_at"),
    required("package_url", long_text()),
    required("code_source_url", long_text()),
    json("spec", dict[str, Any]),
    json("platform_spec", dict[str, Any]),
    json("tags", dict[str, str]),
    UniqueConstraint("pipeline_id", "name", name="versions_by_name"),
    Index("versions_by_time", "pipeline_id", "created_at", "pipeline_version_id"),
)

TAGS = table(
    "tags",
    Column("owner_id", text(ID), primary_key=True),
    Column("name", text(63), primary_key=True),
    short("value", 63),
    Index("tags_by_value", "name", "value"),
)

RUNS = table(
    "runs",
    identity("run_id"),
    short("namespace", NAMESPACE),
    short("display_name", LONG_NAME),
    short("resource_name", 253),
    short("experiment_id", ID),
    required("description", long_text()),
    short("pipeline_id", ID),
    short("pipeline_version_id", ID),
    short("pipeline_name"),
    json("spec", dict[str, Any]),
    json("platform_spec", dict[str, Any]),
    flag("is_inline"),
    flag("is_argo"),
    json("parameters", dict[str, Any]),
    required("pipeline_root", long_text()),
    short("service_account", 253),
    when("created_at"),
    when("scheduled_at"),
    when("finished_at"),
    choice("state", RunState),
    json("state_history", list[StateChange]),
    json("error", Error | None),
    short("recurring_run_id", ID),
    choice("storage_state", StorageState),
    flag("is_fail_fast"),
    flag("is_cache_enabled"),
    added("max_cache_staleness", text(ID), ""),
    json("metrics", dict[str, float]),
    Index("runs_by_time", "namespace", "created_at", "run_id"),
    Index("runs_by_experiment", "experiment_id", "created_at", "run_id"),
    Index("runs_by_recurring_run", "recurring_run_id", "created_at", "run_id"),
    Index("runs_by_name", "namespace", "display_name", "run_id"),
    Index("runs_by_state", "state", "namespace"),
    Index("runs_by_resource_name", "namespace", "resource_name"),
)

METRICS = table(
    "run_metrics",
    Column("run_id", text(ID), ForeignKey("runs.run_id", ondelete="CASCADE"), primary_key=True),
    Column("node_id", text(128), primary_key=True),
    Column("name", text(64), primary_key=True),
    required("number_value", seconds()),
    short("format", 16),
)

TASKS = table(
    "tasks",
    identity("task_id"),
    owner("run_id", "runs.run_id"),
    required("path", long_text()),
    required("name", long_text()),
    required("display_name", long_text()),
    short("parent_id", ID),
    choice("type", TaskType),
    choice("state", TaskState),
    required("iteration", Integer()),
    required("iteration_count", Integer()),
    when("created_at"),
    when("started_at"),
    when("finished_at"),
    json("inputs", Values),
    json("outputs", Values),
    json("error", Error | None),
    required("attempt", Integer()),
    when("retry_at"),
    short("pod_name", 253),
    short("pod_uid", ID),
    json("failed_pods", list[str]),
    short("fingerprint"),
    short("cached_task_id", ID),
    json("state_history", list[tuple[float, str]]),
    Index("tasks_by_run", "run_id", "created_at", "task_id"),
    Index("tasks_by_fingerprint", "fingerprint", "state"),
)

ARTIFACTS = table(
    "artifacts",
    identity("artifact_id"),
    short("namespace", NAMESPACE),
    short("run_id", ID),
    short("task_id", ID),
    short("name", LONG_NAME),
    short("type", 256),
    short("schema_version", 64),
    required("uri", long_text()),
    short("uri_digest", 64),
    json("metadata", dict[str, Any]),
    short("pipeline_name"),
    flag("has_content"),
    when("created_at"),
    Index("artifacts_by_time", "namespace", "created_at", "artifact_id"),
    Index("artifacts_by_uri", "uri_digest", "namespace"),
    Index("artifacts_by_run", "run_id"),
)

ARTIFACT_TASKS = table(
    "artifact_tasks",
    identity("id"),
    short("artifact_id", ID),
    owner("run_id", "runs.run_id"),
    owner("task_id", "tasks.task_id"),
    short("type", 32),
    short("key", LONG_NAME),
    required("position", Integer()),
    Index("links_by_run", "run_id", "id"),
    Index("links_by_task", "task_id"),
    Index("links_by_artifact", "artifact_id"),
)

RECURRING_RUNS = table(
    "recurring_runs",
    identity("recurring_run_id"),
    short("namespace", NAMESPACE),
    short("display_name", LONG_NAME),
    short("resource_name", 253),
    short("experiment_id", ID),
    required("description", long_text()),
    short("pipeline_id", ID),
    short("pipeline_version_id", ID),
    json("spec", dict[str, Any]),
    json("platform_spec", dict[str, Any]),
    flag("is_inline"),
    json("parameters", dict[str, Any]),
    required("pipeline_root", long_text()),
    short("service_account", 253),
    required("max_concurrency", Integer()),
    flag("no_catchup"),
    flag("is_enabled"),
    json("trigger", Trigger),
    when("created_at"),
    when("updated_at"),
    json("error", Error | None),
    added("is_fail_fast", Boolean(), true()),
    added("is_cache_enabled", Boolean(), true()),
    added("max_cache_staleness", text(ID), ""),
    Index("recurring_runs_by_time", "namespace", "created_at", "recurring_run_id"),
    Index("recurring_runs_by_experiment", "experiment_id"),
)

LOGS = table(
    "archived_logs",
    Column("run_id", text(ID), ForeignKey("runs.run_id", ondelete="CASCADE"), primary_key=True),
    Column("pod_name", text(253), primary_key=True),
    required("compressed", blob()),
)

WORKFLOW_LOGS = table(
    "workflow_logs",
    Column("workflow_uid", text(ID), primary_key=True),
    Column("pod_name", text(253), primary_key=True),
    when("kept_at"),
    required("compressed", blob()),
    Index("workflow_logs_by_time", "kept_at"),
)
"""Logs of Workflows that are no runs: these have no record, so they are known by the uid of the object."""

MANIFESTS = table(
    "archived_manifests",
    Column("run_id", text(ID), ForeignKey("runs.run_id", ondelete="CASCADE"), primary_key=True),
    required("compressed", blob()),
)

TABLE_OF: dict[type[Record], Table] = {
    Experiment: EXPERIMENTS,
    Pipeline: PIPELINES,
    PipelineVersion: VERSIONS,
    Run: RUNS,
    Task: TASKS,
    Artifact: ARTIFACTS,
    RecurringRun: RECURRING_RUNS,
}
