"""Finishes what was interrupted between a run's record and its Workflow.

The API writes the record first. If it is killed before it has written the Workflow, or the Workflow is deleted while no
manager runs, the two disagree and nothing else would change that: a run would be pending or running for ever.
"""

import time
from collections.abc import Callable
from datetime import timedelta
from enum import Enum, auto
from typing import Protocol

from windlass.apps.pipelines.kinds.argo import Workflow
from windlass.apps.pipelines.model import Error, Run, RunState
from windlass.apps.pipelines.runs.submit import retry_patch
from windlass.apps.pipelines.runs.workflow_objects import is_completed, is_shut_down
from windlass.kube import errors
from windlass.kube.api import Api, Runtime
from windlass.kube.controller import Service
from windlass.kube.json import Object, dig
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, parse_time
from windlass.kube.view import untyped

NAME = "interrupted-pipeline-runs"
INTERVAL = timedelta(minutes=1)
"""Also how long a run stays as it is before it counts as interrupted."""
WORKFLOWS = KINDS.of(Workflow)
ABORTED = 10
"""The code of gRPC."""
NOT_STARTED = Error(code=ABORTED, message="The run was not started: its creation was interrupted")
WITHOUT_WORKFLOW = Error(code=ABORTED, message="The run was ended: its Workflow is gone")
TERMINATED = Error(code=ABORTED, message="The run was terminated.")


class Remedy(Enum):
    FAIL = auto()
    TERMINATE = auto()
    RETRY = auto()


class Runs(Protocol):
    """The database, as far as unfinished runs are looked after."""

    async def unfinished_runs(self) -> list[Run]: ...

    async def set_run_state(self, run_id: str, state: RunState, now: float, *, error: Error | None = None) -> bool: ...


def remedy(run: Run, workflow: Object | None, now: float) -> Remedy | None:
    """What an unfinished run lacks, whose Workflow is as given; None if it continues by itself."""
    if _has_just_changed(run, now):
        return None
    if workflow is None:
        is_of_schedule = run.state is RunState.PENDING and run.recurring_run_id
        return None if is_of_schedule else Remedy.FAIL  # the controller of schedules starts its runs itself
    if is_completed(workflow) and _changed_at(run) > _finished_at(workflow):
        return Remedy.FAIL if run.state is RunState.CANCELING else Remedy.RETRY
    if run.state is RunState.CANCELING and not is_completed(workflow) and not is_shut_down(workflow):
        return Remedy.TERMINATE
    return None


def _changed_at(run: Run) -> float:
    return run.state_history[-1].update_time if run.state_history else run.created_at


def _has_just_changed(run: Run, now: float) -> bool:
    return now - _changed_at(run) < INTERVAL.total_seconds()


def _finished_at(workflow: Object) -> float:
    finished = dig(workflow, "status", "finishedAt")
    return parse_time(finished).timestamp() if isinstance(finished, str) else float("inf")


class InterruptedRuns:
    def __init__(self, opened: Callable[[], Runs | None], api: Api) -> None:
        """`opened` gives the database, once a run has opened it."""
        self._opened, self._api = opened, api

    async def step(self, key: str) -> timedelta:
        """Look after all unfinished runs; returns when to do so again."""
        del key
        runs = self._opened()
        if runs is not None:
            for run in await runs.unfinished_runs():
                if not _has_just_changed(run, time.time()):
                    await self._finish(runs, run)
        return INTERVAL

    async def _finish(self, runs: Runs, run: Run) -> None:
        workflow, now = await self._current(run), time.time()
        match remedy(run, workflow, now):
            case Remedy.FAIL:
                await runs.set_run_state(run.run_id, RunState.FAILED, now, error=_error(run))
            case Remedy.TERMINATE:
                await self._patch(run, {"spec": {"shutdown": "Terminate"}})
            case Remedy.RETRY if workflow is not None:
                await self._patch(run, retry_patch(workflow))
            case _:
                pass

    async def _current(self, run: Run) -> Object | None:
        try:
            return await self._api.get(untyped(WORKFLOWS), run.resource_name, run.namespace)
        except errors.NotFound:
            return None

    async def _patch(self, run: Run, patch: Object) -> None:
        try:
            await self._api.patch(WORKFLOWS, _key(run), patch)
        except errors.NotFound:
            return  # the next step sees that it is gone


def _key(run: Run) -> Key:
    return Key(run.namespace, run.resource_name)


def _error(run: Run) -> Error:
    if run.state is RunState.CANCELING:
        return TERMINATED
    return NOT_STARTED if run.state is RunState.PENDING else WITHOUT_WORKFLOW


def interrupted_runs(opened: Callable[[], Runs | None]) -> Service:
    """The service of a manager. It begins after an interval, when schedules have started what they owe."""

    def start(runtime: Runtime) -> None:
        queue = runtime.queue("interrupted_pipeline_runs")
        runtime.work(NAME, queue, InterruptedRuns(opened, runtime.api).step, 1)
        queue.add_after("all", INTERVAL.total_seconds())

    return Service(NAME, start)
