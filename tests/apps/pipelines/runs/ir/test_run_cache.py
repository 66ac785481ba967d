"""Whether a second run of a pipeline in IR reuses outputs: as the run and the server say."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.apps.pipelines.runs.ir.world import PODS, RUN_ID, WORKFLOWS, RunWorld
from windlass.apps.pipelines.model import TaskState
from windlass.apps.pipelines.options import PipelineOptions

SECOND = "22222222-2222-3333-4444-555555555555"


async def pods_of_second_run(folder: Path, options: PipelineOptions, age: float = 0.0, **run: Any) -> int:
    """How many pods a run creates whose outputs another made `age` seconds before."""
    world = await RunWorld.open(folder)
    world.options = options
    await world.submit()
    await world.until_quiet()
    tasks = await world.database.tasks(RUN_ID)
    for task in tasks:
        await world.database.change(type(task), task.task_id, finished_at=task.finished_at - age)
    for kind, key in [at for at in world.server.objects if at[0] in (PODS, WORKFLOWS)]:
        del world.server.objects[kind, key]
    created = len(world.server.created)
    world.restart()
    await world.submit(run_id=SECOND, **run)
    await world.until_quiet()
    done = await world.database.tasks(SECOND)
    assert all(task.state in (TaskState.COMPLETE, TaskState.CACHED) for task in done)
    pods = [pod for pod in world.server.created[created:] if pod["kind"] == "Pod"]
    await world.database.close()
    return len(pods)


DEFAULTS = PipelineOptions()


@pytest.mark.parametrize(
    ("options", "age", "run", "expected"),
    [
        (DEFAULTS, 0, {}, 0),
        (DEFAULTS, 0, {"is_cache_enabled": False}, 4),
        (replace(DEFAULTS, is_cache_enabled=False), 0, {}, 4),
        (DEFAULTS, 7200, {}, 0),
        (DEFAULTS, 7200, {"max_cache_staleness": "PT1H"}, 4),
        (DEFAULTS, 7200, {"max_cache_staleness": "PT3H"}, 0),
        (DEFAULTS, 0, {"max_cache_staleness": "P0D"}, 4),
        (replace(DEFAULTS, default_cache_staleness="PT1H"), 7200, {}, 4),
        (replace(DEFAULTS, default_cache_staleness="PT1H"), 7200, {"max_cache_staleness": "P1D"}, 0),
        (replace(DEFAULTS, maximum_cache_staleness="PT1H"), 7200, {"max_cache_staleness": "P1D"}, 4),
    ],
)
async def test_outputs_are_reused_as_run_and_server_allow(
    tmp_path: Path, options: PipelineOptions, age: float, run: dict[str, Any], expected: int
) -> None:
    assert await pods_of_second_run(tmp_path, options, age, **run) == expected
