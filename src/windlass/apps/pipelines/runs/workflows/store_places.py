"""What Workflows need from stores besides their claim: artifacts that name a store, lists of objects, and removals."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from posixpath import dirname
from typing import Protocol

from windlass.apps.pipelines.argo.observation import (
    InputAnswer,
    InputFetch,
    Listing,
    ListingAnswer,
    OutputsRequest,
    Removal,
)
from windlass.apps.pipelines.artifacts.claim_folders import ClaimFolders, NoFolder
from windlass.apps.pipelines.artifacts.stores.placed_store import PlacedStore
from windlass.apps.pipelines.artifacts.stores.remote_store import RemoteStore, StoreError
from windlass.apps.pipelines.artifacts.uris import claim_path, split_uri
from windlass.apps.pipelines.runs.artifacts.transfers import Transfers
from windlass.formats.volume_files import files_below
from windlass.kube.errors import ApiError
from windlass.kube.meta import Key


class WorkflowPlaces(Protocol):
    """Answers at once: what takes longer is pending, and the Workflow is woken at its end."""

    async def fetch(self, key: Key, fetch: InputFetch) -> InputAnswer: ...

    async def publish(self, key: Key, request: OutputsRequest) -> dict[str, bool] | None:
        """Whether the pod has written each artifact; None until all are published. Raises StoreError."""
        ...

    async def list(self, namespace: str, listing: Listing) -> ListingAnswer: ...

    async def remove(self, namespace: str, removal: Removal) -> str:
        """Why an artifact could not be removed; empty if it was."""
        ...

    def forget(self, key: Key) -> None: ...


class ClaimPlaces:
    """On an embedded Windlass: this process copies between the stores and the claim of the namespace."""

    def __init__(self, store: PlacedStore, folders: ClaimFolders, wake: Callable[[Key], None]) -> None:
        self._store, self._folders, self._transfers = store, folders, Transfers(wake)

    async def fetch(self, key: Key, fetch: InputFetch) -> InputAnswer:
        try:
            if not self._transfers.is_done(key, f"input {fetch.id}", lambda: self._fetch(key.namespace, fetch)):
                return InputAnswer(is_pending=True)
            return InputAnswer(exists=await self._folders.exists(key.namespace, fetch.artifact.path))
        except (StoreError, NoFolder) as error:
            return InputAnswer(error=str(error))

    async def _fetch(self, namespace: str, fetch: InputFetch) -> None:
        try:
            await self._folders.ensure(namespace)
            # The pod's folder, in which its container of any user makes files, too.
            await self._folders.make_folder(namespace, dirname(fetch.artifact.path))
            await self._store.fetch(namespace, fetch.artifact, must_exist=not fetch.is_optional)
        except (ApiError, NoFolder, OSError) as error:
            raise StoreError(f"Cannot fetch {fetch.artifact.place.uri}: {error}") from error

    async def publish(self, key: Key, request: OutputsRequest) -> dict[str, bool] | None:
        name = f"outputs {request.pod}/{request.round}"
        if not self._transfers.is_done(key, name, lambda: self._publish(key.namespace, request)):
            return None
        try:
            return {
                name: await self._folders.exists(key.namespace, artifact.path)
                for name, artifact in request.published.items()
            }
        except NoFolder as error:
            raise StoreError(str(error)) from error

    async def _publish(self, namespace: str, request: OutputsRequest) -> None:
        for artifact in request.published.values():
            try:
                await self._store.publish(namespace, artifact)
            except (ApiError, NoFolder, OSError) as error:
                raise StoreError(f"Cannot publish {artifact.place.uri}: {error}") from error

    async def list(self, namespace: str, listing: Listing) -> ListingAnswer:
        try:
            if listing.place is not None:
                names = await self._store.names(namespace, listing.place)
                return ListingAnswer(keys=_keys(listing.place.key, names))
            path = claim_path(listing.uri) or ""
            folder = await self._folders.folder(namespace)
            return ListingAnswer(keys=_keys(_key(listing.uri), await asyncio.to_thread(_files, folder, path)))
        except NoFolder:
            return ListingAnswer()
        except (StoreError, OSError) as error:
            return ListingAnswer(error=str(error))

    async def remove(self, namespace: str, removal: Removal) -> str:
        try:
            if removal.place is not None:
                await self._store.remove(namespace, removal.place)
            elif (path := claim_path(removal.uri)) is not None:
                await self._folders.remove(namespace, path)
        except NoFolder:
            return ""
        except (StoreError, OSError) as error:
            return str(error)
        return ""

    def forget(self, key: Key) -> None:
        self._transfers.forget(key)


class ClusterPlaces:
    """On a cluster: the pods copy; the store of Windlass is that of the provider minio."""

    def __init__(self, store: PlacedStore, own: RemoteStore) -> None:
        self._store, self._own = store, own

    async def fetch(self, key: Key, fetch: InputFetch) -> InputAnswer:
        """Look for an optional artifact; the pod fails if it cannot fetch another."""
        if not fetch.is_optional:
            return InputAnswer()
        try:
            return InputAnswer(exists=await self._store.exists(key.namespace, fetch.artifact.place))
        except StoreError as error:
            return InputAnswer(error=str(error))

    async def publish(self, key: Key, request: OutputsRequest) -> dict[str, bool] | None:
        """The report of the pod says what it has published."""
        del key, request
        return {}

    async def list(self, namespace: str, listing: Listing) -> ListingAnswer:
        try:
            if listing.place is not None:
                names = await self._store.names(namespace, listing.place)
                return ListingAnswer(keys=_keys(listing.place.key, names))
            return ListingAnswer(keys=_keys(_key(listing.uri), await self._own.names(namespace, listing.uri)))
        except StoreError as error:
            return ListingAnswer(error=str(error))

    async def remove(self, namespace: str, removal: Removal) -> str:
        try:
            if removal.place is not None:
                await self._store.remove(namespace, removal.place)
            else:
                await self._own.remove(namespace, removal.uri)
        except StoreError as error:
            return str(error)
        return ""

    def forget(self, key: Key) -> None:
        del key


def _files(folder: Path, path: str) -> list[str]:
    return sorted(files_below(folder, path))


def _keys(prefix: str, names: list[str]) -> list[str]:
    """Keys of objects by their names below a prefix; the name of the object at the prefix itself is empty."""
    return [f"{prefix}/{name}" if prefix and name else prefix or name for name in names]


def _key(uri: str) -> str:
    return split_uri(uri)[1].partition("/")[2]
