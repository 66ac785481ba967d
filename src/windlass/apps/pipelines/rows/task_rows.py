"""Statements on tasks, artifacts and the links between them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, insert, select

from windlass.apps.pipelines.model import Artifact, Task, TaskState, TaskType, metrics_of
from windlass.apps.pipelines.rows.records import columns_of, digest, links_of, record_of
from windlass.apps.pipelines.rows.run_rows import add_metrics
from windlass.apps.pipelines.rows.statements import batches, find_records, get_records, replace_records
from windlass.apps.pipelines.rows.tables import ARTIFACT_TASKS, ARTIFACTS, RUNS, TASKS


def tasks_of(connection: Connection, run_id: str) -> list[Task]:
    return find_records(connection, Task, TASKS.c.run_id == run_id, order_by=(TASKS.c.created_at, TASKS.c.path))


def save(connection: Connection, run_id: str, tasks: Sequence[Task], artifacts: Sequence[Artifact]) -> None:
    """Insert or replace; a run that was deleted meanwhile keeps nothing."""
    if connection.execute(select(RUNS.c.run_id).where(RUNS.c.run_id == run_id)).first() is None:
        return
    replace_records(connection, Artifact, artifacts)
    replace_records(connection, Task, tasks)
    links = [link for task in tasks for link in links_of(task)]
    for batch in batches(links):
        connection.execute(insert(ARTIFACT_TASKS), batch)
    if metrics := _logged_metrics(connection, tasks, artifacts):
        add_metrics(connection, run_id, metrics)


def _logged_metrics(connection: Connection, tasks: Sequence[Task], artifacts: Sequence[Artifact]) -> dict[str, float]:
    """Of tasks that have succeeded; those whose outputs were reused have none among the new artifacts."""
    given = {artifact.artifact_id: artifact for artifact in artifacts}
    reused: set[str] = set()
    for task in tasks:
        if task.state is TaskState.CACHED:
            reused.update(id for ids in task.outputs.artifacts.values() for id in ids if id not in given)
    known = get_records(connection, Artifact, reused) if reused else []
    return {name: value for artifact in (*known, *given.values()) for name, value in metrics_of(artifact).items()}


def cached_tasks(
    connection: Connection, namespace: str, pipeline_name: str | None, fingerprint: str, limit: int
) -> list[Task]:
    if not fingerprint:
        return []
    statement = (
        select(*columns_of(Task))
        .join(RUNS, RUNS.c.run_id == TASKS.c.run_id)
        .where(
            TASKS.c.fingerprint == fingerprint,
            TASKS.c.state == TaskState.COMPLETE,
            RUNS.c.namespace == namespace,
            *([RUNS.c.pipeline_name == pipeline_name] if pipeline_name is not None else []),
        )
        .order_by(TASKS.c.finished_at.desc(), TASKS.c.task_id)
        .limit(limit)
    )
    return [record_of(Task, row) for row in connection.execute(statement).mappings()]


def imported_artifacts(
    connection: Connection, namespace: str, pipeline_name: str, uri: str, type: str
) -> list[Artifact]:
    statement = (
        select(*columns_of(Artifact))
        .join(TASKS, TASKS.c.task_id == ARTIFACTS.c.task_id)
        .where(
            ARTIFACTS.c.uri_digest == digest(uri),
            ARTIFACTS.c.namespace == namespace,
            ARTIFACTS.c.uri == uri,
            ARTIFACTS.c.type == type,
            ARTIFACTS.c.pipeline_name == pipeline_name,
            TASKS.c.type == TaskType.IMPORTER,
        )
        .order_by(ARTIFACTS.c.created_at.desc(), ARTIFACTS.c.artifact_id)
    )
    return [record_of(Artifact, row) for row in connection.execute(statement).mappings()]


def links(
    connection: Connection,
    *,
    task_ids: Sequence[str] = (),
    run_ids: Sequence[str] = (),
    artifact_ids: Sequence[str] = (),
    type: str = "",
    after: str = "",
    limit: int,
) -> list[dict[str, Any]]:
    """Links that match each of the given lists, by id, with the namespace of their run, the path of their task and the
    task that produced the artifact. `type` is that of a record: an input or an output."""
    chosen = (("task_id", task_ids), ("run_id", run_ids), ("artifact_id", artifact_ids))
    conditions: list[ColumnElement[bool]] = [ARTIFACT_TASKS.c[name].in_(ids) for name, ids in chosen if ids]
    if type:
        conditions.append(ARTIFACT_TASKS.c.type == type)
    producer, linked = TASKS.alias("producer"), TASKS.alias("linked")
    statement = (
        select(
            ARTIFACT_TASKS,
            RUNS.c.namespace,
            linked.c.path.label("task_path"),
            producer.c.name.label("producer_name"),
            producer.c.iteration.label("producer_iteration"),
        )
        .join(RUNS, RUNS.c.run_id == ARTIFACT_TASKS.c.run_id)
        .outerjoin(linked, linked.c.task_id == ARTIFACT_TASKS.c.task_id)
        .outerjoin(ARTIFACTS, ARTIFACTS.c.artifact_id == ARTIFACT_TASKS.c.artifact_id)
        .outerjoin(producer, producer.c.task_id == ARTIFACTS.c.task_id)
        .where(*conditions, ARTIFACT_TASKS.c.id > after)
        .order_by(ARTIFACT_TASKS.c.id)
        .limit(limit)
    )
    return [dict(row) for row in connection.execute(statement).mappings()]
