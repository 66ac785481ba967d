"""Artifacts of runs in the claims of an embedded node and in object stores, for the pipelines API.

On a cluster there are object stores only.
"""

import logging
from contextlib import suppress
from functools import partial
from pathlib import Path

from windlass.apps.pipelines.artifacts.claim_folders import ClaimFolders, NoFolder
from windlass.apps.pipelines.artifacts.reader import ClaimReader, Content
from windlass.apps.pipelines.artifacts.stores.place_settings import PlaceSettings
from windlass.apps.pipelines.artifacts.stores.remote_store import NoFolders, RemoteStore, StoreError
from windlass.apps.pipelines.artifacts.stores.store_locations import Place
from windlass.apps.pipelines.artifacts.stores.store_settings import StoreSettings, secret_value
from windlass.apps.pipelines.artifacts.uris import claim_path
from windlass.kube.client import Client
from windlass.kube.errors import ApiError

log = logging.getLogger(__name__)


class ClaimArtifacts:
    """Access was checked before: folders are read with the rights of this process. Object stores are read with the
    credentials of the namespace, if the person may read the Secret that has them: the gateway itself may not."""

    def __init__(self, client: Client, volumes: str, *, allow_local_endpoints: bool = False) -> None:
        self._folders = ClaimFolders(client, Path(volumes)) if volumes else None
        # Only an embedded Windlass has an S3 endpoint of its own.
        settings = StoreSettings(client, has_own_store=self._folders is not None)
        self._remote = RemoteStore(settings, self._folders or NoFolders(), allow_local=allow_local_endpoints)

    async def close(self) -> None:
        await self._remote.close()

    async def open(self, namespace: str, uri: str, client: Client) -> Content | None:
        content = await ClaimReader(self._folders).open(namespace, uri) if self._folders is not None else None
        return content or await self._open_remote(namespace, uri, client)

    async def _open_remote(self, namespace: str, uri: str, client: Client) -> Content | None:
        """What the object store has; the reason why there is nothing is for the log."""
        store = self._remote.with_settings(StoreSettings(client, has_own_store=self._folders is not None))
        try:
            if await store.is_remote(namespace, uri):
                return await store.open(namespace, uri)
        except (StoreError, ValueError, ApiError) as error:
            log.warning("an artifact of namespace %s cannot be read error=%s", namespace, error)
        return None

    async def open_place(self, namespace: str, place: Place, client: Client) -> Content | None:
        """What is in a store that an artifact names itself. Raises StoreError."""
        settings = PlaceSettings(place, partial(secret_value, client))
        return await self._remote.with_settings(settings).open(namespace, place.uri)

    async def open_claim(self, namespace: str, claim: str, path: str) -> Content | None:
        return await ClaimReader(self._folders).open_path(namespace, path, claim) if self._folders is not None else None

    async def remove(self, namespace: str, uri: str, client: Client) -> str:
        """Remove content from the claim and from its object store; answers why it could not be removed there."""
        path = claim_path(uri)
        if self._folders is not None and path is not None:
            with suppress(NoFolder, OSError):
                await self._folders.remove(namespace, path)
        store = self._remote.with_settings(StoreSettings(client, has_own_store=self._folders is not None))
        try:
            if await store.is_remote(namespace, uri):
                await store.remove(namespace, uri)
        except (StoreError, ValueError, ApiError) as error:
            log.warning("an artifact of namespace %s cannot be removed error=%s", namespace, error)
            return str(error)
        return ""
