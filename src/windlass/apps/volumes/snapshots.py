"""Definitions and default class of snapshots; a cluster brings its own, and their controllers."""

from windlass.apis.app import Provided
from windlass.apis.crd import definition
from windlass.apis.local_volumes import SHARED_CLASS, SHARED_DRIVER
from windlass.apis.snapshot_storage_v1 import (
    DEFAULT_CLASS,
    GROUP,
    VolumeSnapshot,
    VolumeSnapshotClass,
    VolumeSnapshotContent,
)
from windlass.kube.json import Object

_APPROVED = "api-approved.kubernetes.io"
_SNAPSHOT_RULE = "has(self.persistentVolumeClaimName) != has(self.volumeSnapshotContentName)"
_CONTENT_RULE = "has(self.volumeHandle) != has(self.snapshotHandle)"


def definitions() -> list[Object]:
    """Return the definitions, ready to create: a snapshot has one source, which does not change."""
    snapshot, content = definition(VolumeSnapshot), definition(VolumeSnapshotContent)
    one_of = {
        "volumesnapshots": (snapshot, _SNAPSHOT_RULE, "persistentVolumeClaimName and volumeSnapshotContentName"),
        "volumesnapshotcontents": (content, _CONTENT_RULE, "volumeHandle and snapshotHandle"),
    }
    for made, rule, names in one_of.values():
        schema = made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        schema["properties"]["spec"]["properties"]["source"]["x-kubernetes-validations"] = [
            {"rule": rule, "message": f"exactly one of {names} must be set"},
            {"rule": "self == oldSelf", "message": "source is immutable"},
        ]
    made = [snapshot, content, definition(VolumeSnapshotClass)]
    for each in made:
        each["metadata"]["annotations"] = {_APPROVED: "https://github.com/kubernetes-csi/external-snapshotter/pull/814"}
    return made


def provided() -> list[Provided]:
    """Return the class of the snapshots of `windlass-shared` volumes, which is the default."""
    made: Object = {
        "apiVersion": f"{GROUP}/v1",
        "kind": "VolumeSnapshotClass",
        "metadata": {"name": SHARED_CLASS, "annotations": {DEFAULT_CLASS: "true"}},
        "driver": SHARED_DRIVER,
        "deletionPolicy": "Delete",
    }
    return [Provided(obj=made)]
