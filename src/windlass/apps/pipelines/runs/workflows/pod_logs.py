"""Keeps the logs of Workflows that are no runs, until the Workflow is deleted; those of runs are kept with the run."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from datetime import timedelta
from typing import Protocol, TypeAlias, cast

from windlass.apis.core_v1 import Pod
from windlass.apps.pipelines.runs.log_archive import LogArchive, PodLog
from windlass.apps.pipelines.runs.workflow_objects import run_id_of
from windlass.kube.api import Runtime
from windlass.kube.cache import Store
from windlass.kube.client import Client
from windlass.kube.json import Object
from windlass.kube.meta import Key
from windlass.kube.objects import key_of, uid_of
from windlass.kube.queue import Queue

NAME = "argo-workflow-logs"
WORKERS = 2
ENDED = ("Succeeded", "Failed")


class KeptLogs(Protocol):
    """The database, as far as it keeps logs of Workflows."""

    async def save_workflow_log(self, workflow_uid: str, pod_name: str, log: bytes, now: float) -> None: ...

    async def logged_pods(self, workflow_uid: str) -> list[str]: ...

    async def logged_workflows(self) -> list[str]: ...

    async def delete_workflow_logs(self, workflow_uid: str) -> None: ...


OpenLogs: TypeAlias = Callable[[], Awaitable[KeptLogs]]
"""Opens the database, at the first pod that has ended."""


class WorkflowLogs:
    """Copies the log of a pod when the pod has ended, or before it is deleted; each once, also after a restart."""

    def __init__(self, runtime: Runtime, workflows: Store[Object], open_logs: OpenLogs) -> None:
        self._client, self._workflows, self._open_logs = cast("Client", runtime.api), workflows, open_logs
        self._queue: Queue[PodLog] = runtime.queue("argo_workflow_logs")
        self._kept: dict[str, set[str]] = {}
        """Pods whose logs are kept, by the uid of their Workflow."""
        self._loading = asyncio.Lock()
        self._logs: KeptLogs | None = None
        deleted: Queue[str] = runtime.queue("argo_workflow_log_deletions")
        workflows.subscribe(Deletions(deleted))
        runtime.work(NAME, self._queue, self._step, WORKERS)
        runtime.work(f"{NAME}-deletions", deleted, self._delete, 1)

    def ended(self, workflow: Object, pods: Iterable[Pod]) -> None:
        """Have the logs of those pods kept that have ended."""
        if run_id_of(workflow):
            return
        uid = uid_of(workflow)
        for pod in pods:
            if pod.status.phase in ENDED and pod.metadata.name not in self._kept.get(uid, ()):
                self._queue.add(PodLog(uid, key_of(pod)))

    async def keep(self, workflow: Object, pod: Key) -> None:
        """Keep the log of a pod that is about to be deleted."""
        if not run_id_of(workflow):
            await self._step(PodLog(uid_of(workflow), pod))

    async def _step(self, wanted: PodLog) -> timedelta | None:
        logs = self._logs or await self._load()
        uid, name = wanted.owner_id, wanted.pod.name
        if uid not in self._kept:
            self._kept[uid] = set(await logs.logged_pods(uid))
        if name in self._kept[uid]:
            return None

        async def save(uid: str, pod_name: str, log: bytes) -> None:
            await logs.save_workflow_log(uid, pod_name, log, time.time())

        await LogArchive(self._client, save).step(wanted)
        self._kept[uid].add(name)
        return None

    async def _load(self) -> KeptLogs:
        """Open the database, and delete the logs of Workflows that were deleted while nobody watched them."""
        async with self._loading:
            if self._logs is None:
                logs = await self._open_logs()
                present = {uid_of(workflow) for workflow in self._workflows}
                for uid in await logs.logged_workflows():
                    if uid not in present:
                        await logs.delete_workflow_logs(uid)
                self._logs = logs
            return self._logs

    async def _delete(self, workflow_uid: str) -> timedelta | None:
        """Delete the logs of a Workflow that is gone."""
        self._kept.pop(workflow_uid, None)
        await (self._logs or await self._load()).delete_workflow_logs(workflow_uid)
        return None


class Deletions:
    """Adds the uid of a Workflow that was deleted to a queue."""

    place = f"{NAME}-deletions"

    def __init__(self, queue: Queue[str]) -> None:
        self._queue = queue

    def added(self, workflow: Object, /) -> None: ...

    def changed(self, old: Object, new: Object, /) -> None: ...

    def deleted(self, workflow: Object, /) -> None:
        if not run_id_of(workflow):
            self._queue.add(uid_of(workflow))
