"""Runs of v1 pipelines: what the status of their Workflows shows becomes the state and the tasks of the run.

The record always follows the Workflow, so a restart mirrors it again. The Workflow itself and the logs of its pods are
kept when it has finished.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

from windlass.apps.pipelines.argo.kfp import run_records
from windlass.apps.pipelines.argo.kfp.metrics import metric_artifacts, read_metrics
from windlass.apps.pipelines.argo.pods.pod_manifest import CLAIM_ROOT
from windlass.apps.pipelines.artifacts.claim_folders import ClaimFolders, NoFolder
from windlass.apps.pipelines.model import Error, RunState, Task
from windlass.apps.pipelines.runs.watches import V1_WORKFLOWS, Keys
from windlass.apps.pipelines.runs.workflow_objects import FINAL, run_id_of
from windlass.kube.api import Runtime
from windlass.kube.cache import Store
from windlass.kube.controller import Service
from windlass.kube.json import Object, encode
from windlass.kube.meta import Key
from windlass.kube.queue import Queue

if TYPE_CHECKING:
    from windlass.apps.pipelines.history import History, OpenHistory
    from windlass.kube.client import Client

NAME = "pipeline-workflows"
WORKERS = 2
DELETED = Error(code=10, message="The run was ended: its Workflow was deleted")


MAX_METRICS_FILE = 1 << 20
"""Bytes of a file with metrics; a larger one is cut, and then is none."""

ReadFile: TypeAlias = Callable[[str, str, int], Awaitable[bytes | None]]
"""Reads the beginning of an artifact of a namespace, by its key; None if there is none."""


def workflow_runs(open_history: "OpenHistory", volumes: str = "") -> Service:
    """The controller. `volumes` is the folder with the volumes of the embedded node, where metrics are read."""
    return Service(NAME, lambda runtime: MirrorService(runtime, open_history, volumes).start())


class MirrorService:
    def __init__(self, runtime: Runtime, open_history: "OpenHistory", volumes: str) -> None:
        self._runtime, self._open_history, self._volumes = runtime, open_history, volumes
        self._workflows: Store[Object] = runtime.store(V1_WORKFLOWS)
        self._queue: Queue[Key] = runtime.queue("pipeline_workflows")
        self._loading = asyncio.Lock()
        self._mirror: Mirror | None = None

    def start(self) -> None:
        self._workflows.subscribe(Keys(NAME, self._queue, by_owner=False))
        self._runtime.work(NAME, self._queue, self._step, WORKERS)

    async def _step(self, key: Key) -> timedelta | None:
        async with self._loading:
            if self._mirror is None:
                self._mirror = await self._make()
        await self._mirror.step(key, self._workflows.get(key))
        return None

    async def _make(self) -> "Mirror":
        from windlass.apps.pipelines.runs.log_archive import LogArchive, PodLog

        history = await self._open_history()
        logs = self._runtime.queue("pipeline_workflow_logs")
        archive = LogArchive(cast("Client", self._runtime.api), history.save_log)
        self._runtime.work("pipeline-workflow-logs", logs, archive.step, 1)
        return Mirror(history, lambda run_id, pod: logs.add(PodLog(run_id, pod)), self._reader())

    def _reader(self) -> ReadFile | None:
        if not self._volumes:
            return None
        folders = ClaimFolders(self._runtime.api, Path(self._volumes))

        async def read(namespace: str, key: str, limit: int) -> bytes | None:
            try:
                return await folders.read(namespace, f"{CLAIM_ROOT}/{key}", limit)
            except (NoFolder, OSError):
                return None

        return read


class Mirror:
    """Copies Workflows into the records of their runs; writes only what has changed since the last time."""

    def __init__(
        self, history: "History", keep_log: Callable[[str, Key], None], read_file: ReadFile | None = None
    ) -> None:
        self._history, self._keep_log, self._read_file = history, keep_log, read_file
        self._measured: set[tuple[str, str]] = set()
        """Nodes of unfinished runs whose metrics were read."""
        self._run_ids: dict[Key, str] = {}
        self._tasks: dict[Key, dict[str, Task]] = {}

    async def step(self, key: Key, workflow: Object | None) -> None:
        if workflow is None:
            await self._end_deleted(key)
            return
        run_id = run_id_of(workflow)
        run = await self._history.run(run_id)
        if (
            run is None
            or not run_records.stands_for(workflow, run)
            or (run.state in FINAL and run_records.run_state(workflow) in FINAL and key not in self._run_ids)
        ):
            return
        self._run_ids[key] = run_id
        await self._save_tasks(key, workflow, run_id)
        await self._save_metrics(key, workflow, run_id)
        state = run_records.run_state(workflow)
        if state in FINAL:
            await self._history.save_manifest(run_id, encode(workflow))
        await self._history.set_run_state(run_id, state, time.time(), error=run_records.run_error(workflow))
        if state in FINAL:
            self._run_ids.pop(key, None)
            self._tasks.pop(key, None)
            self._measured = {measured for measured in self._measured if measured[0] != run_id}

    async def _save_metrics(self, key: Key, workflow: Object, run_id: str) -> None:
        """Report the metrics of nodes that have succeeded. A restart reads them again, and reports none twice."""
        for node_id, artifact in metric_artifacts(workflow):
            if self._read_file is None or (run_id, node_id) in self._measured:
                continue
            self._measured.add((run_id, node_id))
            content = await self._read_file(key.namespace, artifact, MAX_METRICS_FILE)
            for metric in read_metrics(content or b""):
                await self._history.report_metric(run_id, node_id, metric.name, metric.number_value, metric.format)

    async def _save_tasks(self, key: Key, workflow: Object, run_id: str) -> None:
        known = self._tasks.setdefault(key, {})
        changed = [task for task in run_records.tasks(workflow) if known.get(task.task_id) != task]
        if not changed:
            return
        made = {one for task in changed for many in task.outputs.artifacts.values() for one in many}
        artifacts = [artifact for artifact in run_records.artifacts(workflow) if artifact.artifact_id in made]
        await self._history.save(run_id, tasks=changed, artifacts=artifacts)
        for task in changed:
            known[task.task_id] = task
            if task.pod_name and task.state.is_final:
                self._keep_log(run_id, Key(key.namespace, task.pod_name))

    async def _end_deleted(self, key: Key) -> None:
        """A run whose Workflow is deleted before it has finished has failed."""
        run_id = self._run_ids.pop(key, None)
        self._tasks.pop(key, None)
        if run_id is not None:
            await self._history.set_run_state(run_id, RunState.FAILED, time.time(), error=DELETED)
