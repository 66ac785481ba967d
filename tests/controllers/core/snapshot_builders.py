"""Snapshots and what else their controller looks at: each builder takes only what a test is about."""

from typing import Any

from tests.controllers.core.volume_builders import a_class, a_volume
from windlass.apis.core_v1 import PersistentVolume
from windlass.apis.local_volumes import SHARED_DRIVER
from windlass.apis.snapshot_storage_v1 import (
    BOUND_PROTECTION,
    DEFAULT_CLASS,
    DeletionPolicy,
    SnapshotReference,
    VolumeSnapshot,
    VolumeSnapshotClass,
    VolumeSnapshotContent,
    VolumeSnapshotContentSource,
    VolumeSnapshotContentSpec,
    VolumeSnapshotContentStatus,
    VolumeSnapshotSource,
    VolumeSnapshotSpec,
    VolumeSnapshotStatus,
)
from windlass.apis.storage_v1 import StorageClass
from windlass.kube.meta import ObjectMeta

BOUND_NAME = "snapcontent-s-uid"


def a_shared_class() -> StorageClass:
    return a_class("windlass-shared", SHARED_DRIVER, allow_volume_expansion=True)


def a_shared_volume(name: str = "pvc-old", driver: str = SHARED_DRIVER) -> PersistentVolume:
    return a_volume(name, phase="Bound", csi={"driver": driver, "volumeHandle": name}, hostPath=None)


def a_snapshot(
    *, claim: str = "old", content: str = "", by: str | None = "windlass-shared", ready: bool = False, **metadata: Any
) -> VolumeSnapshot:
    source = (
        VolumeSnapshotSource(volume_snapshot_content_name=content)
        if content
        else VolumeSnapshotSource(persistent_volume_claim_name=claim)
    )
    status = VolumeSnapshotStatus(
        bound_volume_snapshot_content_name=content or BOUND_NAME, ready_to_use=True, restore_size="1Gi"
    )
    named = {"name": "s", "namespace": "n", "uid": "s-uid", "resource_version": "3", "finalizers": [BOUND_PROTECTION]}
    return VolumeSnapshot(
        metadata=ObjectMeta(**{**named, **metadata}),
        spec=VolumeSnapshotSpec(source=source, volume_snapshot_class_name=by),
        status=status if ready else VolumeSnapshotStatus(),
    )


def a_content(
    name: str = BOUND_NAME,
    *,
    ready: bool = False,
    of: str | None = "s-uid",
    driver: str = SHARED_DRIVER,
    policy: DeletionPolicy = "Delete",
    **metadata: Any,
) -> VolumeSnapshotContent:
    return VolumeSnapshotContent(
        metadata=ObjectMeta(**{"name": name, "uid": f"{name}-uid", **metadata}),
        spec=VolumeSnapshotContentSpec(
            deletion_policy=policy,
            driver=driver,
            source=VolumeSnapshotContentSource(volume_handle="pvc-old"),
            volume_snapshot_ref=SnapshotReference(namespace="n", name="s", uid=of),
        ),
        status=VolumeSnapshotContentStatus(
            creation_time=1_700_000_000_000_000_000,
            ready_to_use=True,
            restore_size=1 << 30,
            snapshot_handle="snapshot-1",
        )
        if ready
        else VolumeSnapshotContentStatus(),
    )


def a_snapshot_class(name: str = "windlass-shared", driver: str = SHARED_DRIVER) -> VolumeSnapshotClass:
    return VolumeSnapshotClass(
        metadata=ObjectMeta(name=name, annotations={DEFAULT_CLASS: "true"}), driver=driver, deletion_policy="Delete"
    )
