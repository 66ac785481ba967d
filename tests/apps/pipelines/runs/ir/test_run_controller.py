"""Runs in the manager: pods follow what the engine decides, whatever is killed and deleted meanwhile."""

import contextlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.apps.pipelines.runs.ir.world import KEY, NAMESPACE, PODS, RUN_ID, WORKFLOWS, RunWorld
from windlass.apps.pipelines.model import Error, RunState, TaskState
from windlass.apps.pipelines.runs.ir.workspace import CLAIMS
from windlass.apps.pipelines.runs.workflow_objects import workflow_of
from windlass.kube.errors import Forbidden
from windlass.kube.meta import Key
from windlass.kube.testing import Killed


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[RunWorld]:
    opened = await RunWorld.open(tmp_path)
    yield opened
    await opened.database.close()


async def state_of(world: RunWorld) -> RunState:
    run = await world.database.run(RUN_ID)
    assert run is not None
    return run.state


async def total_of(world: RunWorld) -> object:
    root = next(task for task in await world.database.tasks(RUN_ID) if task.name == "root")
    return root.outputs.parameters.get("total")


async def test_a_run_creates_pods_reads_their_outputs_and_completes(world: RunWorld) -> None:
    await world.submit()

    await world.until_quiet()

    assert await state_of(world) is RunState.SUCCEEDED
    assert await total_of(world) == 14
    workflow = world.server.objects[WORKFLOWS, KEY]
    assert workflow["status"]["phase"] == "Succeeded"
    assert workflow["status"]["progress"] == "4/4"
    assert workflow["metadata"]["labels"]["workflows.argoproj.io/completed"] == "true"
    assert len(world.kept_logs) == 4
    assert list((world.volumes / "artifacts" / ".parameters").iterdir()) == []


async def test_a_loop_has_as_many_pods_at_once_as_it_may(world: RunWorld) -> None:
    await world.submit(parameters={"numbers": [1, 2, 3, 4, 5]})

    await world.controller.step(KEY)

    assert len(world.pod_objects) == 2


@pytest.mark.parametrize("write", range(1, 14))
async def test_a_manager_killed_after_any_write_runs_nothing_twice(tmp_path: Path, write: int) -> None:
    world = await RunWorld.open(tmp_path / str(write))
    await world.submit()
    world.server.kill_at = world.server.writes + write
    with contextlib.suppress(Killed):
        await world.until_quiet()
    world.server.kill_at = None
    world.restart()

    await world.until_quiet()

    assert await state_of(world) is RunState.SUCCEEDED
    assert await total_of(world) == 14
    created = [pod["metadata"]["name"] for pod in world.server.created if pod["kind"] == "Pod"]
    assert len(created) == len(set(created)) == 4
    await world.database.close()


async def test_a_pod_that_fails_or_is_deleted_fails_the_run_with_the_reason(world: RunWorld) -> None:
    await world.submit()
    await world.controller.step(KEY)
    world.end(world.pod_objects[0], "Failed", 3)
    await world.controller.step(KEY)
    other = world.pod_objects[1]
    world.server.finish_deletion(PODS, Key(NAMESPACE, other["metadata"]["name"]))

    await world.until_quiet()

    run = await world.database.run(RUN_ID)
    assert run is not None
    assert run.state is RunState.FAILED
    messages = [task.error.message for task in await world.database.tasks(RUN_ID) if task.error is not None]
    assert any("exit code 3" in message for message in messages)
    assert any("was deleted" in message for message in messages)


async def test_why_a_pod_waits_is_in_its_task_and_in_the_workflow(world: RunWorld) -> None:
    await world.submit()
    await world.controller.step(KEY)
    pod = world.pod_objects[0]
    said = "0/1 nodes are available: the claim data is not bound: no volume fits"
    unplaced = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": said}
    world.server.put({**pod, "status": {"phase": "Pending", "conditions": [unplaced]}})

    await world.controller.step(KEY)

    (waiting,) = [task for task in await world.database.tasks(RUN_ID) if task.error is not None]
    assert (waiting.state, waiting.pod_name) == (TaskState.RUNNING, pod["metadata"]["name"])
    assert waiting.error == Error(code=14, message=f"Unschedulable: {said}")
    world.restart()  # whose first step reports at once
    await world.controller.step(KEY)
    message = world.server.objects[WORKFLOWS, KEY]["status"]["message"]
    assert message == f"{waiting.name}: Unschedulable: {said}"

    await world.until_quiet()
    assert await state_of(world) is RunState.SUCCEEDED
    assert [task.error for task in await world.database.tasks(RUN_ID) if task.error is not None] == []
    assert world.server.objects[WORKFLOWS, KEY]["status"]["message"] == ""


async def test_a_user_ends_a_run_and_its_pods(world: RunWorld) -> None:
    await world.submit()
    await world.controller.step(KEY)
    await world.database.set_run_state(RUN_ID, RunState.CANCELING, 1.0)
    workflow = world.server.objects[WORKFLOWS, KEY]
    world.server.put({**workflow, "spec": {**workflow["spec"], "shutdown": "Terminate"}})
    running = {pod["metadata"]["name"] for pod in world.pod_objects}

    await world.controller.step(KEY)
    await world.controller.step(KEY)  # the pods are gone

    assert await state_of(world) is RunState.FAILED
    assert world.pod_objects == []
    assert running <= set(world.kept_logs)
    states = {task.state for task in await world.database.tasks(RUN_ID)}
    assert not states & {TaskState.RUNNING, TaskState.PENDING}


def suspend(world: RunWorld, value: bool | None) -> None:
    workflow = world.server.objects[WORKFLOWS, KEY]
    world.server.put({**workflow, "spec": {**workflow["spec"], "suspend": value}})


async def test_a_suspended_run_starts_nothing_until_it_is_resumed(world: RunWorld) -> None:
    await world.submit(parameters={"numbers": [1, 2, 3]})
    await world.controller.step(KEY)
    started = len(world.pod_objects)
    suspend(world, True)

    await world.until_quiet()
    assert len(world.pod_objects) == started
    assert await state_of(world) is RunState.RUNNING

    suspend(world, None)
    await world.until_quiet()
    assert await state_of(world) is RunState.SUCCEEDED
    assert await total_of(world) == 14


async def test_tasks_whose_pods_went_while_the_run_was_suspended_have_failed(world: RunWorld) -> None:
    await world.submit()
    await world.controller.step(KEY)
    suspend(world, True)
    await world.controller.step(KEY)
    for pod in world.pod_objects:
        world.server.finish_deletion(PODS, Key(NAMESPACE, pod["metadata"]["name"]))
    await world.controller.step(KEY)

    assert await state_of(world) is RunState.RUNNING

    suspend(world, None)
    await world.until_quiet()

    assert await state_of(world) is RunState.FAILED
    messages = [task.error.message for task in await world.database.tasks(RUN_ID) if task.error is not None]
    assert any("was deleted" in message for message in messages)


async def test_a_suspended_run_can_be_ended(world: RunWorld) -> None:
    await world.submit()
    await world.controller.step(KEY)
    suspend(world, True)
    await world.controller.step(KEY)
    await world.database.set_run_state(RUN_ID, RunState.CANCELING, 1.0)
    workflow = world.server.objects[WORKFLOWS, KEY]
    world.server.put({**workflow, "spec": {**workflow["spec"], "shutdown": "Terminate"}})

    await world.controller.step(KEY)
    await world.controller.step(KEY)  # the pods are gone

    assert await state_of(world) is RunState.FAILED
    assert world.pod_objects == []


async def test_a_run_whose_workflow_is_deleted_has_failed(world: RunWorld) -> None:
    await world.submit()
    await world.controller.step(KEY)
    world.server.finish_deletion(WORKFLOWS, KEY)

    await world.controller.step(KEY)

    assert await state_of(world) is RunState.FAILED


async def test_a_refused_pod_fails_its_task_with_the_words_of_the_server(world: RunWorld) -> None:
    world.server.refuse = lambda verb, obj: Forbidden("no pods today") if obj["kind"] == "Pod" else None
    await world.submit()

    await world.until_quiet()

    run = await world.database.run(RUN_ID)
    assert run is not None
    assert run.state is RunState.FAILED
    assert run.error is not None
    assert "no pods today" in run.error.message


async def test_a_workspace_that_cannot_be_made_fails_the_run_before_it_begins(world: RunWorld) -> None:
    config = {"workspace": {"kubernetes": {"pvcSpecPatch": {"accessModes": ["ReadWriteOnce"]}}}}
    await world.submit(platform_spec={"platforms": {"kubernetes": {"pipelineConfig": config}}})

    await world.controller.step(KEY)

    run = await world.database.run(RUN_ID)
    assert run is not None
    assert (run.state, run.error and run.error.message) == (RunState.FAILED, "workspace.size is required")


async def test_the_workspace_goes_with_a_success_although_its_pods_stay(world: RunWorld) -> None:
    patch = {"accessModes": ["ReadWriteOnce"]}
    config = {"workspace": {"size": "1Gi", "kubernetes": {"pvcSpecPatch": patch}}}
    await world.submit(platform_spec={"platforms": {"kubernetes": {"pipelineConfig": config}}})
    await world.controller.step(KEY)
    place = (CLAIMS, Key(NAMESPACE, f"{KEY.name}-kfp-workspace"))
    claim = world.server.objects[place]
    world.server.put({**claim, "metadata": {**claim["metadata"], "finalizers": ["kubernetes.io/pvc-protection"]}})

    await world.until_quiet()

    assert await state_of(world) is RunState.SUCCEEDED
    assert place not in world.server.objects
    assert len(world.pod_objects) == 4


async def test_outputs_of_an_earlier_run_are_reused(world: RunWorld) -> None:
    await world.submit()
    await world.until_quiet()
    before = len(world.pod_objects)
    world.server.finish_deletion(WORKFLOWS, KEY)
    await world.submit(run_id="22222222-2222-3333-4444-555555555555")

    await world.until_quiet()

    again = await world.database.run("22222222-2222-3333-4444-555555555555")
    assert again is not None
    assert again.state is RunState.SUCCEEDED
    assert len([pod for pod in world.server.created if pod["kind"] == "Pod"]) == before


async def fail_once(world: RunWorld) -> None:
    """Let every pod of the run fail, until it has failed itself."""
    await world.submit(parameters={"numbers": [7]})
    await world.controller.step(KEY)
    for pod in world.pod_objects:
        world.end(pod, "Failed", 1)


async def test_a_retry_runs_again_what_has_failed(world: RunWorld) -> None:
    await fail_once(world)
    await world.controller.step(KEY)
    assert await state_of(world) is RunState.FAILED
    await world.database.set_run_state(RUN_ID, RunState.PENDING, datetime.now(UTC).timestamp() + 1, reset=True)
    workflow = world.server.objects[WORKFLOWS, KEY]
    labels = {**workflow["metadata"]["labels"], "workflows.argoproj.io/completed": "false"}
    annotations = {**workflow["metadata"]["annotations"], "pipelines.windlass.dev/retries": "1"}
    metadata = {**workflow["metadata"], "labels": labels, "annotations": annotations}
    world.server.put({**workflow, "metadata": metadata})

    await world.until_quiet()

    assert await state_of(world) is RunState.SUCCEEDED
    assert await total_of(world) == 49


async def test_a_manager_killed_before_the_end_is_recorded_does_not_retry_the_run(world: RunWorld) -> None:
    await fail_once(world)
    record = world.database.set_run_state

    async def killed(*_: object, **__: object) -> bool:
        raise Killed

    world.database.set_run_state = killed
    with pytest.raises(Killed):
        await world.controller.step(KEY)
    world.database.set_run_state = record
    world.restart()
    pods = len(world.server.created)

    await world.until_quiet()

    assert await state_of(world) is RunState.FAILED
    assert len(world.server.created) == pods


async def test_a_workflow_of_another_namespace_cannot_name_the_run(world: RunWorld) -> None:
    run = await world.submit()
    foreign = Key("other", KEY.name)
    workflow = workflow_of(run)
    workflow["metadata"]["namespace"] = foreign.namespace
    world.server.put(workflow)

    await world.controller.step(foreign)

    assert world.server.objects[WORKFLOWS, foreign]["status"]["phase"] == "Error"
    assert world.pod_objects == []
    assert await state_of(world) is RunState.PENDING
