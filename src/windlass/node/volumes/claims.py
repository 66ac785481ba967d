"""persistentVolumeClaim and ephemeral volumes: the volume that a claim is bound to."""

import asyncio
from pathlib import Path

from windlass.apis.local_volumes import DRIVERS, SOURCE_ATTRIBUTE, folder_name_error
from windlass.kube.errors import ApiError
from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.node.volumes import host_path, nfs
from windlass.node.volumes.base import Failed, NotReady, Prepared, Request
from windlass.node.volumes.volume_folders import make_private


async def persistent_volume_claim(request: Request, source: Object) -> Prepared:
    prepared = await _claimed(request, str(source.get("claimName") or ""), ephemeral=False)
    return Prepared(prepared.path, prepared.read_only or bool(source.get("readOnly")), prepared.may_contain_mounts)


async def ephemeral(request: Request, _source: Object) -> Prepared:
    return await _claimed(request, f"{dig(request.pod, 'metadata', 'name')}-{request.name}", ephemeral=True)


async def _claimed(request: Request, name: str, *, ephemeral: bool) -> Prepared:
    where = f"{request.namespace}/{name}"
    try:
        claim = await request.sources.claim(request.namespace, name)
        _check_claim(request, claim, name, ephemeral=ephemeral)
        volume_name = str(dig(claim, "spec", "volumeName"))
        volume = await request.sources.persistent_volume(volume_name)
    except ApiError as error:
        raise NotReady(f"error processing PVC {where}: failed to fetch PVC from API server: {error.message}") from error
    except Failed as error:
        raise NotReady(f"error processing PVC {where}: {error}") from error
    if volume is None:
        raise NotReady(f'error processing PVC {where}: failed to fetch PV: persistentvolume "{volume_name}" not found')
    _check_volume(volume, volume_name, str(dig(claim, "metadata", "uid")), where)
    return await asyncio.to_thread(_folder, request, volume)


def _check_claim(request: Request, claim: Object | None, name: str, *, ephemeral: bool) -> None:
    if claim is None:
        raise Failed(f'failed to fetch PVC from API server: persistentvolumeclaim "{name}" not found')
    owners = dig_list(claim, "metadata", "ownerReferences")
    if ephemeral and not any(dig(owner, "uid") == request.uid for owner in owners):
        pod = f"{request.namespace}/{dig(request.pod, 'metadata', 'name')}"
        raise Failed(f'PVC "{request.namespace}/{name}" was not created for pod "{pod}" (pod is not owner)')
    if dig(claim, "metadata", "deletionTimestamp") and not _has_started(request.pod):
        raise Failed("PVC is being deleted")
    phase, volume = dig(claim, "status", "phase"), dig(claim, "spec", "volumeName")
    if phase == "Lost":
        raise Failed(f'PVC is not bound: it has lost its volume "{volume}"')
    if phase != "Bound" or not volume:
        raise Failed("PVC is not bound")
    if dig(claim, "spec", "volumeMode") == "Block":
        raise Failed("volumeMode Block is not supported by this node")


def _has_started(pod: Object) -> bool:
    statuses = dig_list(pod, "status", "initContainerStatuses") + dig_list(pod, "status", "containerStatuses")
    return any(dig(status, "state", "running") or dig(status, "state", "terminated") for status in statuses)


def _check_volume(volume: Object, name: str, claim_uid: str, where: str) -> None:
    reference = dig_object(volume, "spec", "claimRef")
    if not reference.get("uid"):
        raise NotReady(
            f"error processing PVC {where}: found PV object {name} but it has a nil pv.Spec.ClaimRef indicating it is "
            "not yet bound to the claim"
        )
    if reference["uid"] != claim_uid:
        raise NotReady(
            f"error processing PVC {where}: found PV object {name} but its pv.Spec.ClaimRef.UID {reference['uid']} "
            f"does not point to claim.UID {claim_uid}"
        )


def _folder(request: Request, volume: Object) -> Prepared:
    spec = dig_object(volume, "spec")
    if csi := spec.get("csi"):
        if csi.get("driver") not in DRIVERS:
            raise Failed(f"csi volumes of driver {csi.get('driver')} are not supported by this node")
        folder = persistent_folder(request.folders.persistent, str(csi.get("volumeHandle") or ""))
        if not folder.is_dir():
            if source := dig(csi, "volumeAttributes", SOURCE_ATTRIBUTE):
                raise Failed(f"the volume is still being copied from {source}")
            make_private(folder.parent)
            request.owner.make_folder(folder, 0o777)
        read_only = bool(csi.get("readOnly"))
        if not read_only:
            request.owner.give_group(folder)
        return Prepared(str(folder), read_only)
    if source := spec.get("hostPath"):
        return host_path.at(request, str(source.get("path")), str(source.get("type") or ""))
    if source := spec.get("nfs"):
        return nfs.at(request, nfs.share_of(source, dig_list(spec, "mountOptions")))
    if source := spec.get("local"):
        return host_path.at(request, str(source.get("path")), "Directory")
    ignored = ("accessModes", "capacity", "claimRef", "nodeAffinity", "mountOptions", "storageClassName", "volumeMode")
    kinds = [key for key in spec if key not in (*ignored, "persistentVolumeReclaimPolicy", "volumeAttributesClassName")]
    raise Failed(f"{', '.join(kinds) or 'such'} volumes are not supported by this node")


def persistent_folder(top: Path, handle: str) -> Path:
    """Return the folder of a volume's data. Raises Failed for a handle that is not a plain name."""
    if error := folder_name_error(handle):
        raise Failed(error)
    return top / handle
