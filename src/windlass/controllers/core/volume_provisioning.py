"""The volumes that Windlass' own classes make for claims: folders of a node.

`local-path` has the limits of the provisioner whose name it has; `windlass-shared` can be mounted by many pods, grow,
and be copied from a snapshot or from another claim.
"""

from windlass.apis.core_v1 import Json, PersistentVolumeClaim
from windlass.apis.local_provisioners import PROVISIONERS, Unsupported, provisioner_of, unsupported
from windlass.apis.local_volumes import (
    FOLDER_FINALIZER,
    LOCAL_PATH_CLASS,
    LOCAL_PATH_PROVISIONER,
    SHARED_CLASS,
    SHARED_DRIVER,
    SOURCE_ATTRIBUTE,
    STANDARD_CLASS,
    Source,
)
from windlass.apis.storage_v1 import CSIDriver, StorageClass
from windlass.apis.wellknown import DEFAULT_STORAGE_CLASS_ANNOTATION, HOSTNAME_LABEL, PV_PROTECTION_FINALIZER
from windlass.controllers.core.volume_matching import asked, requirements_of_claim
from windlass.kube.meta import ObjectMeta

MAX_FOLDER_NAME = 200
"""File systems allow 255; temporary copies have longer names. The uid comes first, so a cut name is unique."""
PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"


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


def refusal(claim: PersistentVolumeClaim, by: StorageClass) -> str:
    """The reason for which the class cannot make a volume for the claim; empty if it can."""
    able = provisioner_of(by.metadata.name, by.provisioner)
    match unsupported(requirements_of_claim(claim), able):
        case None:
            return ""
        case Unsupported("volumeMode", (mode, *_)):
            return f'{by.provisioner} does not support volumeMode "{mode}"'
        case Unsupported("accessModes", modes):
            known = " and ".join(sorted(able.access_modes))
            return (
                f"{by.provisioner} only supports the access modes {known}, not {', '.join(modes)}: use {SHARED_CLASS}"
            )
        case Unsupported("dataSource"):
            return f"{by.provisioner} does not support dataSource: use {SHARED_CLASS}"
        case _:
            return "claim Selector is not supported"


def provisioned(claim: PersistentVolumeClaim, by: StorageClass, node: str, source: Source | None = None) -> Json:
    name = f"pvc-{claim.metadata.uid}"
    on_node: Json = {"key": HOSTNAME_LABEL, "operator": "In", "values": [node]}
    csi: Json = {"driver": PROVISIONERS[by.provisioner].driver, "volumeHandle": folder_of(claim)}
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


def folder_of(claim: PersistentVolumeClaim) -> str:
    """The folder of a new volume, named as rancher's local-path provisioner does; it is the volume's handle."""
    metadata = claim.metadata
    return f"pvc-{metadata.uid}_{metadata.namespace}_{metadata.name}"[:MAX_FOLDER_NAME]


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
