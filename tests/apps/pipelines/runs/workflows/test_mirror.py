"""Runs of v1 pipelines follow their Workflows."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from windlass.apps.pipelines.model import Run, RunState, TaskState
from windlass.apps.pipelines.rows import open_database
from windlass.apps.pipelines.rows.database import Database
from windlass.apps.pipelines.runs.workflows.mirror import Mirror
from windlass.kube.json import Object
from windlass.kube.meta import Key

KEY = Key("ml", "coin-abcde")
RUN_ID = "r1"


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await open_database(f"sqlite:///{tmp_path / 'pipelines.db'}")
    await opened.create(
        Run(run_id=RUN_ID, namespace="ml", display_name="coin", resource_name=KEY.name, is_argo=True, created_at=1.0)
    )
    yield opened
    await opened.close()


def a_workflow(phase: str, key: Key = KEY, **nodes: str) -> Object:
    node: dict[str, Any] = {
        key.name: {"id": key.name, "name": key.name, "displayName": key.name, "type": "DAG", "phase": phase}
    }
    for name, state in nodes.items():
        node[name] = {
            "id": name,
            "name": f"{key.name}.{name}",
            "displayName": name,
            "templateName": name,
            "type": "Pod",
            "phase": state,
            "boundaryID": key.name,
            "startedAt": "2026-01-01T00:00:00Z",
        }
    labels = {"pipeline/runid": RUN_ID}
    metadata = {"name": key.name, "namespace": key.namespace, "labels": labels}
    return {"metadata": metadata, "spec": {}, "status": {"phase": phase, "nodes": node}}


async def state_of(database: Database) -> RunState:
    run = await database.run(RUN_ID)
    assert run is not None
    return run.state


async def test_state_tasks_logs_and_manifest_follow_the_workflow(database: Database) -> None:
    logs: list[str] = []
    mirror = Mirror(database, lambda run_id, pod: logs.append(pod.name))

    await mirror.step(KEY, a_workflow("Running", flip="Running"))
    assert await state_of(database) is RunState.RUNNING
    assert logs == []

    await mirror.step(KEY, a_workflow("Succeeded", flip="Succeeded", say="Skipped"))

    assert await state_of(database) is RunState.SUCCEEDED
    states = {task.name: task.state for task in await database.tasks(RUN_ID)}
    assert states == {KEY.name: TaskState.COMPLETE, "flip": TaskState.COMPLETE, "say": TaskState.CANCELED}
    assert len([name for name in logs if "flip" in name]) == 1
    kept = await database.manifest(RUN_ID)
    assert kept is not None
    assert b'"Succeeded"' in kept


async def test_a_restart_mirrors_the_same_again(database: Database) -> None:
    await Mirror(database, lambda run_id, pod: None).step(KEY, a_workflow("Running", flip="Running"))

    await Mirror(database, lambda run_id, pod: None).step(KEY, a_workflow("Failed", flip="Failed"))

    run = await database.run(RUN_ID)
    assert run is not None
    assert run.state is RunState.FAILED
    assert run.error is not None


async def test_a_run_whose_workflow_is_deleted_while_it_runs_has_failed(database: Database) -> None:
    mirror = Mirror(database, lambda run_id, pod: None)
    await mirror.step(KEY, a_workflow("Running"))

    await mirror.step(KEY, None)

    assert await state_of(database) is RunState.FAILED


async def test_a_finished_run_keeps_its_state_when_its_workflow_is_deleted(database: Database) -> None:
    mirror = Mirror(database, lambda run_id, pod: None)
    await mirror.step(KEY, a_workflow("Succeeded"))

    await mirror.step(KEY, None)

    assert await state_of(database) is RunState.SUCCEEDED


async def test_the_workflow_of_another_namespace_does_not_change_the_run(database: Database) -> None:
    other = Key("other", KEY.name)
    mirror = Mirror(database, lambda run_id, pod: None)

    await mirror.step(other, a_workflow("Failed", other))
    await mirror.step(other, None)

    assert await state_of(database) is RunState.PENDING


async def test_metrics_of_nodes_that_succeeded_are_those_of_the_run(database: Database) -> None:
    workflow = a_workflow("Running", train="Succeeded")
    artifact = {"name": "train-mlpipeline-metrics", "s3": {"bucket": "mlpipeline", "key": "artifacts/m.tgz"}}
    workflow["status"]["nodes"]["train"]["outputs"] = {"artifacts": [artifact]}
    reads: list[tuple[str, str]] = []

    async def read(namespace: str, key: str, limit: int) -> bytes:
        reads.append((namespace, key))
        return b'{"metrics": [{"name": "accuracy", "numberValue": 0.75, "format": "PERCENTAGE"}]}'

    mirror = Mirror(database, lambda run_id, pod: None, read)
    await mirror.step(KEY, workflow)
    await mirror.step(KEY, workflow)
    await Mirror(database, lambda run_id, pod: None, read).step(KEY, workflow)

    run = await database.run(RUN_ID)
    assert run is not None
    assert run.metrics == {"accuracy": 0.75}
    assert [(metric["node_id"], metric["format"]) for metric in await database.metrics(RUN_ID)] == [
        ("train", "PERCENTAGE")
    ]
    assert reads == [("ml", "artifacts/m.tgz")] * 2, "once for each manager"


async def test_a_run_has_at_most_fifty_metrics(database: Database) -> None:
    for number in range(60):
        await database.report_metric(RUN_ID, "node", f"m{number}", 1.0, "RAW")

    run = await database.run(RUN_ID)
    assert run is not None
    assert len(run.metrics) == 50
