"""What tasks need from object stores: their inputs before they start, their outputs published before they complete."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from typing import Any

from windlass.apps.pipelines.artifacts.claim_folders import ClaimFolders, NoFolder
from windlass.apps.pipelines.artifacts.stores.remote_store import RemoteStore, StoreError
from windlass.apps.pipelines.artifacts.uris import WORKSPACE_METADATA, WORKSPACE_PATH, artifact_path, claim_path
from windlass.apps.pipelines.executor.context import TaskContext
from windlass.apps.pipelines.executor.platform.workspace import workspace_claim_name
from windlass.apps.pipelines.executor.task_outputs import ContainerOutputs, collect
from windlass.apps.pipelines.model import Artifact, Run, is_imported
from windlass.apps.pipelines.runs.artifacts.exchange import TransferFailed
from windlass.apps.pipelines.runs.artifacts.transfers import Transfers
from windlass.formats.volume_files import copy_tree
from windlass.kube.json import dig_object
from windlass.kube.meta import Key

URIS_AT_ONCE = 4
NO_WORKSPACE = "the pipeline declares no workspace: set one in dsl.PipelineConfig"
UNUSED_WORKSPACE = (
    "give the workspace the storage class windlass-shared, or run the importer after a task that uses the workspace"
)


class RemoteArtifacts:
    """Each question is answered at once; False until the transfer that it started has ended, which `wake` reports."""

    def __init__(self, store: RemoteStore, folders: ClaimFolders, wake: Callable[[Key], None]) -> None:
        self._store, self._folders, self._transfers = store, folders, Transfers(wake)

    def forget(self, key: Key) -> None:
        """Stop what is under way for a run."""
        self._transfers.forget(key)

    async def close(self) -> None:
        self._transfers.close()
        await self._store.close()

    async def exists(self, artifact: Artifact) -> bool:
        """Whether the content of an artifact that is not in the claim is in its store."""
        try:
            return await self._store.is_remote(artifact.namespace, artifact.uri) and await self._store.exists(
                artifact.namespace, artifact.uri
            )
        except (ValueError, StoreError):
            return False

    async def is_import(self, artifact: Artifact) -> bool:
        """Whether an artifact was imported from a store, which is not asked for it before a task reads it."""
        try:
            return is_imported(artifact) and await self._store.is_remote(artifact.namespace, artifact.uri)
        except ValueError:
            return False

    async def are_inputs_here(self, context: TaskContext) -> bool:
        """Whether the claim has the input artifacts of a task. Raises ValueError and TransferFailed."""
        wanted = await self._inputs_to_fetch(context)
        if not wanted:
            return True
        name = f"inputs of {context.task.task_id}, attempt {context.task.attempt}"
        return self._is_done(context.run, name, lambda: self._fetch(wanted))

    async def _inputs_to_fetch(self, context: TaskContext) -> list[Artifact]:
        """Imports, which may have changed in their store, and what tasks have made and is no longer in the claim."""
        wanted: dict[str, Artifact] = {}
        for artifact in _inputs(context):
            if artifact.metadata.get(WORKSPACE_METADATA) is True or not artifact.has_content:
                continue
            if await self._store.is_remote(artifact.namespace, artifact.uri) and (
                is_imported(artifact) or not await self._store.is_fetched(artifact.namespace, artifact.uri)
            ):
                wanted[artifact.uri] = artifact
        return list(wanted.values())

    async def _fetch(self, artifacts: Iterable[Artifact]) -> None:
        limit = asyncio.Semaphore(URIS_AT_ONCE)

        async def fetch(artifact: Artifact) -> None:
            async with limit:
                # A task need not write each of its outputs, so only an import must exist.
                await self._store.fetch(artifact.namespace, artifact.uri, must_exist=is_imported(artifact))

        await asyncio.gather(*map(fetch, artifacts))

    async def are_outputs_published(self, context: TaskContext, raw: ContainerOutputs) -> bool:
        """Whether the stores have the output artifacts of a task. Raises ValueError and TransferFailed."""
        uris = await self._uris_to_publish(context, raw)
        if not uris:
            return True
        name = f"outputs of {context.task.task_id}, attempt {context.task.attempt}"
        return self._is_done(context.run, name, lambda: self._publish(context.run.namespace, uris))

    async def _uris_to_publish(self, context: TaskContext, raw: ContainerOutputs) -> list[str]:
        """The URIs for which the task left files; those of inputs are not the task's to change."""
        try:
            collected = collect(context, raw).artifacts
        except ValueError:
            return []  # the engine finds the same, and fails the task
        namespace = context.run.namespace
        uris = {artifact.uri for artifacts in collected.values() for artifact in artifacts}
        uris -= {artifact.uri for artifact in _inputs(context)}
        return [
            uri
            for uri in sorted(uris)
            if await self._store.is_remote(namespace, uri) and await self._store.is_fetched(namespace, uri)
        ]

    async def _publish(self, namespace: str, uris: Iterable[str]) -> None:
        for uri in uris:
            await self._store.publish(namespace, uri)

    async def is_in_workspace(self, run: Run, task_id: str, uri: str) -> bool:
        """Whether the workspace of a run has a copy of an artifact. Raises ValueError and TransferFailed."""
        if "workspace" not in dig_object(run.platform_spec, "platforms", "kubernetes", "pipelineConfig"):
            raise ValueError(NO_WORKSPACE)
        if claim_path(uri) is None:
            raise ValueError(f"{uri} has no copy in the workspace: it is not the URI of an artifact in a store")
        path = artifact_path(uri, {WORKSPACE_METADATA: True}).removeprefix(f"{WORKSPACE_PATH}/")
        return self._is_done(run, f"workspace of {task_id}", lambda: self._copy_to_workspace(run, uri, path))

    async def _copy_to_workspace(self, run: Run, uri: str, path: str) -> None:
        claim = workspace_claim_name(run)
        try:
            target = await self._folders.make(run.namespace, claim)
        except NoFolder as error:
            raise StoreError(f"{error}: {UNUSED_WORKSPACE}") from error
        if await self._store.is_remote(run.namespace, uri):
            await self._store.fetch(run.namespace, uri, claim=claim, path=path)
        else:
            await self._copy(run.namespace, uri, target, path)

    async def _copy(self, namespace: str, uri: str, target: Path, path: str) -> None:
        try:
            source = await self._folders.folder(namespace)
            count = await asyncio.to_thread(copy_tree, (source, claim_path(uri) or ""), (target, path))
        except (NoFolder, OSError) as error:
            raise StoreError(f"Cannot copy {uri}: {error}") from error
        if count == 0:
            raise StoreError(f"Cannot copy {uri}: there is no such file, and none below it")

    def _is_done(self, run: Run, name: str, transfer: Callable[[], Coroutine[Any, Any, None]]) -> bool:
        try:
            return self._transfers.is_done(Key(run.namespace, run.resource_name), name, transfer)
        except StoreError as error:
            raise TransferFailed(str(error)) from error


def _inputs(context: TaskContext) -> Iterable[Artifact]:
    return (artifact for artifacts in context.artifacts.values() for artifact in artifacts)
