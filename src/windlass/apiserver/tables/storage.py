"""The columns of volumes, claims, their classes and the CSI kinds."""

from datetime import datetime

from windlass.apiserver.resources import Column
from windlass.apiserver.tables.cells import AGE, NAME, Cell, at, count, flag, shown, text, wide
from windlass.kube.json import Object, dig, dig_list

_MODES = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}


def _access_modes(*path: str) -> Cell:
    def cell(obj: Object, now: datetime) -> str:
        modes = dig_list(obj, *path)
        return ",".join(short for mode, short in _MODES.items() if mode in modes)

    return cell


def _phase(obj: Object, now: datetime) -> str:
    return "Terminating" if obj["metadata"].get("deletionTimestamp") else dig(obj, "status", "phase") or ""


def _storage_class(obj: Object, now: datetime) -> str:
    legacy = dig(obj, "metadata", "annotations", "volume.beta.kubernetes.io/storage-class")
    return legacy if legacy is not None else dig(obj, "spec", "storageClassName") or ""


def _claim(volume: Object, now: datetime) -> str:
    claim = dig(volume, "spec", "claimRef")
    return f"{claim.get('namespace', '')}/{claim.get('name', '')}" if claim else ""


PERSISTENT_VOLUME = (
    NAME,
    text("Capacity", lambda obj, now: str(dig(obj, "spec", "capacity", "storage") or 0), "How much it holds."),
    text("Access Modes", _access_modes("spec", "accessModes"), "How it may be mounted."),
    text("Reclaim Policy", at("spec", "persistentVolumeReclaimPolicy"), "What becomes of it when it is released."),
    text("Status", _phase, "Whether it is bound."),
    text("Claim", _claim, "The claim that it is bound to."),
    text("StorageClass", _storage_class, "StorageClass of the pv"),
    text("VolumeAttributesClass", shown("spec", "volumeAttributesClassName"), "VolumeAttributesClass of the pv"),
    text("Reason", at("status", "reason"), "Why it is in this state."),
    AGE,
    wide("VolumeMode", shown("spec", "volumeMode"), "Whether it is a file system or a block device."),
)


def _when_bound(cell: Cell) -> Cell:
    return lambda obj, now: cell(obj, now) if dig(obj, "spec", "volumeName") else ""


def _claim_capacity(claim: Object, now: datetime) -> str:
    return str(dig(claim, "status", "capacity", "storage") or 0)


PERSISTENT_VOLUME_CLAIM = (
    NAME,
    text("Status", _phase, "Whether it is bound."),
    text("Volume", at("spec", "volumeName"), "The volume that it is bound to."),
    text("Capacity", _when_bound(_claim_capacity), "How much its volume holds."),
    text("Access Modes", _when_bound(_access_modes("status", "accessModes")), "How its volume may be mounted."),
    text("StorageClass", _storage_class, "StorageClass of the pvc"),
    text("VolumeAttributesClass", shown("spec", "volumeAttributesClassName"), "VolumeAttributesClass of the pvc"),
    AGE,
    wide("VolumeMode", shown("spec", "volumeMode"), "Whether it is a file system or a block device."),
)


def _name_with_default(*annotations: str) -> Column:
    def cell(obj: Object, now: datetime) -> str:
        is_default = any(dig(obj, "metadata", "annotations", key) == "true" for key in annotations)
        return f"{NAME.cell(obj, now)} (default)" if is_default else NAME.cell(obj, now)

    return Column(NAME.name, cell, NAME.type, NAME.format, NAME.description)


STORAGE_CLASS = (
    _name_with_default(
        "storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"
    ),
    text("Provisioner", at("provisioner"), "Who makes its volumes."),
    text("ReclaimPolicy", at("reclaimPolicy", default="Delete"), "What becomes of its volumes when they are released."),
    text("VolumeBindingMode", at("volumeBindingMode", default="Immediate"), "When a claim is bound to a volume."),
    text("AllowVolumeExpansion", at("allowVolumeExpansion", default=False), "Whether a claim may grow."),
    AGE,
)
VOLUME_ATTRIBUTES_CLASS = (
    _name_with_default("volumeattributesclass.alpha.kubernetes.io/is-default-class"),
    text("DriverName", at("driverName"), "The CSI driver that understands its parameters."),
    AGE,
)
VOLUME_ATTACHMENT = (
    NAME,
    Column("Attacher", at("spec", "attacher"), "string", "name", "The driver that attaches the volume."),
    text("PV", at("spec", "source", "persistentVolumeName"), "The volume to attach."),
    text("Node", at("spec", "nodeName"), "The node to attach it to."),
    flag("Attached", at("status", "attached", default=False), "Whether it is attached."),
    AGE,
)


def _audiences(driver: Object, now: datetime) -> str:
    requests = dig(driver, "spec", "tokenRequests")
    return "<unset>" if requests is None else ",".join(request.get("audience", "") for request in requests)


CSI_DRIVER = (
    NAME,
    flag("AttachRequired", shown("spec", "attachRequired", default=True), "Whether volumes need attaching."),
    flag("PodInfoOnMount", at("spec", "podInfoOnMount", default=False), "Whether it is told of the pod."),
    flag("StorageCapacity", at("spec", "storageCapacity", default=False), "Whether it reports its capacity."),
    text("TokenRequests", _audiences, "The audiences of the tokens that it is given."),
    flag("RequiresRepublish", at("spec", "requiresRepublish", default=False), "Whether it is called repeatedly."),
    text("Modes", lambda obj, now: ",".join(dig_list(obj, "spec", "volumeLifecycleModes")) or "<none>"),
    AGE,
)
CSI_NODE = (
    NAME,
    Column("Drivers", count("spec", "drivers"), "integer", "", "The number of CSI drivers registered on the node"),
    AGE,
)
CSI_STORAGE_CAPACITY = (
    NAME,
    text("StorageClassName", at("storageClassName"), "The class that the capacity is of."),
    text("Capacity", lambda obj, now: str(shown("capacity")(obj, now)), "How much can still be made."),
)
