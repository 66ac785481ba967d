"""The changes of a task's record. Pure."""

from typing import Any

from msgspec.structs import replace

from windlass.apps.pipelines.model import NOT_YET, Error, Task, TaskState, TaskType, Values

CANCELLED = 1
INVALID_ARGUMENT = 3
INTERNAL = 13
UNAVAILABLE = 14
"""gRPC codes of the errors of tasks: the run was ended; the inputs are wrong; the task failed; its pod waits."""

ENDED_BY_USER = "The run was terminated."


def moved(task: Task, state: TaskState, now: float, **changes: Any) -> Task:
    """The record in another state, with its history."""
    if state is not task.state:
        changes["state_history"] = [*task.state_history, (now, state)]
    return replace(task, state=state, **changes)


def started(task: Task, now: float, **changes: Any) -> Task:
    """The record of a task that runs; the start of its first attempt is kept."""
    begun = task.started_at if task.started_at != NOT_YET else now
    return moved(task, TaskState.RUNNING, now, started_at=begun, finished_at=NOT_YET, retry_at=NOT_YET, **changes)


def ended(task: Task, state: TaskState, now: float, **changes: Any) -> Task:
    return moved(task, state, now, finished_at=now, retry_at=NOT_YET, **changes)


def waiting_for_retry(task: Task, now: float, retry_at: float, error: Error) -> Task:
    """The record between two attempts. A pod counts as failed; a DAG counts its attempts alone."""
    pods = [*task.failed_pods, task.pod_name] if task.pod_name else task.failed_pods
    return moved(
        task,
        TaskState.PENDING,
        now,
        retry_at=retry_at,
        error=error,
        attempt=task.attempt + 1,
        failed_pods=pods,
        pod_name="",
        pod_uid="",
    )


def reset(task: Task, now: float) -> Task:
    """The record as if the task had not run. The number of the attempt stays unique, since pods are named after it."""
    is_leaf = task.type in (TaskType.RUNTIME, TaskType.IMPORTER)
    return moved(
        task,
        TaskState.PENDING,
        now,
        started_at=NOT_YET,
        finished_at=NOT_YET,
        retry_at=NOT_YET,
        inputs=Values(),
        outputs=Values(),
        error=None,
        attempt=task.attempt + (task.started_at != NOT_YET) if is_leaf else 0,
        pod_name="",
        pod_uid="",
        failed_pods=[],
        fingerprint="",
        cached_task_id="",
        iteration_count=-1,
    )
