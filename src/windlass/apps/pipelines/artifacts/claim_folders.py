"""The folders of claims on the machine of an embedded node, in which pods and the processes of Windlass share files."""

import asyncio
import contextlib
import time
from datetime import timedelta
from pathlib import Path

from windlass.apis.core_v1 import PersistentVolume, PersistentVolumeClaim
from windlass.apis.local_volumes import DRIVERS, SHARED_CLASS, SOURCE_ATTRIBUTE, folder_name_error
from windlass.apis.wellknown import PART_OF_LABEL
from windlass.apps.pipelines.names import ARTIFACTS_CLAIM
from windlass.formats.volume_files import exists, make_folder, open_file, read_file, remove_tree, write_file
from windlass.kube.api import Api
from windlass.kube.errors import ApiError, Conflict, NotFound, ServiceUnavailable
from windlass.kube.json import Object, dig
from windlass.kube.kind import KINDS
from windlass.kube.view import untyped

CLAIMS, VOLUMES = untyped(KINDS.of(PersistentVolumeClaim)), untyped(KINDS.of(PersistentVolume))
CLAIM_SIZE = "10Gi"
"""What is written on the claim; the size of a folder is not limited."""
BINDING_TIMEOUT, BINDING_INTERVAL = timedelta(seconds=10), timedelta(milliseconds=100)


class NoFolder(Exception):
    """The claim has no folder on this machine; the message says why."""


class ClaimFolders:
    """Finds the folder of a claim by its volume, and reads and writes below it without following links.

    While the API server does not answer, all that need it raise ServiceUnavailable.
    """

    def __init__(self, api: Api, volumes: Path) -> None:
        """`volumes` is the folder with the volumes of the node."""
        self._api, self._volumes = api, volumes
        self._known: dict[tuple[str, str], Path] = {}

    async def folder(self, namespace: str, claim: str = ARTIFACTS_CLAIM) -> Path:
        """Raises NoFolder."""
        known = self._known.get((namespace, claim))
        if known is not None and known.is_dir():
            return known
        folder = await self._find(namespace, claim)
        if not folder.is_dir():
            raise NoFolder(f"no pod has used the claim {namespace}/{claim} yet")
        self._known[namespace, claim] = folder
        return folder

    async def make(self, namespace: str, claim: str = ARTIFACTS_CLAIM) -> Path:
        """The folder of a claim that perhaps no pod has used yet. Raises NoFolder if the claim is not bound in time."""
        with contextlib.suppress(NoFolder):
            return await self.folder(namespace, claim)
        give_up_at = time.monotonic() + BINDING_TIMEOUT.total_seconds()
        while True:
            try:
                await asyncio.to_thread(_make_volume, await self._find(namespace, claim))
                return await self.folder(namespace, claim)
            except NoFolder:
                if time.monotonic() > give_up_at:
                    raise
            await asyncio.sleep(BINDING_INTERVAL.total_seconds())

    async def _find(self, namespace: str, claim: str) -> Path:
        try:
            volume_name = dig(await self._api.get(CLAIMS, claim, namespace), "spec", "volumeName")
            if not isinstance(volume_name, str):
                raise NoFolder(f"the claim {namespace}/{claim} is not bound")
            volume = await self._api.get(VOLUMES, volume_name)
        except ServiceUnavailable:
            raise  # whether there is a folder is not known
        except ApiError as error:
            raise NoFolder(f"the claim {namespace}/{claim}: {error.message}") from error
        driver, handle = dig(volume, "spec", "csi", "driver"), dig(volume, "spec", "csi", "volumeHandle")
        if driver not in DRIVERS or not isinstance(handle, str) or folder_name_error(handle):
            raise NoFolder(f"the volume {volume_name} of the claim {namespace}/{claim} is no folder of this machine")
        if dig(volume, "spec", "csi", "volumeAttributes", SOURCE_ATTRIBUTE) and not (self._volumes / handle).is_dir():
            raise NoFolder(f"the volume {volume_name} of the claim {namespace}/{claim} is still being copied")
        return self._volumes / handle

    async def read(self, namespace: str, path: str, limit: int, claim: str = ARTIFACTS_CLAIM) -> bytes | None:
        """A file, at most `limit` bytes of it; None if there is none. Raises NoFolder."""
        return await asyncio.to_thread(read_file, await self.folder(namespace, claim), path, limit)

    async def exists(self, namespace: str, path: str, claim: str = ARTIFACTS_CLAIM) -> bool:
        """Whether there is a file or a folder, and not a link. Raises NoFolder."""
        return await asyncio.to_thread(exists, await self.folder(namespace, claim), path)

    async def open(self, namespace: str, path: str, claim: str = ARTIFACTS_CLAIM) -> int | None:
        """A descriptor of a file, which the caller closes; None if there is none. Raises NoFolder."""
        return await asyncio.to_thread(open_file, await self.folder(namespace, claim), path)

    async def make_folder(self, namespace: str, path: str, claim: str = ARTIFACTS_CLAIM) -> None:
        """Make a folder that containers of any user may write to. Raises NoFolder and OSError."""
        await asyncio.to_thread(make_folder, await self.make(namespace, claim), path)

    async def write(self, namespace: str, path: str, content: bytes, claim: str = ARTIFACTS_CLAIM) -> None:
        """Raises NoFolder and OSError."""
        await asyncio.to_thread(write_file, await self.folder(namespace, claim), path, content)

    async def remove(self, namespace: str, path: str, claim: str = ARTIFACTS_CLAIM) -> None:
        """Remove a file or a folder with all that is in it. Raises NoFolder and OSError."""
        await asyncio.to_thread(remove_tree, await self.folder(namespace, claim), path)

    async def ensure(self, namespace: str) -> None:
        """Create the claim of a namespace's artifacts, if it has none. Raises ApiError."""
        if (namespace, ARTIFACTS_CLAIM) in self._known:
            return
        try:
            await self._api.get(CLAIMS, ARTIFACTS_CLAIM, namespace)
        except NotFound:
            with contextlib.suppress(Conflict):  # another process was quicker
                await self._api.create(artifacts_claim(namespace))


def _make_volume(folder: Path) -> None:
    """Create the folder of a volume as the node does, for containers of any user."""
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        folder.mkdir()
        folder.chmod(0o777)


def artifacts_claim(namespace: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": ARTIFACTS_CLAIM,
            "namespace": namespace,
            "labels": {PART_OF_LABEL: "pipelines"},
            "annotations": {"windlass.dev/description": "Artifacts, logs and parameters of pipeline runs"},
        },
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": SHARED_CLASS,
            "resources": {"requests": {"storage": CLAIM_SIZE}},
        },
    }
