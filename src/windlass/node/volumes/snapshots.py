"""Snapshots of volumes: copies of their folders, taken and removed as VolumeSnapshotContents ask for them."""

import time
from datetime import UTC, datetime
from pathlib import Path

from windlass.apis.core_v1 import PersistentVolume
from windlass.apis.local_volumes import SHARED_DRIVER, Source
from windlass.apis.snapshot_storage_v1 import CONTENT_PROTECTION, VolumeSnapshotContent
from windlass.kube.client import Client
from windlass.kube.errors import ApiError, NotFound
from windlass.kube.json import Object, dig, dig_list, timestamp
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.quantity import Quantity
from windlass.node.volumes.base import Failed
from windlass.node.volumes.claims import persistent_folder
from windlass.node.volumes.copying import copy
from windlass.node.volumes.following import Following
from windlass.node.volumes.persistent import PersistentFolders
from windlass.node.volumes.removal import Anchor, remove
from windlass.node.volumes.volume_folders import make_private

_KIND = KINDS.of(VolumeSnapshotContent)
_VOLUME = KINDS.of(PersistentVolume)


def snapshot_handle(content: Object) -> str:
    """Return the handle that a content has, or will have: that of its spec, else one of its uid."""
    named = dig(content, "spec", "source", "snapshotHandle") or dig(content, "status", "snapshotHandle")
    return str(named or f"snapshot-{dig(content, 'metadata', 'uid')}")


class SnapshotFolders(Following):
    """Follows all VolumeSnapshotContents of our driver while `run` runs."""

    place = "volume snapshots"

    def __init__(
        self, client: Client, data: Path, volumes: PersistentFolders, *, anchor: Anchor = lambda: None
    ) -> None:
        super().__init__(client, _KIND)
        self._data, self._volumes, self._anchor = data, volumes, anchor

    def is_due(self, obj: Object) -> bool:
        if dig(obj, "spec", "driver") != SHARED_DRIVER:
            return False
        if dig(obj, "metadata", "deletionTimestamp"):
            return CONTENT_PROTECTION in dig_list(obj, "metadata", "finalizers")
        return not dig(obj, "status", "readyToUse")

    async def settle(self, obj: Object) -> None:
        if dig(obj, "metadata", "deletionTimestamp"):
            await self._remove(obj)
        else:
            await self._take(obj)

    async def failed(self, obj: Object, error: Exception) -> None:
        await super().failed(obj, error)
        if dig(obj, "metadata", "deletionTimestamp") or isinstance(error, ApiError):
            return
        now = timestamp(datetime.now(UTC))
        await self._report(obj, {"readyToUse": False, "error": {"time": now, "message": str(error)}})

    async def _take(self, content: Object) -> None:
        handle = snapshot_handle(content)
        folder = persistent_folder(self._data / "snapshots", handle)
        volume = dig(content, "spec", "source", "volumeHandle")
        if not folder.is_dir():
            if not volume:
                raise Failed(f'the snapshot "{handle}" does not exist')
            self._volumes.check_filled(str(volume))
            make_private(folder.parent)
            await copy(persistent_folder(self._data / "volumes", str(volume)), folder, self._anchor)
        status: Object = {"snapshotHandle": handle, "creationTime": time.time_ns(), "readyToUse": True, "error": None}
        size = await self._size(str(volume)) if volume else None
        await self._report(content, status if size is None else {**status, "restoreSize": size})

    async def _size(self, handle: str) -> int | None:
        """Read from the server: the cache may not have a volume yet that was made a moment ago."""
        volumes = (await self.client.list(_VOLUME)).items
        volume = next((each for each in volumes if dig(each, "spec", "csi", "volumeHandle") == handle), None)
        if volume is None:
            return None
        return int(Quantity.parse(str(dig(volume, "spec", "capacity", "storage") or "0")).value())

    async def _report(self, content: Object, status: Object) -> None:
        await self.client.set_status(_KIND, Key("", str(content["metadata"]["name"])), status)

    async def _remove(self, content: Object) -> None:
        meta, handle = content["metadata"], snapshot_handle(content)
        if dig(content, "spec", "deletionPolicy") == "Delete":
            await self._volumes.fill_copies_of(Source("snapshots", handle))
            await remove(persistent_folder(self._data / "snapshots", handle), self._anchor)
        rest = [name for name in meta["finalizers"] if name != CONTENT_PROTECTION]
        patch: Object = {"metadata": {"finalizers": rest, "resourceVersion": meta["resourceVersion"]}}
        try:
            await self.client.patch(_KIND, Key("", str(meta["name"])), patch)
        except NotFound:
            return
