"""The cache of v1 runs: outputs of earlier pods, by the records of their tasks."""

import time
from dataclasses import replace
from datetime import timedelta
from typing import Protocol

from windlass.apps.pipelines.argo.kfp.cache_key import max_staleness
from windlass.apps.pipelines.argo.kfp.run_records import task_id
from windlass.apps.pipelines.argo.observation import CachedOutputs, CacheLookup
from windlass.apps.pipelines.argo.pods.pod_manifest import BUCKET, CLAIM_ROOT
from windlass.apps.pipelines.artifacts.claim_folders import ClaimFolders, NoFolder
from windlass.apps.pipelines.history import History, OpenHistory
from windlass.apps.pipelines.model import Task
from windlass.apps.pipelines.options import PipelineOptions
from windlass.kube.json import decode, dig, dig_object

URI_PREFIX = f"minio://{BUCKET}/"


class WorkflowCache(Protocol):
    async def find(self, namespace: str, lookup: CacheLookup) -> CachedOutputs | None: ...


class RecordedOutputs:
    """Finds outputs in the history of a namespace, newest first, across its pipelines."""

    def __init__(self, options: PipelineOptions, open_history: OpenHistory, folders: ClaimFolders) -> None:
        self._options, self._open_history, self._folders = options, open_history, folders

    async def find(self, namespace: str, lookup: CacheLookup) -> CachedOutputs | None:
        """What may be reused: not older than the template and the server allow, and still there."""
        options = self._options
        limit = max_staleness(lookup.template, options.default_cache_staleness, options.maximum_cache_staleness)
        if not options.is_cache_enabled or limit == timedelta():
            return None
        history = await self._open_history()
        for task in await history.cached(namespace, None, lookup.key):
            if limit is not None and time.time() - task.finished_at > limit.total_seconds():
                return None
            if (outputs := await self._outputs(history, namespace, task)) is None:
                continue
            if not lookup.has_result:
                return outputs
            if (result := await _result(history, task)) is not None:
                return replace(outputs, result=result)
        return None

    async def _outputs(self, history: History, namespace: str, task: Task) -> CachedOutputs | None:
        ids = {name: ids[0] for name, ids in task.outputs.artifacts.items() if ids}
        known = await history.artifacts(list(ids.values()))
        keys: dict[str, str] = {}
        for name, id in ids.items():
            uri = known[id].uri if id in known else ""
            if not uri.startswith(URI_PREFIX) or not await self._exists(namespace, uri.removeprefix(URI_PREFIX)):
                return None
            keys[name] = uri.removeprefix(URI_PREFIX)
        parameters = {name: str(value) for name, value in task.outputs.parameters.items()}
        return CachedOutputs(task_id=task.task_id, parameters=parameters, artifacts=keys)

    async def _exists(self, namespace: str, key: str) -> bool:
        try:
            return await self._folders.exists(namespace, f"{CLAIM_ROOT}/{key}")
        except NoFolder:
            return False


async def _result(history: History, task: Task) -> str | None:
    """What the task's container printed: the record of a finished run has its Workflow; None if there is none."""
    archived = await history.manifest(task.run_id)
    nodes = dig_object(decode(archived), "status", "nodes") if archived else {}
    node = next((node for id, node in nodes.items() if task_id(task.run_id, id) == task.task_id), None)
    result = dig(node, "outputs", "result")
    return result if isinstance(result, str) else None
