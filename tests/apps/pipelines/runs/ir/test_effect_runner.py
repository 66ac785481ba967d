"""Which record an importer's task gets: that of an earlier import, or one of its own."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest

from windlass.apps.pipelines.engine import effects, events
from windlass.apps.pipelines.model import Artifact, Run, Task, TaskType
from windlass.apps.pipelines.rows import open_database
from windlass.apps.pipelines.rows.database import Database
from windlass.apps.pipelines.runs.ir.effect_runner import EffectRunner, RunContext

URI = "minio://mlpipeline/outside/data.csv"
UNUSED: Any = None


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await open_database(f"sqlite:///{tmp_path}/pipelines.db")
    yield opened
    await opened.close()


async def imported(
    database: Database, run_id: str, *, pipeline: str = "train", namespace: str = "ml", **fields: Any
) -> Artifact:
    """Import in a run of its own, and keep what the engine would keep."""
    run = Run(run_id=run_id, namespace=namespace, display_name=run_id, resource_name=run_id, pipeline_name=pipeline)
    await database.create(run)
    task = Task(task_id=f"{run_id}-load", run_id=run_id, path="root.load", name="load", type=TaskType.IMPORTER)
    given = {"uri": URI, "type": "system.Dataset", "schema_version": "0.0.1", "metadata": {"k": "v"}, "reimport": False}
    effect = effects.ImportArtifact(task_id=task.task_id, **{**given, **fields})
    context = RunContext(run=run, engine=UNUSED, owner={}, pod_defaults={})
    runner = EffectRunner(UNUSED, database, UNUSED, UNUSED)
    answer = cast(events.Imported, await runner.carry_out(context, effect))
    own = [answer.artifact] if answer.artifact.task_id == task.task_id else []
    await database.save(run_id, tasks=[task], artifacts=own)
    return answer.artifact


async def test_a_second_import_reuses_the_record_of_the_first(database: Database) -> None:
    first = await imported(database, "one")

    assert (await imported(database, "two")).artifact_id == first.artifact_id
    assert (await imported(database, "three")).artifact_id == first.artifact_id


async def test_a_reimport_makes_a_record_of_its_own(database: Database) -> None:
    first = await imported(database, "one")
    again = await imported(database, "two", reimport=True)

    assert again.artifact_id != first.artifact_id
    assert (again.task_id, again.run_id, again.uri, again.metadata) == ("two-load", "two", URI, {"k": "v"})


@pytest.mark.parametrize(
    "other",
    [
        {"uri": f"{URI}.gz"},
        {"type": "system.Model"},
        {"metadata": {"k": "w"}},
        {"metadata": {}},
        {"pipeline": "predict"},
        {"namespace": "other"},
    ],
)
async def test_a_record_is_reused_only_for_the_same_import_of_its_pipeline(
    database: Database, other: dict[str, Any]
) -> None:
    first = await imported(database, "one")

    assert (await imported(database, "two", **other)).artifact_id != first.artifact_id
