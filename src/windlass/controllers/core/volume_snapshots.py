"""VolumeSnapshot -> its content, which the node fills, and the status that both share.

A snapshot of a claim gets a content named after its uid; one of existing content is bound to it. The snapshot stays
until its content is gone, unless the content is retained.
"""

from datetime import UTC, datetime

from windlass.apis.core_v1 import Json, PersistentVolume, PersistentVolumeClaim
from windlass.apis.local_volumes import SHARED_DRIVER
from windlass.apis.snapshot_storage_v1 import (
    BOUND_PROTECTION,
    CONTENT_PROTECTION,
    DEFAULT_CLASS,
    GROUP,
    SnapshotError,
    VolumeSnapshot,
    VolumeSnapshotClass,
    VolumeSnapshotContent,
    VolumeSnapshotStatus,
)
from windlass.kube.controller import Controller, Key, Matching, Observed
from windlass.kube.json import dig, timestamp
from windlass.kube.plan import CreateUnowned, Delete, Event, Patch, Plan
from windlass.kube.quantity import Quantity

_NANOSECONDS = 1_000_000_000


def reconcile(snapshot: VolumeSnapshot, observed: Observed) -> Plan:
    if snapshot.metadata.deletion_timestamp is not None:
        return _deleted(snapshot, observed)
    finalizers = snapshot.metadata.finalizers
    if BOUND_PROTECTION not in finalizers:
        return Plan([Patch(snapshot, {"metadata": {"finalizers": [*finalizers, BOUND_PROTECTION]}})])
    content = observed.one(VolumeSnapshotContent, content_name(snapshot))
    if snapshot.spec.source.volume_snapshot_content_name:
        return _existing(snapshot, content, observed)
    return _mirrored(snapshot, content) if content is not None else _dynamic(snapshot, observed)


def content_name(snapshot: VolumeSnapshot) -> str:
    return snapshot.spec.source.volume_snapshot_content_name or f"snapcontent-{snapshot.metadata.uid}"


def _deleted(snapshot: VolumeSnapshot, observed: Observed) -> Plan:
    if BOUND_PROTECTION not in snapshot.metadata.finalizers:
        return Plan()
    content = observed.one(VolumeSnapshotContent, content_name(snapshot))
    if content is not None and content.spec.volume_snapshot_ref.uid == snapshot.metadata.uid:
        if content.metadata.deletion_timestamp is not None:
            return Plan()
        if content.spec.deletion_policy == "Delete":
            return Plan([Delete(content)])
    kept = [each for each in snapshot.metadata.finalizers if each != BOUND_PROTECTION]
    return Plan([Patch(snapshot, {"metadata": {"finalizers": kept}})])


# --- the content


def _existing(snapshot: VolumeSnapshot, content: VolumeSnapshotContent | None, observed: Observed) -> Plan:
    """Bind to content that an administrator created for this snapshot, by name."""
    name = content_name(snapshot)
    if content is None:
        return _failed(snapshot, observed, "SnapshotContentMissing", f'VolumeSnapshotContent "{name}" is missing')
    ref = content.spec.volume_snapshot_ref
    if (ref.namespace, ref.name) != (snapshot.metadata.namespace, snapshot.metadata.name):
        why = f'VolumeSnapshotContent "{name}" is bound to a different snapshot'
        return _failed(snapshot, observed, "SnapshotContentMisbound", why)
    if not ref.uid:
        return Plan([Patch(content, {"spec": {"volumeSnapshotRef": {"uid": snapshot.metadata.uid}}})])
    if ref.uid != snapshot.metadata.uid:
        why = f'VolumeSnapshotContent "{name}" is bound to a different snapshot'
        return _failed(snapshot, observed, "SnapshotContentMisbound", why)
    return _mirrored(snapshot, content)


def _dynamic(snapshot: VolumeSnapshot, observed: Observed) -> Plan:
    claim_name = snapshot.spec.source.persistent_volume_claim_name or ""
    claim = observed.one(PersistentVolumeClaim, claim_name, snapshot.metadata.namespace)
    reason = "SnapshotContentCreationFailed"
    if claim is None:
        return _failed(snapshot, observed, reason, f'PersistentVolumeClaim "{claim_name}" not found')
    volume = observed.one(PersistentVolume, claim.spec.volume_name) if claim.status.phase == "Bound" else None
    if volume is None:
        return _failed(snapshot, observed, reason, f'PersistentVolumeClaim "{claim_name}" is not bound')
    driver = str(dig(volume.spec, "csi", "driver") or "")
    if driver != SHARED_DRIVER:
        why = f'volumes of the class "{volume.spec.get("storageClassName")}" have no snapshots: use windlass-shared'
        return _failed(snapshot, observed, reason, why)
    by = _class(snapshot, driver, observed)
    if by is None:
        name = snapshot.spec.volume_snapshot_class_name
        why = f'VolumeSnapshotClass "{name}" not found' if name else f"no default VolumeSnapshotClass for {driver}"
        return _failed(snapshot, observed, "GetSnapshotClassFailed", why)
    if by.driver != driver:
        why = f'VolumeSnapshotClass "{by.metadata.name}" is of the driver {by.driver}, the volume of {driver}'
        return _failed(snapshot, observed, reason, why)
    if snapshot.spec.volume_snapshot_class_name is None:
        return Plan([Patch(snapshot, {"spec": {"volumeSnapshotClassName": by.metadata.name}})])
    message = (
        f"Waiting for a snapshot {snapshot.metadata.namespace}/{snapshot.metadata.name} to be created by the node."
    )
    content = _content(snapshot, by, volume)
    return Plan([CreateUnowned(content)], events=[Event(reason="CreatingSnapshot", message=message)])


def _class(snapshot: VolumeSnapshot, driver: str, observed: Observed) -> VolumeSnapshotClass | None:
    if snapshot.spec.volume_snapshot_class_name:
        return observed.one(VolumeSnapshotClass, snapshot.spec.volume_snapshot_class_name)
    defaults = [
        each
        for each in observed.all(VolumeSnapshotClass)
        if each.driver == driver and each.metadata.annotations.get(DEFAULT_CLASS) == "true"
    ]
    return min(defaults, key=lambda each: each.metadata.name, default=None)


def _content(snapshot: VolumeSnapshot, by: VolumeSnapshotClass, volume: PersistentVolume) -> Json:
    metadata = snapshot.metadata
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "VolumeSnapshotContent",
        "metadata": {"name": content_name(snapshot), "finalizers": [CONTENT_PROTECTION]},
        "spec": {
            "deletionPolicy": by.deletion_policy,
            "driver": by.driver,
            "source": {"volumeHandle": str(dig(volume.spec, "csi", "volumeHandle"))},
            "sourceVolumeMode": "Filesystem",
            "volumeSnapshotClassName": by.metadata.name,
            "volumeSnapshotRef": {
                "apiVersion": f"{GROUP}/v1",
                "kind": "VolumeSnapshot",
                "namespace": metadata.namespace,
                "name": metadata.name,
                "uid": metadata.uid,
                "resourceVersion": metadata.resource_version,
            },
        },
    }


# --- the status


def _mirrored(snapshot: VolumeSnapshot, content: VolumeSnapshotContent) -> Plan:
    """Show on the snapshot what the content says."""
    found, before = content.status, snapshot.status
    if content.metadata.deletion_timestamp is not None:
        found = type(found)(ready_to_use=False, error=SnapshotError(message="the content is being deleted"))
    at = found.creation_time
    status = VolumeSnapshotStatus(
        bound_volume_snapshot_content_name=content.metadata.name,
        creation_time=timestamp(datetime.fromtimestamp(at // _NANOSECONDS, UTC)) if at else before.creation_time,
        ready_to_use=bool(found.ready_to_use),
        restore_size=before.restore_size if found.restore_size is None else str(_size(found.restore_size)),
        error=found.error,
    )
    events = list[Event]()
    if status.ready_to_use and not before.ready_to_use:
        where = f"{snapshot.metadata.namespace}/{snapshot.metadata.name}"
        events.append(Event(reason="SnapshotReady", message=f"Snapshot {where} is ready to use."))
    if found.error is not None and (before.error is None or before.error.message != found.error.message):
        events.append(
            Event(reason="SnapshotCreationFailed", message=found.error.message or "unknown error", warning=True)
        )
    return Plan(status=status, events=events)


def _size(count: int) -> Quantity:
    """The unit of the volume's own size where it is whole: 1Gi rather than 1073741824."""
    for suffix, factor in (("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10)):
        if count and count % factor == 0:
            return Quantity.parse(f"{count // factor}{suffix}")
    return Quantity.parse(str(count))


def _failed(snapshot: VolumeSnapshot, observed: Observed, reason: str, message: str) -> Plan:
    before = snapshot.status.error
    if before is not None and before.message == message:
        return Plan()
    status = VolumeSnapshotStatus(
        ready_to_use=False, error=SnapshotError(time=timestamp(observed.now), message=message)
    )
    return Plan(status=status, events=[Event(reason=reason, message=message, warning=True)])


# --- what causes another reconcile


def _of_content(content: VolumeSnapshotContent) -> list[Key]:
    ref = content.spec.volume_snapshot_ref
    return [Key(ref.namespace, ref.name)] if ref.namespace and ref.name else []


def _is_of_claim(snapshot: VolumeSnapshot, claim: PersistentVolumeClaim) -> bool:
    waits = not snapshot.status.bound_volume_snapshot_content_name
    return waits and snapshot.spec.source.persistent_volume_claim_name == claim.metadata.name


def _waits_for_class(snapshot: VolumeSnapshot, _: VolumeSnapshotClass) -> bool:
    return not snapshot.status.bound_volume_snapshot_content_name


def _nothing(_: PersistentVolume) -> list[Key]:
    """Volumes are only read: a binding shows on the claim."""
    return []


CONTROLLER = Controller(
    "snapshot-controller",
    VolumeSnapshot,
    reconcile,
    watches=[
        (VolumeSnapshotContent, _of_content),
        (PersistentVolumeClaim, Matching(_is_of_claim)),
        (VolumeSnapshotClass, Matching(_waits_for_class)),
        (PersistentVolume, _nothing),
    ],
)
