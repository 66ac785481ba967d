"""The volume that the class `local-path` makes for a claim: a folder on the node that its first consumer is on."""

from windlass.apis.core_v1 import Json, PersistentVolumeClaim
from windlass.apis.storage_v1 import CSIDriver, StorageClass
from windlass.controllers.core.volume_matching import DEFAULT_CLASS, asked, mode_of
from windlass.kube.meta import ObjectMeta

PROVISIONER = "windlass.dev/local-path"
DRIVER = "local-path.windlass.dev"
FOLDER = "local-path.windlass.dev/folder"
PROTECTION = "kubernetes.io/pv-protection"
PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"

LOCAL_PATH = StorageClass(
    metadata=ObjectMeta(name="local-path", annotations={DEFAULT_CLASS: "true"}),
    provisioner=PROVISIONER,
    reclaim_policy="Delete",
    volume_binding_mode="WaitForFirstConsumer",
    allow_volume_expansion=True,
)
CSI_DRIVER = CSIDriver(
    metadata=ObjectMeta(name=DRIVER),
    spec={"attachRequired": False, "podInfoOnMount": False, "volumeLifecycleModes": ["Persistent"]},
)


def refusal(claim: PersistentVolumeClaim) -> str:
    """What a folder cannot give; empty when there is nothing of that."""
    if mode_of(claim.spec.volume_mode) != "Filesystem":
        return f'{PROVISIONER} does not support volumeMode "{claim.spec.volume_mode}"'
    if claim.spec.selector is not None:
        return "claim Selector is not supported"
    if claim.spec.data_source is not None or claim.spec.data_source_ref is not None:
        return f"{PROVISIONER} does not support dataSource"
    return ""


def provisioned(claim: PersistentVolumeClaim, by: StorageClass, node: str) -> Json:
    name = f"pvc-{claim.metadata.uid}"
    on_node: Json = {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}
    spec: Json = {
        "accessModes": claim.spec.access_modes,
        "capacity": {"storage": str(asked(claim))},
        "claimRef": reference(claim),
        "csi": {"driver": DRIVER, "volumeHandle": name},
        "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [on_node]}]}},
        "persistentVolumeReclaimPolicy": by.reclaim_policy or "Delete",
        "storageClassName": by.metadata.name,
        "volumeMode": "Filesystem",
    }
    if by.mount_options:
        spec["mountOptions"] = by.mount_options
    metadata: Json = {
        "name": name,
        "annotations": {PROVISIONED_BY: PROVISIONER},
        "finalizers": [PROTECTION, FOLDER],
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
