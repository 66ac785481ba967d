"""Removes the content of artifacts some time after their run has finished; the records stay, and say so. Logs of
Workflows that are no runs go after the same time.

Imports, content that a task recorded under a URI outside its run's root, and what a younger run uses are kept.
"""

import logging
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol, TypeVar

from windlass.apps.pipelines.artifacts.claim_folders import ClaimFolders, NoFolder
from windlass.apps.pipelines.artifacts.ownership import belongs_to
from windlass.apps.pipelines.artifacts.stores.remote_store import RemoteStore, StoreError
from windlass.apps.pipelines.artifacts.stores.store_settings import StoreSettings
from windlass.apps.pipelines.artifacts.uris import claim_path
from windlass.apps.pipelines.model import Artifact, Record, Run
from windlass.apps.pipelines.options import PipelineOptions
from windlass.kube.api import Runtime
from windlass.kube.controller import Service
from windlass.kube.errors import ApiError

NAME = "pipeline-artifact-expiry"
INTERVAL = timedelta(hours=1)
BATCH = 200
R = TypeVar("R", bound=Record)

log = logging.getLogger(__name__)


class Artifacts(Protocol):
    """The database, as far as artifacts expire in it."""

    async def expired_artifacts(self, before: float, after: str, limit: int) -> list[Artifact]: ...

    async def run(self, run_id: str) -> Run | None: ...

    async def expire_workflow_logs(self, before: float) -> None: ...

    async def change(self, type: type[R], id: str, **changes: Any) -> bool: ...


class Remover(Protocol):
    async def remove(self, namespace: str, uri: str) -> bool:
        """Remove content; False if it could not be removed now."""
        ...


class StoredContent:
    """Content in claims and in object stores, with the rights of the manager."""

    def __init__(self, folders: ClaimFolders | None, store: RemoteStore) -> None:
        self._folders, self._store = folders, store

    async def remove(self, namespace: str, uri: str) -> bool:
        path = claim_path(uri)
        if self._folders is not None and path is not None:
            with suppress(NoFolder, OSError):
                await self._folders.remove(namespace, path)
        try:
            if await self._store.is_remote(namespace, uri):
                await self._store.remove(namespace, uri)
        except (StoreError, ValueError, ApiError) as error:
            log.warning("an expired artifact of namespace %s cannot be removed error=%s", namespace, error)
            return False
        return True


class ArtifactExpiry:
    def __init__(self, open_artifacts: Callable[[], Awaitable[Artifacts]], remover: Remover, ttl: timedelta) -> None:
        self._open_artifacts, self._remover, self._ttl = open_artifacts, remover, ttl

    async def step(self, key: str) -> timedelta:
        """Remove all that has expired; returns when to do so again."""
        del key
        artifacts, after = await self._open_artifacts(), ""
        before = time.time() - self._ttl.total_seconds()
        await artifacts.expire_workflow_logs(before)
        while expired := await artifacts.expired_artifacts(before, after, BATCH):
            for artifact in expired:
                await self._expire(artifacts, artifact)
            after = expired[-1].artifact_id
        return INTERVAL

    async def _expire(self, artifacts: Artifacts, artifact: Artifact) -> None:
        run = await artifacts.run(artifact.run_id)
        if run is None or not belongs_to(run, artifact.uri):
            return
        if await self._remover.remove(artifact.namespace, artifact.uri):
            await artifacts.change(Artifact, artifact.artifact_id, has_content=False)


def artifact_expiry(options: PipelineOptions, open_artifacts: Callable[[], Awaitable[Artifacts]]) -> Iterable[Service]:
    """The service of a manager; none where artifacts are kept for ever."""
    if not options.artifact_ttl_days:
        return ()

    def start(runtime: Runtime) -> None:
        folders = ClaimFolders(runtime.api, Path(options.volumes))
        settings = StoreSettings(runtime.api, has_own_store=bool(options.volumes))
        store = RemoteStore(settings, folders, allow_local=options.allow_local_endpoints)
        expiry = ArtifactExpiry(
            open_artifacts,
            StoredContent(folders if options.volumes else None, store),
            timedelta(days=options.artifact_ttl_days),
        )
        queue = runtime.queue("pipeline_artifact_expiry")
        runtime.work(NAME, queue, expiry.step, 1)
        queue.add("all")

    return (Service(NAME, start),)
