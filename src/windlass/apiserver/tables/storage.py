"""The columns of volumes, claims, their classes and the CSI kinds."""

from datetime import datetime

from windlass.apis.wellknown import BETA_STORAGE_CLASS_ANNOTATION, DEFAULT_STORAGE_CLASS_ANNOTATION
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
    legacy = dig(obj, "metadata", "annotations", BETA_STORAGE_CLASS_ANNOTATION)
    return legacy if legacy is not None else dig(obj, "spec", "storageClassName") or ""


def _claim(volume: Object, now: datetime) -> str:
    claim = dig(volume, "spec", "claimRef")
    return f"{claim.get('namespace', '')}/{claim.get('name', '')}" if claim else ""


PERSISTENT_VOLUME = (
    NAME,
    text("Capacity", lambda obj, now: str(dig(obj, "spec", "capacity", "storage") or 0), "The capacity of the volume."),
    text("Access Modes", _access_modes("spec", "accessModes"), "The access modes of the volume."),
    text("Reclaim Policy", at("spec", "persistentVolumeReclaimPolicy"), "The reclaim policy of the volume."),
    text("Status", _phase, "The phase."),
    text("Claim", _claim, "The bound claim."),
    text("StorageClass", _storage_class, "StorageClass of the pv"),
    text("VolumeAttributesClass", shown("spec", "volumeAttributesClassName"), "VolumeAttributesClass of the pv"),
    text("Reason", at("status", "reason"), "The reason of the state."),
    AGE,
    wide("VolumeMode", shown("spec", "volumeMode"), "The volume mode: Filesystem or Block."),
)


def _when_bound(cell: Cell) -> Cell:
    return lambda obj, now: cell(obj, now) if dig(obj, "spec", "volumeName") else ""


def _claim_capacity(claim: Object, now: datetime) -> str:
    return str(dig(claim, "status", "capacity", "storage") or 0)


PERSISTENT_VOLUME_CLAIM = (
    NAME,
    text("Status", _phase, "The phase."),
    text("Volume", at("spec", "volumeName"), "The bound volume."),
    text("Capacity", _when_bound(_claim_capacity), "The capacity of the bound volume."),
    text("Access Modes", _when_bound(_access_modes("status", "accessModes")), "The access modes of the bound volume."),
    text("StorageClass", _storage_class, "StorageClass of the pvc"),
    text("VolumeAttributesClass", shown("spec", "volumeAttributesClassName"), "VolumeAttributesClass of the pvc"),
    AGE,
    wide("VolumeMode", shown("spec", "volumeMode"), "The volume mode: Filesystem or Block."),
)


def _name_with_default(*annotations: str) -> Column:
    def cell(obj: Object, now: datetime) -> str:
        is_default = any(dig(obj, "metadata", "annotations", key) == "true" for key in annotations)
        return f"{NAME.cell(obj, now)} (default)" if is_default else NAME.cell(obj, now)

    return Column(NAME.name, cell, NAME.type, NAME.format, NAME.description)


STORAGE_CLASS = (
    _name_with_default(DEFAULT_STORAGE_CLASS_ANNOTATION, "storageclass.beta.kubernetes.io/is-default-class"),
    text("Provisioner", at("provisioner"), "The provisioner of the volumes."),
    text("ReclaimPolicy", at("reclaimPolicy", default="Delete"), "The reclaim policy of the volumes."),
    text(
        "VolumeBindingMode",
        at("volumeBindingMode", default="Immediate"),
        "When a claim is bound to a volume: Immediate or WaitForFirstConsumer.",
    ),
    text("AllowVolumeExpansion", at("allowVolumeExpansion", default=False), "Whether claims can be expanded."),
    AGE,
)
VOLUME_ATTRIBUTES_CLASS = (
    _name_with_default("volumeattributesclass.alpha.kubernetes.io/is-default-class"),
    text("DriverName", at("driverName"), "The CSI driver of the class."),
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
    flag("AttachRequired", shown("spec", "attachRequired", default=True), "Whether volumes must be attached."),
    flag(
        "PodInfoOnMount",
        at("spec", "podInfoOnMount", default=False),
        "Whether the driver gets information about the pod on mount.",
    ),
    flag(
        "StorageCapacity", at("spec", "storageCapacity", default=False), "Whether the driver reports storage capacity."
    ),
    text("TokenRequests", _audiences, "The audiences of the driver's tokens."),
    flag(
        "RequiresRepublish",
        at("spec", "requiresRepublish", default=False),
        "Whether the driver is called periodically.",
    ),
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
    text("StorageClassName", at("storageClassName"), "The StorageClass of the capacity."),
    text("Capacity", lambda obj, now: str(shown("capacity")(obj, now)), "The available capacity."),
)
