"""The controller of runs as a part of the manager. What it needs is loaded with the first run."""

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

from windlass.apis.core_v1 import Pod
from windlass.apps.pipelines.kinds.argo import Workflow
from windlass.apps.pipelines.names import TASK_LABEL
from windlass.apps.pipelines.options import PipelineOptions
from windlass.apps.pipelines.runs.watches import IR_WORKFLOWS, Keys
from windlass.kube.api import Runtime
from windlass.kube.cache import Store
from windlass.kube.controller import Service
from windlass.kube.json import Object
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.queue import Queue
from windlass.kube.view import typed

if TYPE_CHECKING:
    from windlass.apps.pipelines.history import OpenHistory
    from windlass.apps.pipelines.model import Run
    from windlass.apps.pipelines.runs.ir.run_controller import RunController
    from windlass.kube.client import Client

NAME = "pipeline-runs"
WORKERS = 8
LOG_WORKERS = 2
PODS = typed(Pod).narrowed(labels=TASK_LABEL)


def pipeline_runs(options: PipelineOptions, open_history: "OpenHistory") -> Service:
    return Service(NAME, lambda runtime: RunsService(runtime, options, open_history).start())


class RunsService:
    def __init__(self, runtime: Runtime, options: PipelineOptions, open_history: "OpenHistory") -> None:
        self._runtime, self._options, self._open_history = runtime, options, open_history
        self._workflows: Store[Object] = runtime.store(IR_WORKFLOWS)
        self._pods: Store[Pod] = runtime.store(PODS)
        self._queue: Queue[Key] = runtime.queue("pipeline_runs")
        self._loading = asyncio.Lock()
        self._controller: RunController | None = None

    def start(self) -> None:
        self._workflows.subscribe(Keys(NAME, self._queue, by_owner=False))
        self._pods.subscribe(Keys(f"{NAME}-pods", self._queue, by_owner=True))
        self._runtime.work(NAME, self._queue, self._step, WORKERS, self._about)

    def _about(self, key: Key) -> tuple[Object, Any] | None:
        workflow = self._workflows.get(key)
        return (workflow, KINDS.of(Workflow)) if workflow is not None else None

    async def _step(self, key: Key) -> timedelta | None:
        controller = self._controller or await self._load()
        return await controller.step(key)

    async def _load(self) -> "RunController":
        await self._workflows.synced.wait()
        await self._pods.synced.wait()  # a pod that the cache does not show yet must not count as gone
        async with self._loading:
            if self._controller is None:
                self._controller = await self._make()
            return self._controller

    async def _make(self) -> "RunController":
        from windlass.apps.pipelines.runs.artifacts.exchanges import artifact_exchange
        from windlass.apps.pipelines.runs.ir.run_controller import Caches, RunController
        from windlass.apps.pipelines.runs.log_archive import LogArchive, PodLog

        history = await self._open_history()
        client = cast("Client", self._runtime.api)  # logs are streamed, which only the client can
        archive, logs = LogArchive(client, history.save_log), self._runtime.queue("pipeline_logs")
        self._runtime.work("pipeline-logs", logs, archive.step, LOG_WORKERS)

        def archive_log(run: "Run", pod: str) -> None:
            logs.add(PodLog(run.run_id, Key(run.namespace, pod)))

        async def keep_log(run: "Run", pod: str) -> None:
            await archive.step(PodLog(run.run_id, Key(run.namespace, pod)))

        return RunController(
            self._runtime.api,
            Caches(workflows=self._workflows, pods=self._pods),
            history,
            artifact_exchange(self._runtime.api, self._options, self._queue.add),
            self._options,
            archive_log,
            keep_log,
        )
