"""The volumes that Windlass' own classes make for claims: folders of a node.

`local-path` has the limits of the provisioner whose name it has; `windlass-shared` can be mounted by many pods, grow,
and be copied from a snapshot or from another claim.
"""

from typing import NamedTuple

from windlass.apis.core_v1 import Json, PersistentVolumeClaim
from windlass.apis.local_volumes import (
    FOLDER_FINALIZER,
    LOCAL_PATH_CLASS,
    LOCAL_PATH_DRIVER,
    LOCAL_PATH_PROVISIONER,
    OLD_LOCAL_PATH_PROVISIONER,
    SHARED_CLASS,
    SHARED_DRIVER,
    SOURCE_ATTRIBUTE,
    STANDARD_CLASS,
    Source,
)
from windlass.apis.storage_v1 import CSIDriver, StorageClass
from windlass.apis.wellknown import DEFAULT_STORAGE_CLASS_ANNOTATION, HOSTNAME_LABEL, PV_PROTECTION_FINALIZER
from windlass.controllers.core.volume_matching import asked, mode_of
from windlass.kube.meta import ObjectMeta

PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"


class Provisioner(NamedTuple):
    """What the volumes of a provisioner can do."""

    driver: str
    access_modes: frozenset[str]
    has_sources: bool


_LOCAL_PATH = Provisioner(LOCAL_PATH_DRIVER, frozenset({"ReadWriteOnce", "ReadWriteOncePod"}), has_sources=False)
PROVISIONERS = {
    LOCAL_PATH_PROVISIONER: _LOCAL_PATH,
    OLD_LOCAL_PATH_PROVISIONER: _LOCAL_PATH,
    SHARED_DRIVER: Provisioner(
        SHARED_DRIVER,
        frozenset({"ReadWriteOnce", "ReadWriteOncePod", "ReadWriteMany", "ReadOnlyMany"}),
        has_sources=True,
    ),
}
CLASSES = (
    StorageClass(
        metadata=ObjectMeta(name=LOCAL_PATH_CLASS, annotations={DEFAULT_STORAGE_CLASS_ANNOTATION: "true"}),
        provisioner=LOCAL_PATH_PROVISIONER,
        reclaim_policy="Delete",
        volume_binding_mode="WaitForFirstConsumer",
        allow_volume_expansion=False,
    ),
    StorageClass(
        metadata=ObjectMeta(name=STANDARD_CLASS),
        provisioner=LOCAL_PATH_PROVISIONER,
        reclaim_policy="Delete",
        volume_binding_mode="WaitForFirstConsumer",
        allow_volume_expansion=False,
    ),
    StorageClass(
        metadata=ObjectMeta(name=SHARED_CLASS),
        provisioner=SHARED_DRIVER,
        reclaim_policy="Delete",
        volume_binding_mode="Immediate",
        allow_volume_expansion=True,
    ),
)
CSI_DRIVERS = tuple(
    CSIDriver(
        metadata=ObjectMeta(name=driver),
        spec={"attachRequired": False, "podInfoOnMount": False, "volumeLifecycleModes": ["Persistent"]},
    )
    for driver in dict.fromkeys(provisioner.driver for provisioner in PROVISIONERS.values())
)


def refusal(claim: PersistentVolumeClaim, provisioner: str) -> str:
    """Return what the provisioner's volumes cannot do for the claim; empty if they can do all."""
    able = PROVISIONERS[provisioner]
    if mode_of(claim.spec.volume_mode) != "Filesystem":
        return f'{provisioner} does not support volumeMode "{claim.spec.volume_mode}"'
    if claim.spec.selector is not None:
        return "claim Selector is not supported"
    # `train` of Kubeflow's training SDK wants both modes. A volume of one node has all its readers on that node.
    is_written_once = "ReadWriteOnce" in claim.spec.access_modes
    served = able.access_modes | {"ReadOnlyMany"} if is_written_once else able.access_modes
    others = [mode for mode in claim.spec.access_modes if mode not in served]
    if others:
        known = " and ".join(sorted(able.access_modes))
        return f"{provisioner} only supports the access modes {known}, not {', '.join(others)}: use {SHARED_CLASS}"
    if not able.has_sources and (claim.spec.data_source is not None or claim.spec.data_source_ref is not None):
        return f"{provisioner} does not support dataSource: use {SHARED_CLASS}"
    return ""


def provisioned(claim: PersistentVolumeClaim, by: StorageClass, node: str, source: Source | None = None) -> Json:
    name = f"pvc-{claim.metadata.uid}"
    on_node: Json = {"key": HOSTNAME_LABEL, "operator": "In", "values": [node]}
    csi: Json = {"driver": PROVISIONERS[by.provisioner].driver, "volumeHandle": name}
    if source is not None:
        csi["volumeAttributes"] = {SOURCE_ATTRIBUTE: str(source)}
    spec: Json = {
        "accessModes": claim.spec.access_modes,
        "capacity": {"storage": str(asked(claim))},
        "claimRef": reference(claim),
        "csi": csi,
        "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [on_node]}]}},
        "persistentVolumeReclaimPolicy": by.reclaim_policy or "Delete",
        "storageClassName": by.metadata.name,
        "volumeMode": "Filesystem",
    }
    if by.mount_options:
        spec["mountOptions"] = by.mount_options
    metadata: Json = {
        "name": name,
        "annotations": {PROVISIONED_BY: by.provisioner},
        "finalizers": [PV_PROTECTION_FINALIZER, FOLDER_FINALIZER],
    }
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata, "spec": spec}


def reference(claim: PersistentVolumeClaim) -> Json:
    metadata = claim.metadata
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "namespace": metadata.namespace,
        "name": metadata.name,
        "uid": metadata.uid,
        "resourceVersion": metadata.resource_version,
    }
