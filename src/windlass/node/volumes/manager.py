"""The volumes of this node's pods: sets them up, updates, measures and removes them."""

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Collection, Mapping
from pathlib import Path

from windlass.kube.errors import ApiError
from windlass.kube.json import Object, dig, dig_list
from windlass.node.field_paths import BadField
from windlass.node.runtimes.base import Mount
from windlass.node.sources import Reference, Sources
from windlass.node.volumes import claims, empty_dir, files, host_path, image, nfs
from windlass.node.volumes.base import Failed, NotReady, Prepared, Request, SetUp
from windlass.node.volumes.mounts import mounts_of
from windlass.node.volumes.owner import Owner, has_single_id
from windlass.node.volumes.removal import Anchor, remove
from windlass.node.volumes.usage import measure
from windlass.node.volumes.volume_folders import SHARED_MEMORY, VolumeFolders

KINDS: Mapping[str, SetUp] = {
    "configMap": files.config_map,
    "downwardAPI": files.downward_api,
    "emptyDir": empty_dir.empty_dir,
    "ephemeral": claims.ephemeral,
    "hostPath": host_path.host_path,
    "image": image.image,
    "nfs": nfs.nfs,
    "persistentVolumeClaim": claims.persistent_volume_claim,
    "projected": files.projected,
    "secret": files.secret,
}
LIVE = frozenset(("configMap", "downwardAPI", "projected", "secret"))
RETRY = 10.0  # seconds after a refresh that failed

log = logging.getLogger(__name__)


class Volumes:
    """All operations on volumes. `anchor` returns a process in the node's user namespace, if there is one."""

    def __init__(
        self, data: Path, sources: Sources, *, anchor: Anchor = lambda: None, shared_memory: Path = SHARED_MEMORY
    ) -> None:
        self.folders = VolumeFolders(data, shared_memory)
        self._sources, self._anchor = sources, anchor
        self._root = os.geteuid() == 0
        self._shown: dict[str, set[Reference]] = {}
        self._due: dict[str, float] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._woken = asyncio.Event()
        sources.listen(self._object_changed)

    async def prepare(self, pod: Object, images: Mapping[str, str] | None = None) -> dict[str, Prepared]:
        """Set up every volume that a container mounts; returns them by name. Idempotent. Raises NotReady.

        `images` are folders with the files of pulled images, by volume.
        """
        async with self._alone(_uid(pod)):
            return await self._set_up(pod, KINDS.keys(), images or {})

    async def refresh(self, pod: Object) -> None:
        """Update configMaps, secrets, tokens and the downward API. Raises NotReady; then the old content stays."""
        try:
            async with self._alone(_uid(pod)):
                await self._set_up(pod, LIVE, {})
        except NotReady:
            self._due[_uid(pod)] = time.time() + RETRY
            self._woken.set()
            raise

    def _alone(self, uid: str) -> asyncio.Lock:
        """Serialize the writes to a pod's folders."""
        return self._locks.setdefault(uid, asyncio.Lock())

    async def _set_up(self, pod: Object, kinds: Collection[str], images: Mapping[str, str]) -> dict[str, Prepared]:
        try:
            owner = Owner(pod, root=self._root, single_id=not self._root and has_single_id(self._anchor()))
        except ValueError as error:
            raise NotReady(f"fsGroup cannot be honoured: {error}") from error
        shown, renewals, prepared = set[Reference](), list[float](), dict[str, Prepared]()
        self._shown[_uid(pod)] = shown
        mounted = mounted_volumes(pod)
        for volume in dig_list(pod, "spec", "volumes"):
            kind = kind_of(volume)
            if volume.get("name") in mounted and (kind in kinds or kind not in KINDS):
                request = Request(pod, volume, self._sources, self.folders, owner, shown, renewals, images)
                prepared[request.name] = await self._one(request, kind)
        self._due.pop(_uid(pod), None)
        if renewals:
            self._due[_uid(pod)] = min(renewals)
            self._woken.set()
        return prepared

    async def _one(self, request: Request, kind: str) -> Prepared:
        failed = f'MountVolume.SetUp failed for volume "{request.name}" : '
        if kind not in KINDS:
            raise NotReady(f"{failed}{kind} volumes are not supported by this node")
        try:
            return await KINDS[kind](request, request.volume.get(kind) or {})
        except (Failed, BadField, ValueError) as error:
            raise NotReady(f"{failed}{error}") from error
        except ApiError as error:
            raise NotReady(f"{failed}{error.message}") from error
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            raise NotReady(f"{failed}{where}{(error.strerror or str(error)).lower()}") from error

    def mounts(
        self, pod: Object, container: Object, prepared: Mapping[str, Prepared], environment: Mapping[str, str]
    ) -> tuple[Mount, ...]:
        """Return the container's mounts of the prepared volumes. Creates missing subPaths. Raises BadMount."""
        return mounts_of(container, prepared, environment)

    async def changes(self) -> AsyncIterator[str]:
        """Yield uids of pods that need a `refresh`: an object that they show has changed, or a token is due.

        Never ends.
        """
        while True:
            now = time.time()
            for uid in [uid for uid, due in self._due.items() if due <= now]:
                self._due[uid] = now + RETRY  # again, should nobody come to refresh it
                yield uid
            self._woken.clear()
            soonest = min(self._due.values(), default=None)
            try:
                async with asyncio.timeout(None if soonest is None else max(0.0, soonest - time.time())):
                    await self._woken.wait()
            except TimeoutError:
                continue

    def _object_changed(self, reference: Reference) -> None:
        for uid, shown in self._shown.items():
            if reference in shown:
                self._due[uid] = 0.0
                self._woken.set()

    async def remove(self, uid: str) -> None:
        """Remove the volumes of a pod that is gone, except persistent ones. Raises OSError on failure."""
        async with self._alone(uid):
            self._shown.pop(uid, None)
            self._due.pop(uid, None)
            self._sources.forget(uid)
            await asyncio.to_thread(nfs.unmount, self.folders.network / uid)
            for folder in self.folders.of_pod(uid):
                await remove(folder, self._anchor)
        self._locks.pop(uid, None)

    async def sweep(self, known: Collection[str]) -> None:
        """Remove the volumes of deleted pods when the agent starts."""
        for uid in sorted((await asyncio.to_thread(self.folders.pods_found)) - set(known)):
            try:
                await self.remove(uid)
            except OSError as error:
                log.warning("cannot remove left-over volumes pod=%s error=%s", uid, error)

    async def clear_memory(self) -> None:
        """Remove volumes in memory when the node stops, as a shutdown of the machine would."""
        memory = self.folders.memory
        if memory is None:
            return
        try:
            await remove(memory, self._anchor)
        except OSError as error:
            log.warning("cannot remove volumes in memory folder=%s error=%s", memory, error)

    async def usage(self, uid: str) -> dict[str, int]:
        """Return the bytes in each of the pod's folders here, by volume; `usage.over_limit` compares them."""
        return await asyncio.to_thread(self._usage, uid)

    def _usage(self, uid: str) -> dict[str, int]:
        found = [folder for top in self.folders.of_pod(uid) if top.is_dir() for folder in top.iterdir()]
        return {folder.name: measure(folder) for folder in found if not folder.is_symlink()}


def mounted_volumes(pod: Object) -> set[str]:
    """Return the volumes that a container mounts; others are not set up, as in kubelet."""
    return {
        str(mount.get("name"))
        for kind in ("initContainers", "containers", "ephemeralContainers")
        for container in dig_list(pod, "spec", kind)
        for field in ("volumeMounts", "volumeDevices")
        for mount in dig_list(container, field)
    }


def kind_of(volume: Object) -> str:
    """Return the field that sets a volume's kind; a volume without one is an emptyDir, as in Kubernetes."""
    return next((field for field in volume if field != "name"), "emptyDir")


def _uid(pod: Object) -> str:
    return str(dig(pod, "metadata", "uid"))
