"""Gateway and manager use one database at the same time."""

import asyncio

from windlass.apps.pipelines.model import RunState, TaskState
from windlass.apps.pipelines.rows import open_database

from .builders import a_run, a_task

RUNS = 10


async def test_two_processes_write_at_once_and_lose_nothing(database_url: str) -> None:
    gateway, manager = await open_database(database_url), await open_database(database_url)

    async def advance(n: int) -> None:
        await gateway.create(a_run(f"r{n}"))
        for step in range(5):
            await manager.save(f"r{n}", tasks=[a_task(f"t{n}-{step}", f"r{n}", state=TaskState.COMPLETE)])

    await asyncio.gather(*(advance(n) for n in range(RUNS)))
    for n in range(RUNS):
        assert len(await gateway.tasks(f"r{n}")) == 5
    await gateway.close()
    await manager.close()


async def test_of_two_changes_of_a_state_one_counts(database_url: str) -> None:
    gateway, manager = await open_database(database_url), await open_database(database_url)
    await gateway.create(a_run(state=RunState.RUNNING))

    outcomes = await asyncio.gather(
        *(
            each.set_run_state("r1", state, 5.0)
            for each in (gateway, manager)
            for state in (RunState.SUCCEEDED, RunState.FAILED)
        )
    )
    assert sum(outcomes) == 1
    run = await gateway.run("r1")
    assert run is not None
    assert len(run.state_history) == 1
    await gateway.close()
    await manager.close()
