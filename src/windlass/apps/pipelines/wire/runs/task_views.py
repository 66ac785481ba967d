"""Tasks and artifacts as answers show them: as `task_details` of 2.17, and as tasks with inputs and outputs. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from windlass.apps.pipelines.model import Artifact, Run, Task, TaskState, TaskType, Values
from windlass.apps.pipelines.rows.numbers import number_of
from windlass.apps.pipelines.wire.listing import ARTIFACT_TYPES
from windlass.apps.pipelines.wire.runs.value_sources import OUTPUT, RunSources, Sources
from windlass.kube.json import Object

RUNTIME_STATES = {
    TaskState.PENDING: "PENDING",
    TaskState.RUNNING: "RUNNING",
    TaskState.COMPLETE: "SUCCEEDED",
    TaskState.CACHED: "SKIPPED",
    TaskState.CANCELED: "SKIPPED",
    TaskState.FAILED: "FAILED",
}
TASK_STATES = {
    TaskState.PENDING: "",
    TaskState.RUNNING: "RUNNING",
    TaskState.COMPLETE: "SUCCEEDED",
    TaskState.CACHED: "CACHED",
    TaskState.CANCELED: "SKIPPED",
    TaskState.FAILED: "FAILED",
}
"""A task that waits has no state: the messages have no name for it."""


def artifact_ids(task: Task) -> Iterator[str]:
    for values in (task.inputs, task.outputs):
        for ids in values.artifacts.values():
            yield from ids


def children_of(tasks: Sequence[Task]) -> dict[str, list[Task]]:
    """Tasks by the id of the task that they are in."""
    children: dict[str, list[Task]] = {}
    for task in tasks:
        children.setdefault(task.parent_id, []).append(task)
    return children


def details_of(tasks: Sequence[Task]) -> list[Object]:
    children = children_of(tasks)
    return [task_detail(task, children.get(task.task_id, [])) for task in tasks]


def task_detail(task: Task, children: Sequence[Task]) -> Object:
    return {
        "run_id": task.run_id,
        "task_id": task.task_id,
        "display_name": task.display_name or task.name,
        "create_time": task.created_at,
        "start_time": task.started_at,
        "end_time": task.finished_at,
        "executor_detail": {"main_job": task.pod_name, "failed_main_jobs": task.failed_pods},
        "state": RUNTIME_STATES[task.state],
        "execution_id": number_of(task.task_id),
        "error": None if task.error is None else {"code": task.error.code, "message": task.error.message},
        "inputs": numbered_artifacts(task.inputs),
        "outputs": numbered_artifacts(task.outputs),
        "parent_task_id": task.parent_id,
        "state_history": [
            {"update_time": at, "state": RUNTIME_STATES.get(TaskState(state), state)}
            for at, state in task.state_history
            if state in TaskState.__members__
        ],
        "pod_name": task.pod_name,
        "child_tasks": [{"task_id": child.task_id, "pod_name": child.pod_name} for child in children],
    }


def numbered_artifacts(values: Values) -> Object:
    return {name: {"artifact_ids": [str(number_of(id)) for id in ids]} for name, ids in values.artifacts.items()}


def shown_tasks(run: Run, tasks: Sequence[Task], artifacts: Mapping[str, Artifact]) -> list[Object]:
    """All tasks of a run."""
    by_id, children, sources = {task.task_id: task for task in tasks}, children_of(tasks), RunSources(run)
    return [shown_task(task, children.get(task.task_id, []), by_id, artifacts, sources.of(task)) for task in tasks]


def shown_task(
    task: Task,
    children: Sequence[Task],
    tasks: Mapping[str, Task],
    artifacts: Mapping[str, Artifact],
    sources: Sources,
) -> Object:
    """`tasks` are those of the run, by their ids."""
    return shown_task_facts(task) | {
        "child_tasks": [{"task_id": child.task_id, "name": child.name} for child in children],
        "inputs": shown_inputs(task.inputs, sources, tasks, artifacts),
        "outputs": shown_outputs(task.outputs, sources, tasks, artifacts),
    }


def shown_task_facts(task: Task) -> Object:
    """What is known of a task by itself: all but its children, inputs and outputs."""
    return {
        "name": task.name,
        "display_name": task.display_name or task.name,
        "task_id": task.task_id,
        "run_id": task.run_id,
        "pods": shown_pods(task),
        "cache_fingerprint": task.fingerprint,
        "create_time": task.created_at,
        "start_time": task.started_at,
        "end_time": task.finished_at,
        "state": TASK_STATES[task.state],
        "status_metadata": {"message": task.error.message if task.error else ""},
        "state_history": [{"update_time": at, "state": history_state(state)} for at, state in task.state_history],
        "type": task.type,
        "type_attributes": type_attributes(task),
        "parent_task_id": task.parent_id,
        "scope_path": task.path,
        "cached_task_id": task.cached_task_id,
    }


def history_state(state: str) -> str:
    return TASK_STATES[TaskState(state)] if state in TaskState.__members__ else state


def shown_pods(task: Task) -> list[Object]:
    pods = [{"name": name, "type": "EXECUTOR"} for name in task.failed_pods]
    if task.pod_name:
        pods.append({"name": task.pod_name, "uid": task.pod_uid, "type": "EXECUTOR"})
    return pods


def type_attributes(task: Task) -> Object:
    attributes: Object = {}
    if task.iteration >= 0:
        attributes["iteration_index"] = task.iteration
    if task.type == TaskType.LOOP and task.iteration_count >= 0:
        attributes["iteration_count"] = task.iteration_count
    return attributes


def shown_inputs(
    values: Values, sources: Sources, tasks: Mapping[str, Task], artifacts: Mapping[str, Artifact]
) -> Object:
    return {
        "parameters": [
            {
                "value": value,
                "type": sources.parameter(name).type,
                "parameter_key": name,
                "producer": shown_producer(sources.parameter(name).producer, None),
            }
            for name, value in values.parameters.items()
        ],
        "artifacts": [
            shown_artifacts(name, ids, sources.artifact(name).type, tasks, artifacts)
            for name, ids in values.artifacts.items()
        ],
    }


def shown_outputs(
    values: Values, sources: Sources, tasks: Mapping[str, Task], artifacts: Mapping[str, Artifact]
) -> Object:
    return {
        "parameters": [
            {"value": value, "type": sources.output_parameters.get(name, OUTPUT), "parameter_key": name}
            for name, value in values.parameters.items()
        ],
        "artifacts": [
            shown_artifacts(name, ids, sources.output_artifacts.get(name, OUTPUT), tasks, artifacts)
            for name, ids in values.artifacts.items()
        ],
    }


def shown_artifacts(
    name: str, ids: Sequence[str], type: str, tasks: Mapping[str, Task], artifacts: Mapping[str, Artifact]
) -> Object:
    return {
        "artifacts": [shown_artifact(artifacts[id]) for id in ids if id in artifacts],
        "type": type,
        "artifact_key": name,
        "producer": producer_of(ids, tasks, artifacts),
    }


def producer_of(ids: Sequence[str], tasks: Mapping[str, Task], artifacts: Mapping[str, Artifact]) -> Object:
    """The task that made the first of the artifacts, if it is one of the run."""
    artifact = artifacts.get(ids[0]) if ids else None
    task = tasks.get(artifact.task_id) if artifact else None
    return {} if task is None else shown_producer(task.name, task.iteration)


def shown_producer(task_name: str | None, iteration: int | None) -> Object:
    if not task_name:
        return {}
    return {"task_name": task_name} | ({"iteration": iteration} if iteration is not None and iteration >= 0 else {})


def shown_artifact(artifact: Artifact) -> Object:
    number: Any = artifact.metadata.get(artifact.name)
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    return {
        "artifact_id": artifact.artifact_id,
        "name": artifact.name,
        "type": ARTIFACT_TYPES.get(artifact.type, "Artifact"),
        "uri": artifact.uri,
        "metadata": artifact.metadata,
        "number_value": number if is_number and artifact.type == "system.Metrics" else None,
        "created_at": artifact.created_at,
        "namespace": artifact.namespace,
    }
