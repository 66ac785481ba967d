"""Runs whose record and Workflow disagree, since something was killed between the two, come to an end."""

import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.apps.pipelines.runs.ir.world import KEY, NAMESPACE, RUN_ID, WORKFLOWS, RunWorld
from windlass.apps.pipelines.model import Run, RunState, StateChange
from windlass.apps.pipelines.runs.interrupted import INTERVAL, InterruptedRuns, Remedy, remedy
from windlass.apps.pipelines.runs.submit import submit
from windlass.apps.pipelines.runs.workflow_objects import COMPLETED_LABEL, workflow_of
from windlass.kube.client import Client
from windlass.kube.json import Object, timestamp

NOW = time.time()
LONG_AGO = NOW - 10 * INTERVAL.total_seconds()


def a_run(*states: RunState, at: float = LONG_AGO, **more: Any) -> Run:
    """A run that has been in these states, the last of them since `at`."""
    history = [StateChange(update_time=at - len(states) + step, state=state) for step, state in enumerate(states, 1)]
    return Run(
        run_id=RUN_ID,
        namespace=NAMESPACE,
        display_name="r",
        resource_name=KEY.name,
        created_at=at,
        state=states[-1],
        state_history=history,
        **more,
    )


PENDING, RUNNING, CANCELING, FAILED = RunState.PENDING, RunState.RUNNING, RunState.CANCELING, RunState.FAILED


def a_workflow(run: Run, *, shutdown: str = "", finished_at: float | None = None) -> Object:
    workflow = workflow_of(run)
    if shutdown:
        workflow["spec"]["shutdown"] = shutdown
    if finished_at is not None:
        workflow["metadata"]["labels"][COMPLETED_LABEL] = "true"
        workflow["status"] = {"phase": "Failed", "finishedAt": timestamp(datetime.fromtimestamp(finished_at, UTC))}
    return workflow


@pytest.mark.parametrize("state", [PENDING, RUNNING, CANCELING])
def test_a_run_without_a_workflow_has_failed(state: RunState) -> None:
    assert remedy(a_run(state), None, NOW) is Remedy.FAIL
    assert remedy(a_run(state, at=NOW - 1), None, NOW) is None


def test_a_scheduled_run_is_left_to_its_schedule_until_it_has_started() -> None:
    assert remedy(a_run(PENDING, recurring_run_id="s"), None, NOW) is None
    assert remedy(a_run(RUNNING, recurring_run_id="s"), None, NOW) is Remedy.FAIL


def test_a_termination_reaches_the_workflow() -> None:
    run = a_run(PENDING, CANCELING)

    assert remedy(run, a_workflow(run), NOW) is Remedy.TERMINATE
    assert remedy(run, a_workflow(run, shutdown="Terminate"), NOW) is None


def test_a_retry_reaches_the_workflow() -> None:
    run = a_run(PENDING, FAILED, RUNNING)

    assert remedy(run, a_workflow(run, finished_at=LONG_AGO - 1), NOW) is Remedy.RETRY
    assert remedy(run, a_workflow(run), NOW) is None


def test_a_retry_that_was_terminated_has_failed() -> None:
    run = a_run(FAILED, RUNNING, CANCELING)

    assert remedy(run, a_workflow(run, finished_at=LONG_AGO - 2), NOW) is Remedy.FAIL


def test_a_run_that_has_just_finished_is_not_retried() -> None:
    """Its Workflow shows it before its record does."""
    run = a_run(PENDING, RUNNING)

    assert remedy(run, a_workflow(run, finished_at=NOW), NOW) is None


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[RunWorld]:
    opened = await RunWorld.open(tmp_path)
    yield opened
    await opened.database.close()


async def look_after(world: RunWorld) -> None:
    again_in = await InterruptedRuns(lambda: world.database, Client(world.server)).step("all")
    assert again_in == INTERVAL


async def test_a_run_whose_creation_was_interrupted_fails_with_the_reason(world: RunWorld) -> None:
    await world.database.create(a_run(PENDING))

    await look_after(world)

    run = await world.database.run(RUN_ID)
    assert run is not None
    assert run.error is not None
    assert (run.state, run.error.message) == (FAILED, "The run was not started: its creation was interrupted")


async def test_a_run_that_has_its_workflow_is_left_alone(world: RunWorld) -> None:
    await submit(world.database, Client(world.server), a_run(RUNNING))
    before = world.server.writes

    await look_after(world)

    run = await world.database.run(RUN_ID)
    assert run is not None
    assert (run.state, world.server.writes) == (RUNNING, before)


async def test_interrupted_requests_are_carried_out_once(world: RunWorld) -> None:
    terminated = a_run(PENDING, CANCELING)
    await world.database.create(terminated)
    world.server.put(a_workflow(terminated))

    await look_after(world)
    assert world.server.objects[WORKFLOWS, KEY]["spec"]["shutdown"] == "Terminate"

    await world.database.delete_run(RUN_ID)
    retried = a_run(PENDING, FAILED, RUNNING)
    await world.database.create(retried)
    world.server.put(a_workflow(retried, shutdown="Terminate", finished_at=LONG_AGO - 1))
    await look_after(world)
    await look_after(world)

    workflow = world.server.objects[WORKFLOWS, KEY]
    assert "shutdown" not in workflow["spec"]
    assert workflow["metadata"]["labels"][COMPLETED_LABEL] == "false"
    assert workflow["metadata"]["annotations"]["pipelines.windlass.dev/retries"] == "1"


async def test_nothing_is_asked_before_a_run_has_opened_the_database(world: RunWorld) -> None:
    world.server.kill_at = world.server.writes

    assert await InterruptedRuns(lambda: None, Client(world.server)).step("all") == INTERVAL
