"""Statements on runs: their states, and what is deleted or archived with them."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, and_, delete, insert, or_, select, update

from windlass.apps.pipelines.model import (
    NOT_YET,
    Artifact,
    Error,
    Experiment,
    Run,
    RunState,
    StateChange,
    StorageState,
)
from windlass.apps.pipelines.rows.records import columns_of, record_of
from windlass.apps.pipelines.rows.statements import change_record, find_records, get_record, insert_record
from windlass.apps.pipelines.rows.tables import ARTIFACT_TASKS, ARTIFACTS, EXPERIMENTS, METRICS, RECURRING_RUNS, RUNS

MAX_METRICS = 50
"""Names of metrics that one run may have."""
LARGE_FIELDS = ("spec", "platform_spec", "parameters")
FINAL_STATES = frozenset({RunState.SUCCEEDED, RunState.SKIPPED, RunState.FAILED, RunState.CANCELED})


def create_run(connection: Connection, run: Run) -> None:
    """Insert a run, and note on its experiment when it was used."""
    insert_record(connection, run)
    connection.execute(
        update(EXPERIMENTS)
        .where(EXPERIMENTS.c.experiment_id == run.experiment_id, EXPERIMENTS.c.last_run_created_at < run.created_at)
        .values(last_run_created_at=run.created_at)
    )


def unfinished_runs(connection: Connection) -> list[Run]:
    """Without specification and parameters, which may be large."""
    unfinished = [state for state in RunState if state not in FINAL_STATES]
    columns = columns_of(Run, without=LARGE_FIELDS)
    statement = select(*columns).where(RUNS.c.state.in_(unfinished)).order_by(RUNS.c.created_at, RUNS.c.run_id)
    left_out: dict[str, Any] = {name: {} for name in LARGE_FIELDS}
    return [record_of(Run, {**row, **left_out}) for row in connection.execute(statement).mappings()]


def set_run_state(
    connection: Connection, run_id: str, state: RunState, now: float, error: Error | None, reset: bool
) -> bool:
    run = get_record(connection, Run, run_id, lock=True)
    if run is None or not may_change(run.state, state, reset=reset):
        return False
    changes = {
        "state": state,
        "state_history": [*run.state_history, StateChange(update_time=now, state=state, error=error)],
        "error": error if error is not None or reset else run.error,
        "finished_at": now if state in FINAL_STATES else NOT_YET,
    }
    return change_record(connection, Run, run_id, changes)


def may_change(old: RunState, new: RunState, *, reset: bool) -> bool:
    if reset:
        return old in FINAL_STATES
    if old == new or old in FINAL_STATES or new is RunState.PENDING:
        return False
    return old != RunState.CANCELING or new in FINAL_STATES


def delete_run(connection: Connection, run_id: str, *, with_artifacts: bool) -> list[Artifact]:
    """Delete a run with its tasks and logs; with `with_artifacts` also the artifacts that no other run uses."""
    orphans = unshared_artifacts(connection, run_id) if with_artifacts else []
    connection.execute(delete(RUNS).where(RUNS.c.run_id == run_id))
    for artifact in orphans:
        connection.execute(delete(ARTIFACTS).where(ARTIFACTS.c.artifact_id == artifact.artifact_id))
    return orphans


def unshared_artifacts(connection: Connection, run_id: str) -> list[Artifact]:
    """Artifacts of the run that no task of another uses, and whose content no artifact of another shares."""
    used_elsewhere = (
        select(ARTIFACT_TASKS.c.id)
        .where(and_(ARTIFACT_TASKS.c.artifact_id == ARTIFACTS.c.artifact_id, ARTIFACT_TASKS.c.run_id != run_id))
        .exists()
    )
    other = ARTIFACTS.alias("other")
    shared = (
        select(other.c.artifact_id)
        .where(
            other.c.uri_digest == ARTIFACTS.c.uri_digest,
            other.c.namespace == ARTIFACTS.c.namespace,
            other.c.run_id != run_id,
        )
        .exists()
    )
    return find_records(connection, Artifact, ARTIFACTS.c.run_id == run_id, ~used_elsewhere, ~shared)


def expired_artifacts(connection: Connection, before: float, after: str, limit: int) -> list[Artifact]:
    """With content, of runs that finished before a time; none that a task or artifact of another run shares.

    By id, those after a given one.
    """
    finished = (
        select(RUNS.c.run_id)
        .where(RUNS.c.run_id == ARTIFACTS.c.run_id, RUNS.c.finished_at < before, RUNS.c.state.in_(FINAL_STATES))
        .exists()
    )
    linked = (
        select(ARTIFACT_TASKS.c.id)
        .join(RUNS, RUNS.c.run_id == ARTIFACT_TASKS.c.run_id)
        .where(
            ARTIFACT_TASKS.c.artifact_id == ARTIFACTS.c.artifact_id,
            or_(RUNS.c.state.not_in(FINAL_STATES), RUNS.c.finished_at >= before),
        )
        .exists()
    )
    other = ARTIFACTS.alias("other")
    shared = (
        select(other.c.artifact_id)
        .join(RUNS, RUNS.c.run_id == other.c.run_id)
        .where(
            other.c.uri_digest == ARTIFACTS.c.uri_digest,
            other.c.namespace == ARTIFACTS.c.namespace,
            or_(RUNS.c.state.not_in(FINAL_STATES), RUNS.c.finished_at >= before),
        )
        .exists()
    )
    old = (ARTIFACTS.c.has_content, ARTIFACTS.c.created_at < before, finished, ~linked, ~shared)
    following = ARTIFACTS.c.artifact_id > after
    return find_records(connection, Artifact, following, *old, order_by=(ARTIFACTS.c.artifact_id,), limit=limit)


def archive_experiment(connection: Connection, experiment_id: str, now: float) -> bool:
    """Archive an experiment and all its runs, and disable its recurring runs."""
    if not change_record(connection, Experiment, experiment_id, {"storage_state": StorageState.ARCHIVED}):
        return False
    connection.execute(
        update(RUNS).where(RUNS.c.experiment_id == experiment_id).values(storage_state=StorageState.ARCHIVED)
    )
    connection.execute(
        update(RECURRING_RUNS)
        .where(RECURRING_RUNS.c.experiment_id == experiment_id)
        .values(is_enabled=False, updated_at=now)
    )
    return True


def report_metric(connection: Connection, run_id: str, metric: dict[str, Any]) -> bool:
    """Keep a metric of a v1 run's node; False if the node has reported that name already, or the run has too many."""
    run = get_record(connection, Run, run_id, lock=True)
    same = (METRICS.c.run_id == run_id, METRICS.c.node_id == metric["node_id"], METRICS.c.name == metric["name"])
    if run is None or connection.execute(select(METRICS.c.name).where(*same)).first():
        return False
    if len(run.metrics) >= MAX_METRICS and metric["name"] not in run.metrics:
        return False
    connection.execute(insert(METRICS), {"run_id": run_id, **metric})
    metrics = {**run.metrics, metric["name"]: metric["number_value"]}
    return change_record(connection, Run, run_id, {"metrics": metrics})


def add_metrics(connection: Connection, run_id: str, found: Mapping[str, float]) -> None:
    """Add what tasks have logged, up to the number of names that a run may have; the last value of a name counts."""
    run = get_record(connection, Run, run_id, lock=True)
    if run is None:
        return
    metrics = dict(run.metrics)
    for name, value in found.items():
        if name in metrics or len(metrics) < MAX_METRICS:
            metrics[name] = value
    if metrics != run.metrics:
        change_record(connection, Run, run_id, {"metrics": metrics})


def metrics_of(connection: Connection, run_id: str) -> list[dict[str, Any]]:
    statement = select(METRICS).where(METRICS.c.run_id == run_id).order_by(METRICS.c.name, METRICS.c.node_id)
    return [dict(row) for row in connection.execute(statement).mappings()]
