"""Runs are retried as a whole or not at all."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.apps.pipelines.runs.ir.world import KEY, NAMESPACE, RUN_ID, WORKFLOWS, RunWorld
from windlass.apps.pipelines.model import Error, Run, RunState
from windlass.apps.pipelines.runs.submit import retry, submit
from windlass.kube import errors
from windlass.kube.client import Client
from windlass.kube.json import Object
from windlass.kube.kind import Kind
from windlass.kube.meta import Key

FAILURE = Error(code=13, message="exit code 1")


class Refusing(Client):
    """The API for someone who may not change Workflows."""

    async def patch(self, kind: Kind, key: Key, patch: object, type: str = "merge", **options: object) -> Object:
        raise errors.Forbidden(f"you may not patch {kind.plural}")


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[RunWorld]:
    opened = await RunWorld.open(tmp_path)
    yield opened
    await opened.database.close()


async def a_failed_run(world: RunWorld) -> Run:
    run = Run(run_id=RUN_ID, namespace=NAMESPACE, display_name="r", resource_name=KEY.name)
    await submit(world.database, Client(world.server), run)
    await world.database.set_run_state(RUN_ID, RunState.FAILED, 10.0, error=FAILURE)
    failed = await world.database.run(RUN_ID)
    assert failed is not None
    return failed


async def test_a_retry_is_taken_once(world: RunWorld) -> None:
    failed = await a_failed_run(world)

    assert await retry(world.database, Client(world.server), failed)
    assert not await retry(world.database, Client(world.server), failed)

    assert world.server.objects[WORKFLOWS, KEY]["metadata"]["annotations"]["pipelines.windlass.dev/retries"] == "1"


async def test_a_retry_that_the_server_refuses_leaves_the_run_as_it_was(world: RunWorld) -> None:
    failed = await a_failed_run(world)

    with pytest.raises(errors.Forbidden):
        await retry(world.database, Refusing(world.server), failed)

    run = await world.database.run(RUN_ID)
    assert run is not None
    assert (run.state, run.error) == (RunState.FAILED, FAILURE)
    assert await retry(world.database, Client(world.server), failed)
