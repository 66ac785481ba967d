"""Copies artifacts between the places that they name and a volume: packed in their places, as files in the volume."""

import asyncio

from windlass.apps.pipelines.artifacts.stores.packing import pack, unpack
from windlass.apps.pipelines.artifacts.stores.place_settings import PlaceSettings, ReadSecret
from windlass.apps.pipelines.artifacts.stores.remote_store import Folders, RemoteStore, StoreError
from windlass.apps.pipelines.artifacts.stores.store_locations import Place, PlacedArtifact
from windlass.formats.volume_files import exists, remove_tree


class PlacedStore:
    """Its methods may be repeated, and raise StoreError."""

    def __init__(self, store: RemoteStore, folders: Folders, read_secret: ReadSecret) -> None:
        self._store, self._folders, self._read_secret = store, folders, read_secret

    def _at(self, place: Place) -> RemoteStore:
        return self._store.with_settings(PlaceSettings(place, self._read_secret))

    async def fetch(self, namespace: str, artifact: PlacedArtifact, *, must_exist: bool = True) -> None:
        """Put an artifact into the volume; one that does not exist is no error unless it must."""
        place, fetched = artifact.place, f"{artifact.path}.fetched"
        folder = await self._folders.make(namespace)
        await asyncio.to_thread(remove_tree, folder, fetched)
        await self._at(place).fetch(namespace, place.uri, path=fetched, must_exist=must_exist, is_recorded=False)
        try:
            if await asyncio.to_thread(exists, folder, fetched):
                await asyncio.to_thread(unpack, folder, fetched, artifact.path, artifact.archive)
        except (ValueError, OSError) as error:
            raise StoreError(f"Cannot unpack {place.uri}: {error}") from error

    async def publish(self, namespace: str, artifact: PlacedArtifact) -> bool:
        """Put an artifact from the volume into its place; False if the volume does not have it."""
        folder, place, path = await self._folders.make(namespace), artifact.place, artifact.path
        if not await asyncio.to_thread(exists, folder, path):
            return False
        if artifact.archive != "none":
            packed = f"{path}.packed"
            try:
                await asyncio.to_thread(
                    pack,
                    folder,
                    path,
                    packed,
                    name=artifact.name or path.rpartition("/")[2],
                    archive=artifact.archive,
                    level=artifact.level,
                )
            except OSError as error:
                raise StoreError(f"Cannot pack the artifact for {place.uri}: {error}") from error
            path = packed
        await self._at(place).publish(namespace, place.uri, path=path)
        return True

    async def exists(self, namespace: str, place: Place) -> bool:
        return await self._at(place).exists(namespace, place.uri)

    async def names(self, namespace: str, place: Place) -> list[str]:
        """Names of all objects below a place."""
        return await self._at(place).names(namespace, place.uri)

    async def remove(self, namespace: str, place: Place) -> None:
        await self._at(place).remove(namespace, place.uri)
