"""Advances runs of pipelines in IR: what changed in the API becomes events, the engine's effects are carried out.

The order of writes makes a restart harmless: what the engine decided is in the database before it is done, and pods,
claims and records have names that follow from the run, so that repeating an effect does nothing twice.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from msgspec.structs import replace

from windlass.apis.core_v1 import Pod
from windlass.apps.pipelines.argo.kfp.cache_key import staleness_limit
from windlass.apps.pipelines.artifacts.claim_folders import NoFolder
from windlass.apps.pipelines.engine import events
from windlass.apps.pipelines.engine.effects import AnyEffect, ImportArtifact, StartPod
from windlass.apps.pipelines.engine.run_engine import RunEngine, Turn
from windlass.apps.pipelines.engine.states import INVALID_ARGUMENT
from windlass.apps.pipelines.history import History
from windlass.apps.pipelines.kinds.argo import Workflow
from windlass.apps.pipelines.model import NOT_YET, Error, Run, RunState, Task
from windlass.apps.pipelines.options import PipelineOptions
from windlass.apps.pipelines.runs.artifacts.exchange import ArtifactExchange, BadOutputs, TransferFailed
from windlass.apps.pipelines.runs.ir.active_run import ActiveRun, progress_of
from windlass.apps.pipelines.runs.ir.effect_runner import REFUSALS, EffectRunner, KeepLog, RunContext
from windlass.apps.pipelines.runs.ir.pod_reports import PodReport
from windlass.apps.pipelines.runs.ir.workspace import create_workspace, delete_workspace
from windlass.apps.pipelines.runs.workflow_objects import (
    FINAL,
    completion_labels,
    deadline_of,
    expiry_of,
    is_completed,
    is_shut_down,
    is_suspended,
    owner_reference,
    retries_of,
    run_id_of,
    status_of,
)
from windlass.kube import errors
from windlass.kube.api import Api
from windlass.kube.cache import Store
from windlass.kube.json import Object, dig
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.view import typed

WORKFLOWS = KINDS.of(Workflow)
EFFECTS_AT_ONCE = 16
STATUS_INTERVAL_SECONDS = 0.25
"""At most so often is the progress of a run written to its Workflow."""
ENDED_BY_DELETION = Error(code=10, message="The run was ended: its Workflow was deleted")
ENDED_BEFORE_START = "The run was ended while the artifacts of the task were transferred"
NOT_RECORDED = "There is no record of this run: it was deleted, or its creation was interrupted"

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Caches:
    workflows: Store[Object]
    pods: Store[Pod]


class RunController:
    """One step for each run at a time; the caller sees to that."""

    def __init__(
        self,
        api: Api,
        caches: Caches,
        history: History,
        exchange: ArtifactExchange,
        options: PipelineOptions,
        archive_log: Callable[[Run, str], None],
        keep_log: KeepLog,
    ) -> None:
        self._api, self._caches, self._history = api, caches, history
        self._exchange, self._options, self._archive_log = exchange, options, archive_log
        self._effects = EffectRunner(api, history, exchange, keep_log)
        self._active: dict[Key, ActiveRun] = {}

    async def close(self) -> None:
        """Stop the transfers of artifacts."""
        await self._exchange.close()

    async def step(self, key: Key) -> timedelta | None:
        workflow = self._caches.workflows.get(key)
        if workflow is None:
            await self._end_deleted(key)
            return None
        if is_completed(workflow):
            self._active.pop(key, None)
            self._exchange.forget(key)
            return await self._expire(key, workflow)
        active = self._active.get(key)
        if is_suspended(workflow):
            if active is not None:
                active.is_held = True
            return None
        try:
            if active is None or active.is_held or active.retries != retries_of(workflow):
                active = await self._load(key, workflow)
            return await self._advance(key, active, workflow) if active is not None else None
        except BaseException:
            self._active.pop(key, None)  # the next step starts from what is recorded
            raise

    # --- the beginning and the end

    async def _load(self, key: Key, workflow: Object) -> ActiveRun | None:
        """The run as it is recorded, with the effects that were under way; None if there is nothing to do."""
        run = await self._history.run(run_id_of(workflow))
        # Every user may label a Workflow with the id of another's run, so the label alone proves nothing.
        if run is None or run.is_argo or (run.namespace, run.resource_name) != key:
            await self._write_status(key, {"phase": "Error", "message": NOT_RECORDED})
            return None
        if run.state in FINAL:
            await self._complete(key, run, await self._history.tasks(run.run_id))
            return None
        try:
            root = await self._exchange.prepare(run)
            is_filled = self._exchange.fills_workspaces
            await create_workspace(self._api, run, owner_reference(workflow), is_filled=is_filled)
        except (ValueError, *REFUSALS) as error:
            await self._refuse(key, run, str(error))
            return None
        tasks = await self._history.tasks(run.run_id)
        artifacts = await self._history.artifacts({one for task in tasks for one in _artifact_ids(task)})
        run = _with_server_cache(run, self._options)
        engine = RunEngine(run, tasks, artifacts.values(), pipeline_root=root)
        active = ActiveRun(run, engine, retries=retries_of(workflow))
        active.note(tasks)
        active.effects = engine.outstanding()
        if _is_retried(run, tasks):
            active.events.append(events.Retried())
        await self._check_missing_pods(active)
        self._active[key] = active
        return active

    async def _check_missing_pods(self, active: ActiveRun) -> None:
        """Ask the server for pods that the cache does not show: they are gone, or too new for it."""
        for name in active.with_pods:
            if self._caches.pods.get(Key(active.run.namespace, name)) is None:
                try:
                    await self._api.get(typed(Pod), name, active.run.namespace)
                except errors.NotFound:
                    active.observed.add(name)

    async def _refuse(self, key: Key, run: Run, message: str) -> None:
        """Fail a run that cannot begin."""
        now, error = time.time(), Error(code=INVALID_ARGUMENT, message=message)
        await self._history.set_run_state(run.run_id, RunState.FAILED, now, error=error)
        await self._complete(key, replace(run, state=RunState.FAILED, error=error, finished_at=now), ())

    async def _end_deleted(self, key: Key) -> None:
        active = self._active.pop(key, None)
        self._exchange.forget(key)
        if active is not None:
            await self._history.set_run_state(active.run.run_id, RunState.FAILED, time.time(), error=ENDED_BY_DELETION)

    async def _expire(self, key: Key, workflow: Object) -> timedelta | None:
        """Delete the Workflow of a run that finished long ago; its pods go with it, the run's record stays."""
        left = expiry_of(workflow, self._options.workflow_ttl_seconds) - time.time()
        if left > 0:
            return timedelta(seconds=left)
        await self._api.delete(WORKFLOWS, key, uid=str(dig(workflow, "metadata", "uid")))
        return None

    async def _complete(self, key: Key, run: Run, tasks: Sequence[Task]) -> None:
        if run.state is RunState.SUCCEEDED:
            await delete_workspace(self._api, run)
        await self._write_status(key, status_of(run, *progress_of(tasks)), completion_labels(run))

    # --- the middle

    async def _advance(self, key: Key, active: ActiveRun, workflow: Object) -> timedelta | None:
        happened = [*active.events, *self._user_requests(active, workflow), *await self._pod_events(active)]
        active.events.clear()
        pending = active.take_effects()
        happened.append(events.Advance())
        while happened:
            turn = active.engine.turn(happened, time.time())
            await self._record(active, turn)
            happened = await self._carry_out(active, workflow, [*pending, *turn.effects])
            pending = []
        await self._clean_up(active)
        if active.run.state in FINAL:
            self._active.pop(key, None)
            self._exchange.forget(key)
            await self._complete(key, active.run, list(active.tasks.values()))
            return None
        await self._report(key, active)
        return _until(active.wake_at, deadline_of(workflow, active.run), active.check_at, active.report_at)

    def _user_requests(self, active: ActiveRun, workflow: Object) -> Iterable[events.AnyEvent]:
        deadline = deadline_of(workflow, active.run)
        is_overdue = deadline is not None and time.time() >= deadline
        if (is_shut_down(workflow) or is_overdue) and not active.is_terminating:
            active.is_terminating = True
            yield events.Terminated(
                message="The run exceeded its deadline (activeDeadlineSeconds)" if is_overdue else ""
            )

    async def _pod_events(self, active: ActiveRun) -> list[events.AnyEvent]:
        found: list[events.AnyEvent] = []
        now, namespace = time.time(), active.run.namespace
        active.check_at = None
        for task, report in active.reports(lambda name: self._caches.pods.get(Key(namespace, name)), now):
            if report.check_again_in is not None:
                active.check_at = min(active.check_at or now + report.check_again_in, now + report.check_again_in)
            event = await self._pod_event(active, task, report)
            if event is not None:
                found.append(event)
        return found

    async def _pod_event(self, active: ActiveRun, task: Task, report: PodReport) -> events.AnyEvent | None:
        match report.stage:
            case "waiting":
                return _waits(task, report.message)
            case "running":
                return events.PodStarted(task_id=task.task_id) if task.started_at == NOT_YET else _waits(task, "")
            case "failed":
                self._archive_log(active.run, task.pod_name)
                return events.PodFailed(task_id=task.task_id, message=report.message, exit_code=report.exit_code)
            case "succeeded":
                return await self._success(active, task)

    async def _success(self, active: ActiveRun, task: Task) -> events.AnyEvent | None:
        """What a container that succeeded left behind; None until its artifacts are published."""
        context = active.engine.context(task.task_id)
        try:
            pod = self._caches.pods.get(Key(active.run.namespace, task.pod_name))
            outputs = await self._exchange.outputs(context, pod)
            if outputs is None:
                return None
            event = events.PodSucceeded(task_id=task.task_id, outputs=outputs)
        except (BadOutputs, TransferFailed, ValueError) as error:
            event = events.PodFailed(task_id=task.task_id, message=str(error))
        self._archive_log(active.run, task.pod_name)
        return event

    async def _record(self, active: ActiveRun, turn: Turn) -> None:
        """Keep what the engine decided, before any of it is done."""
        if turn.tasks or turn.artifacts:
            artifacts = await self._exchange.with_content(turn.artifacts)
            await self._history.save(active.run.run_id, tasks=turn.tasks, artifacts=artifacts)
            active.note(turn.tasks)
        if turn.run_state is not None:
            now = time.time()
            await self._history.set_run_state(active.run.run_id, turn.run_state, now, error=turn.error)
            finished = now if turn.run_state in FINAL else NOT_YET
            active.run = replace(active.run, state=turn.run_state, error=turn.error, finished_at=finished)
        active.wake_at = turn.wake_at

    async def _carry_out(
        self, active: ActiveRun, workflow: Object, effects: Sequence[AnyEffect]
    ) -> list[events.AnyEvent]:
        if not effects:
            return []
        context = RunContext(
            run=active.run,
            engine=active.engine,
            owner=owner_reference(workflow),
            pod_defaults=self._options.pod_defaults,
        )
        limit = asyncio.Semaphore(EFFECTS_AT_ONCE)

        async def one(effect: AnyEffect) -> events.AnyEvent | None:
            async with limit:
                answer = await self._effects.carry_out(context, effect)
            if answer is None and isinstance(effect, StartPod | ImportArtifact):
                if active.is_terminating:  # the engine waits for each pod that it asked for
                    return events.PodFailed(task_id=effect.task_id, message=ENDED_BEFORE_START)
                active.effects.append(effect)  # waits for a transfer
            return answer

        answers = await asyncio.gather(*map(one, effects))
        return [answer for answer in answers if answer is not None]

    async def _clean_up(self, active: ActiveRun) -> None:
        """Remove the parameter files of tasks whose outputs are recorded."""
        for path in active.take_read_folders():
            try:
                await self._exchange.clean_up(active.run.namespace, path)
            except (NoFolder, OSError, errors.ApiError) as error:
                log.warning("cannot remove %s of run %s: %s", path, active.run.run_id, error)

    # --- the status of the Workflow

    async def _report(self, key: Key, active: ActiveRun) -> None:
        status, now = status_of(active.run, *active.progress, waiting=active.waiting), time.time()
        active.report_at = None
        if status == active.reported:
            return
        is_new_phase = active.reported is None or active.reported.get("phase") != status["phase"]
        due = active.reported_at + STATUS_INTERVAL_SECONDS
        if not is_new_phase and now < due:
            active.report_at = due
            return
        active.reported, active.reported_at = status, now
        await self._write_status(key, status)

    async def _write_status(self, key: Key, status: Object, labels: dict[str, str] | None = None) -> None:
        """Workflows have no status subresource, in Argo either."""
        patch: Object = {"status": status} | ({"metadata": {"labels": labels}} if labels else {})
        with contextlib.suppress(errors.NotFound):  # deleted meanwhile: the next step sees it
            await self._api.patch(WORKFLOWS, key, patch)


def _waits(task: Task, message: str) -> events.PodWaits | None:
    """The event for a pod that waits for another reason than before, or for none any more."""
    known = task.error.message if task.error is not None else ""
    return events.PodWaits(task_id=task.task_id, message=message) if message != known else None


def _is_retried(run: Run, tasks: Iterable[Task]) -> bool:
    """Whether a user asked to run again what has failed: that resets the run's state, and leaves the tasks alone.

    A run whose root has ended after the last change of state has not been retried: a crash came before its end was
    recorded.
    """
    root = next((task for task in tasks if task.parent_id == ""), None)
    if root is None or not root.state.is_final:
        return False
    return bool(run.state_history) and run.state_history[-1].update_time > root.finished_at


def _with_server_cache(run: Run, options: PipelineOptions) -> Run:
    """The run with the server's settings of the cache applied to its own."""
    limit = staleness_limit(run.max_cache_staleness, options.default_cache_staleness, options.maximum_cache_staleness)
    return replace(
        run,
        is_cache_enabled=run.is_cache_enabled and options.is_cache_enabled and limit != timedelta(),
        max_cache_staleness="" if limit is None else f"PT{limit.total_seconds():.0f}S",
    )


def _artifact_ids(task: Task) -> Iterable[str]:
    for values in (task.inputs, task.outputs):
        for ids in values.artifacts.values():
            yield from ids


def _until(*moments: float | None) -> timedelta | None:
    """The time from now until the first of the moments."""
    coming = [moment for moment in moments if moment is not None]
    return timedelta(seconds=max(0.0, min(coming) - time.time())) if coming else None
