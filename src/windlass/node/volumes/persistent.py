"""Removes the folders of deleted persistent volumes, and then their finalizers."""

import asyncio
import logging
from pathlib import Path

from windlass.apis.core_v1 import PersistentVolume
from windlass.kube.client import Client
from windlass.kube.errors import ApiError, NotFound
from windlass.kube.informer import Informer
from windlass.kube.json import Object, dig, dig_list
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.view import untyped
from windlass.node.volumes.base import Failed
from windlass.node.volumes.claims import DRIVER, persistent_folder
from windlass.node.volumes.removal import Anchor, remove

FINALIZER = f"{DRIVER}/folder"
PROTECTED = "kubernetes.io/pv-protection"
RETRY = 10.0  # seconds
RETRIED_ERRORS = (ApiError, OSError, Failed)
"""Errors after which removal is retried."""

log = logging.getLogger(__name__)
_KIND = KINDS.of(PersistentVolume)


def is_due(volume: Object) -> bool:
    """Whether a volume is deleted, has our finalizer, and no claim uses it any more."""
    finalizers = dig_list(volume, "metadata", "finalizers")
    return (
        bool(dig(volume, "metadata", "deletionTimestamp")) and FINALIZER in finalizers and PROTECTED not in finalizers
    )


class PersistentFolders:
    """Follows all persistent volumes while `run` runs. `top` is the folder that contains theirs."""

    def __init__(self, client: Client, top: Path, *, anchor: Anchor = lambda: None) -> None:
        self._client, self._top, self._anchor = client, top, anchor
        self._informer = Informer(client, untyped(_KIND))
        self._waiting: asyncio.Queue[str] = asyncio.Queue()
        self._informer.store.subscribe(self)

    def added(self, obj: Object) -> None:
        if is_due(obj):
            self._waiting.put_nowait(str(dig(obj, "metadata", "name")))

    def changed(self, old: Object, new: Object) -> None:
        self.added(new)

    def deleted(self, obj: Object) -> None:
        """Nothing to do: the folder was removed before the object."""

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._informer.run())
            tasks.create_task(self._settle_all())

    async def _settle_all(self) -> None:
        while True:
            name = await self._waiting.get()
            volume = self._informer.store.get(Key("", name))
            try:
                if volume is not None and is_due(volume):
                    with self._client.faults.contain("persistent volumes", volume, _KIND, passing=RETRIED_ERRORS):
                        await self.settle(volume)
            except RETRIED_ERRORS as error:
                log.warning("cannot remove a persistent volume yet volume=%s error=%s", name, error)
                asyncio.get_running_loop().call_later(RETRY, self._waiting.put_nowait, name)

    async def settle(self, volume: Object) -> None:
        """Remove the data (unless the volume is retained), then the finalizer."""
        meta = volume["metadata"]
        if dig(volume, "spec", "persistentVolumeReclaimPolicy") == "Delete" and self._is_ours(volume):
            await remove(persistent_folder(self._top, str(dig(volume, "spec", "csi", "volumeHandle"))), self._anchor)
        rest = [name for name in meta["finalizers"] if name != FINALIZER]
        patch: Object = {"metadata": {"finalizers": rest, "resourceVersion": meta["resourceVersion"]}}
        try:
            await self._client.patch(_KIND, Key("", str(meta["name"])), patch)
        except NotFound:
            return

    def _is_ours(self, volume: Object) -> bool:
        return dig(volume, "spec", "csi", "driver") == DRIVER
