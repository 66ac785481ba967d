"""snapshot.storage.k8s.io/v1: snapshots of volumes."""

from typing import Literal

from windlass.apis.fields import Moment
from windlass.kube.kind import Column, kind
from windlass.kube.meta import Object, Struct

GROUP = "snapshot.storage.k8s.io"
DEFAULT_CLASS = "snapshot.storage.kubernetes.io/is-default-class"
BOUND_PROTECTION = "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection"
CONTENT_PROTECTION = "snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection"

DeletionPolicy = Literal["Delete", "Retain"]


class SnapshotError(Struct):
    """The last error, until a later attempt succeeds."""

    time: Moment | None = None
    message: str | None = None


class VolumeSnapshotSource(Struct):
    """Exactly one of: a claim of the namespace to take a snapshot of, or existing content to bind to."""

    persistent_volume_claim_name: str | None = None
    volume_snapshot_content_name: str | None = None


class VolumeSnapshotSpec(Struct):
    source: VolumeSnapshotSource
    volume_snapshot_class_name: str | None = None


class VolumeSnapshotStatus(Struct):
    """Observed state, written by the controller."""

    bound_volume_snapshot_content_name: str | None = None
    creation_time: Moment | None = None
    ready_to_use: bool | None = None
    restore_size: str | None = None
    error: SnapshotError | None = None


@kind(
    f"{GROUP}/v1",
    plural="volumesnapshots",
    short=("vs",),
    columns=(
        Column("ReadyToUse", ".status.readyToUse", "boolean"),
        Column("SourcePVC", ".spec.source.persistentVolumeClaimName"),
        Column("SourceSnapshotContent", ".spec.source.volumeSnapshotContentName"),
        Column("RestoreSize", ".status.restoreSize"),
        Column("SnapshotClass", ".spec.volumeSnapshotClassName"),
        Column("SnapshotContent", ".status.boundVolumeSnapshotContentName"),
        Column("CreationTime", ".status.creationTime", "date"),
        Column("Age", ".metadata.creationTimestamp", "date"),
    ),
)
class VolumeSnapshot(Object):
    """A user's request for a snapshot of a claim's volume."""

    spec: VolumeSnapshotSpec
    status: VolumeSnapshotStatus = VolumeSnapshotStatus()


class VolumeSnapshotContentSource(Struct):
    """Exactly one of: the volume to take a snapshot of, or an existing snapshot."""

    volume_handle: str | None = None
    snapshot_handle: str | None = None


class SnapshotReference(Struct):
    api_version: str | None = None
    kind: str | None = None
    namespace: str | None = None
    name: str | None = None
    uid: str | None = None
    resource_version: str | None = None
    field_path: str | None = None


class VolumeSnapshotContentSpec(Struct):
    deletion_policy: DeletionPolicy
    driver: str
    source: VolumeSnapshotContentSource
    volume_snapshot_ref: SnapshotReference
    source_volume_mode: str | None = None
    volume_snapshot_class_name: str | None = None


class VolumeSnapshotContentStatus(Struct):
    """Observed state, written by the driver: sizes in bytes, the time in nanoseconds since 1970."""

    creation_time: int | None = None
    ready_to_use: bool | None = None
    restore_size: int | None = None
    snapshot_handle: str | None = None
    error: SnapshotError | None = None


@kind(
    f"{GROUP}/v1",
    plural="volumesnapshotcontents",
    short=("vsc", "vscs"),
    namespaced=False,
    columns=(
        Column("ReadyToUse", ".status.readyToUse", "boolean"),
        Column("RestoreSize", ".status.restoreSize", "integer"),
        Column("DeletionPolicy", ".spec.deletionPolicy"),
        Column("Driver", ".spec.driver"),
        Column("VolumeSnapshotClass", ".spec.volumeSnapshotClassName"),
        Column("VolumeSnapshot", ".spec.volumeSnapshotRef.name"),
        Column("VolumeSnapshotNamespace", ".spec.volumeSnapshotRef.namespace"),
        Column("Age", ".metadata.creationTimestamp", "date"),
    ),
)
class VolumeSnapshotContent(Object):
    """A snapshot as its driver keeps it."""

    spec: VolumeSnapshotContentSpec
    status: VolumeSnapshotContentStatus = VolumeSnapshotContentStatus()


@kind(
    f"{GROUP}/v1",
    plural="volumesnapshotclasses",
    short=("vsclass", "vsclasses"),
    namespaced=False,
    status=False,
    columns=(
        Column("Driver", ".driver"),
        Column("DeletionPolicy", ".deletionPolicy"),
        Column("Age", ".metadata.creationTimestamp", "date"),
    ),
)
class VolumeSnapshotClass(Object):
    """How a driver takes snapshots, and whether they are deleted with their VolumeSnapshot."""

    driver: str
    deletion_policy: DeletionPolicy
    parameters: dict[str, str] = {}
