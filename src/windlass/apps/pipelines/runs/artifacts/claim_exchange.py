"""Artifacts on one machine: in the claim of their namespace, where pods work on them in place."""

import contextlib
from collections.abc import Callable, Sequence

from windlass.apis.core_v1 import Pod
from windlass.apps.pipelines.artifacts.claim_folders import ClaimFolders, NoFolder
from windlass.apps.pipelines.artifacts.stores.remote_store import RemoteStore
from windlass.apps.pipelines.artifacts.stores.store_settings import StoreSettings
from windlass.apps.pipelines.artifacts.uris import claim_path
from windlass.apps.pipelines.executor.context import TaskContext
from windlass.apps.pipelines.executor.executor_input import output_file
from windlass.apps.pipelines.executor.storage import EmbeddedStorage, Storage
from windlass.apps.pipelines.executor.task_outputs import ContainerOutputs
from windlass.apps.pipelines.model import Artifact, Run
from windlass.apps.pipelines.names import DEFAULT_PIPELINE_ROOT
from windlass.apps.pipelines.runs.artifacts.container_outputs import read_outputs, with_content
from windlass.apps.pipelines.runs.artifacts.pipeline_roots import pipeline_root
from windlass.apps.pipelines.runs.artifacts.remote_artifacts import RemoteArtifacts
from windlass.kube.meta import Key


class ClaimExchange:
    """An `ArtifactExchange`. What is in an object store is copied into the claim, and from it, by this process."""

    def __init__(
        self, settings: StoreSettings, folders: ClaimFolders, wake: Callable[[Key], None], *, allow_local: bool
    ) -> None:
        self._settings, self._folders = settings, folders
        self._remote = RemoteArtifacts(RemoteStore(settings, folders, allow_local=allow_local), folders, wake)

    @property
    def fills_workspaces(self) -> bool:
        return True

    async def prepare(self, run: Run) -> str:
        await self._folders.ensure(run.namespace)
        return pipeline_root(run, await self._settings.refresh(run.namespace)) or DEFAULT_PIPELINE_ROOT

    def storage(self, namespace: str) -> Storage:
        return EmbeddedStorage()

    async def are_inputs_ready(self, context: TaskContext) -> bool:
        return await self._remote.are_inputs_here(context)

    async def forget_attempt(self, context: TaskContext) -> None:
        """Remove the executor output of an earlier attempt: attempts share the folder of their task."""
        with contextlib.suppress(NoFolder):
            await self._folders.remove(context.run.namespace, output_file(context).lstrip("/"))

    async def outputs(self, context: TaskContext, pod: Pod | None) -> ContainerOutputs | None:
        outputs = await read_outputs(self._folders, context)
        return outputs if await self._remote.are_outputs_published(context, outputs) else None

    async def with_content(self, artifacts: Sequence[Artifact]) -> list[Artifact]:
        return await with_content(self._folders, artifacts, self._remote.is_import)

    async def exists(self, artifact: Artifact) -> bool:
        path = claim_path(artifact.uri)
        if path is None or not artifact.has_content:
            return True
        with contextlib.suppress(NoFolder):
            if await self._folders.exists(artifact.namespace, path):
                return True
        return await self._remote.exists(artifact)

    async def is_in_workspace(self, run: Run, task_id: str, uri: str) -> bool:
        return await self._remote.is_in_workspace(run, task_id, uri)

    async def clean_up(self, namespace: str, folder: str) -> None:
        await self._folders.remove(namespace, folder)

    def forget(self, key: Key) -> None:
        self._remote.forget(key)

    async def close(self) -> None:
        await self._remote.close()
