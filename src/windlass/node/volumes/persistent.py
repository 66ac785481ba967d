"""Folders of persistent volumes: fills those that are copies, removes those of deleted volumes."""

from pathlib import Path

from windlass.apis.core_v1 import PersistentVolume
from windlass.apis.local_volumes import DRIVERS, FOLDER_FINALIZER, SOURCE_ATTRIBUTE, Source
from windlass.apis.wellknown import PV_PROTECTION_FINALIZER
from windlass.kube.client import Client
from windlass.kube.errors import NotFound
from windlass.kube.json import Object, dig, dig_list
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.node.volumes.base import Failed
from windlass.node.volumes.claims import persistent_folder
from windlass.node.volumes.copying import copy
from windlass.node.volumes.following import Following
from windlass.node.volumes.removal import Anchor, remove
from windlass.node.volumes.volume_folders import make_private

_KIND = KINDS.of(PersistentVolume)


def must_go(volume: Object) -> bool:
    """Whether a volume is deleted, has our finalizer, and no claim uses it any more."""
    finalizers = dig_list(volume, "metadata", "finalizers")
    return (
        bool(dig(volume, "metadata", "deletionTimestamp"))
        and FOLDER_FINALIZER in finalizers
        and PV_PROTECTION_FINALIZER not in finalizers
    )


def is_ours(volume: Object) -> bool:
    return dig(volume, "spec", "csi", "driver") in DRIVERS


def source_of(volume: Object) -> Source | None:
    """Return what the volume is a copy of."""
    attribute = dig(volume, "spec", "csi", "volumeAttributes", SOURCE_ATTRIBUTE)
    return Source.parse(str(attribute)) if attribute and is_ours(volume) else None


class PersistentFolders(Following):
    """Follows all persistent volumes while `run` runs. `data` contains the folders of volumes and snapshots."""

    place = "persistent volumes"

    def __init__(self, client: Client, data: Path, *, anchor: Anchor = lambda: None) -> None:
        super().__init__(client, _KIND)
        self._data, self._anchor = data, anchor

    def is_due(self, obj: Object) -> bool:
        return must_go(obj) or self._is_empty_copy(obj)

    def _is_empty_copy(self, volume: Object) -> bool:
        if source_of(volume) is None or dig(volume, "metadata", "deletionTimestamp"):
            return False
        return not self._folder(volume).exists()

    def _folder(self, volume: Object) -> Path:
        return persistent_folder(self._data / "volumes", str(dig(volume, "spec", "csi", "volumeHandle")))

    async def settle(self, obj: Object) -> None:
        if must_go(obj):
            await self._remove(obj)
        else:
            await self._fill(obj)

    async def _fill(self, volume: Object) -> None:
        source = source_of(volume)
        assert source is not None
        if source.kind == "volumes":
            self.check_filled(source.handle)
        target = self._folder(volume)
        make_private(target.parent)
        await copy(persistent_folder(self._data / source.kind, source.handle), target, self._anchor)

    def check_filled(self, handle: str) -> None:
        """Raise Failed if a volume is a copy that is not complete: it must not be copied itself yet."""
        for volume in self.informer.store:
            if dig(volume, "spec", "csi", "volumeHandle") == handle and self._is_empty_copy(volume):
                raise Failed(f"the volume {handle} is still being copied")

    async def _remove(self, volume: Object) -> None:
        """Remove the data (unless the volume is retained), then the finalizer."""
        meta = volume["metadata"]
        if dig(volume, "spec", "persistentVolumeReclaimPolicy") == "Delete" and is_ours(volume):
            await self.fill_copies_of(Source("volumes", str(dig(volume, "spec", "csi", "volumeHandle"))))
            await remove(self._folder(volume), self._anchor)
        rest = [name for name in meta["finalizers"] if name != FOLDER_FINALIZER]
        patch: Object = {"metadata": {"finalizers": rest, "resourceVersion": meta["resourceVersion"]}}
        try:
            await self.client.patch(_KIND, Key("", str(meta["name"])), patch)
        except NotFound:
            return

    async def fill_copies_of(self, source: Source) -> None:
        """Fill the volumes that still need a source before the source is removed."""
        for volume in list(self.informer.store):
            if source_of(volume) == source and self._is_empty_copy(volume):
                await self._fill(volume)
