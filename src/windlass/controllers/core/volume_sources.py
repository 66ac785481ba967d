"""The dataSource of a claim: which folder its volume is a copy of."""

from typing import NamedTuple

from windlass.apis.core_v1 import Json, PersistentVolume, PersistentVolumeClaim
from windlass.apis.local_volumes import SHARED_DRIVER, Source
from windlass.apis.snapshot_storage_v1 import GROUP, VolumeSnapshot, VolumeSnapshotContent
from windlass.controllers.core.volume_matching import asked, capacity
from windlass.kube.controller import Observed
from windlass.kube.json import dig
from windlass.kube.quantity import Quantity


class Resolved(NamedTuple):
    """A source, or why there is none (yet). Neither: the claim has no dataSource."""

    source: Source | None = None
    refusal: str = ""


def named_source(claim: PersistentVolumeClaim) -> Json | None:
    """Return the dataSource of a claim, by whichever of its two fields."""
    return claim.spec.data_source_ref or claim.spec.data_source


def resolved(claim: PersistentVolumeClaim, observed: Observed) -> Resolved:
    named = named_source(claim)
    if named is None:
        return Resolved()
    if named.get("namespace") not in (None, "", claim.metadata.namespace):
        return Resolved(refusal="a dataSource in another namespace is not supported")
    match named.get("apiGroup") or "", named.get("kind"):
        case "", "PersistentVolumeClaim":
            return _clone(claim, str(named.get("name")), observed)
        case group, "VolumeSnapshot" if group == GROUP:
            return _restore(claim, str(named.get("name")), observed)
        case group, kind:
            return Resolved(refusal=f'dataSource of kind "{kind}" in group "{group}" is not supported')


def _clone(claim: PersistentVolumeClaim, name: str, observed: Observed) -> Resolved:
    source = observed.one(PersistentVolumeClaim, name, claim.metadata.namespace)
    if source is None:
        return Resolved(refusal=f'the dataSource PersistentVolumeClaim "{name}" does not exist')
    volume = observed.one(PersistentVolume, source.spec.volume_name) if source.status.phase == "Bound" else None
    if volume is None:
        return Resolved(refusal=f'the dataSource PersistentVolumeClaim "{name}" is not bound')
    if dig(volume.spec, "csi", "driver") != SHARED_DRIVER:
        return Resolved(refusal=f'the dataSource PersistentVolumeClaim "{name}" is not of the driver {SHARED_DRIVER}')
    if asked(claim) < capacity(volume):
        size = capacity(volume)
        return Resolved(refusal=f'requested size is smaller than that of the PersistentVolumeClaim "{name}": {size}')
    return Resolved(Source("volumes", str(dig(volume.spec, "csi", "volumeHandle"))))


def _restore(claim: PersistentVolumeClaim, name: str, observed: Observed) -> Resolved:
    snapshot = observed.one(VolumeSnapshot, name, claim.metadata.namespace)
    if snapshot is None:
        return Resolved(refusal=f'the dataSource VolumeSnapshot "{name}" does not exist')
    content = observed.one(VolumeSnapshotContent, snapshot.status.bound_volume_snapshot_content_name or "")
    if content is None or not snapshot.status.ready_to_use or not content.status.snapshot_handle:
        return Resolved(refusal=f'the dataSource VolumeSnapshot "{name}" is not ready to use')
    if content.spec.volume_snapshot_ref.uid != snapshot.metadata.uid:
        return Resolved(refusal=f'the content of the VolumeSnapshot "{name}" is bound to another snapshot')
    if content.spec.driver != SHARED_DRIVER:
        return Resolved(refusal=f'the dataSource VolumeSnapshot "{name}" is not of the driver {SHARED_DRIVER}')
    size = Quantity.parse(snapshot.status.restore_size or "0")
    if asked(claim) < size:
        return Resolved(refusal=f'requested size is smaller than that of the VolumeSnapshot "{name}": {size}')
    return Resolved(Source("snapshots", content.status.snapshot_handle))


def waits_for_snapshot(claim: PersistentVolumeClaim, snapshot: VolumeSnapshot) -> bool:
    named = named_source(claim) or {}
    return not claim.spec.volume_name and (named.get("kind"), named.get("name")) == (
        "VolumeSnapshot",
        snapshot.metadata.name,
    )
