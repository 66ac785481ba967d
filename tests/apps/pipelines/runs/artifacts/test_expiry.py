"""Content of artifacts is removed some time after their run has finished."""

import time
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from windlass.apps.pipelines.model import Artifact, Run, RunState, Task, Values
from windlass.apps.pipelines.options import PipelineOptions
from windlass.apps.pipelines.rows import open_database
from windlass.apps.pipelines.rows.database import Database
from windlass.apps.pipelines.runs.artifacts.expiry import ArtifactExpiry, artifact_expiry

DAY = 86_400.0
NOW = time.time()


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await open_database(f"sqlite:///{tmp_path / 'pipelines.db'}")
    yield opened
    await opened.close()


class Removed:
    def __init__(self, *, refuses: bool = False) -> None:
        self.uris: list[str] = []
        self._refuses = refuses

    async def remove(self, namespace: str, uri: str) -> bool:
        assert namespace == "ml"
        self.uris.append(uri)
        return not self._refuses


async def a_run(
    database: Database,
    run_id: str,
    age_days: float,
    state: RunState = RunState.SUCCEEDED,
    uri: str = "",
    uses: str = "",
) -> str:
    """A run that finished so long ago, with an artifact; `uses` is one of another run."""
    at = NOW - age_days * DAY
    uri = uri or f"minio://mlpipeline/v2/artifacts/p/{run_id}/train/x/model"
    run = Run(run_id=run_id, namespace="ml", display_name=run_id, resource_name=run_id, created_at=at, state=state)
    await database.create(run)
    await database.change(Run, run_id, finished_at=at if state is RunState.SUCCEEDED else 0.0)
    outputs, inputs = Values(artifacts={"model": [f"{run_id}-model"]}), Values(artifacts={"in": [uses]} if uses else {})
    task = Task(task_id=f"{run_id}-t", run_id=run_id, path="root.t", name="t", outputs=outputs, inputs=inputs)
    model = Artifact(artifact_id=f"{run_id}-model", namespace="ml", run_id=run_id, uri=uri, created_at=at)
    await database.save(run_id, tasks=[task], artifacts=[model])
    return uri


async def expire(database: Database, removed: Removed) -> None:
    async def opened() -> Database:
        return database

    again_in = await ArtifactExpiry(opened, removed, timedelta(days=7)).step("all")
    assert again_in >= timedelta(minutes=1)


async def has_content(database: Database, run_id: str) -> bool:
    artifact = await database.get(Artifact, f"{run_id}-model")
    assert artifact is not None
    return artifact.has_content


async def test_content_of_old_runs_goes_once_and_the_record_says_so(database: Database) -> None:
    old = await a_run(database, "old", 8)
    await a_run(database, "young", 6)
    await a_run(database, "running", 9, RunState.RUNNING)
    removed = Removed()

    await expire(database, removed)
    await expire(database, removed)

    assert removed.uris == [old]
    assert not await has_content(database, "old")
    assert await has_content(database, "young")
    assert await has_content(database, "running")


async def test_what_a_younger_run_uses_is_kept(database: Database) -> None:
    uri = await a_run(database, "linked", 9)
    await a_run(database, "user", 1, uses="linked-model")
    await a_run(database, "shared", 9, uri=uri.replace("linked", "same"))
    await a_run(database, "other", 1, uri=uri.replace("linked", "same"))
    removed = Removed()

    await expire(database, removed)

    assert removed.uris == []


async def test_what_is_outside_the_root_of_the_run_is_kept(database: Database) -> None:
    await a_run(database, "importer", 9, uri="s3://data/table.csv")
    removed = Removed()

    await expire(database, removed)

    assert removed.uris == []
    assert await has_content(database, "importer")


async def test_what_a_store_refuses_is_tried_again(database: Database) -> None:
    await a_run(database, "old", 8)

    await expire(database, Removed(refuses=True))

    assert await has_content(database, "old")


def test_artifacts_are_kept_for_ever_unless_the_server_says_otherwise() -> None:
    async def never() -> Database:
        raise AssertionError

    assert list(artifact_expiry(PipelineOptions(), never)) == []
    assert len(list(artifact_expiry(PipelineOptions(artifact_ttl_days=7), never))) == 1
