"""Claims, volumes and what else binding looks at: each builder takes only what a test is about."""

from typing import Any

from windlass.apis.core_v1 import (
    ClaimSource,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PersistentVolumeClaimStatus,
    PersistentVolumeStatus,
    Pod,
    PodSpec,
    ResourceRequirements,
    Volume,
)
from windlass.apis.storage_v1 import StorageClass
from windlass.kube.meta import ObjectMeta


def a_claim(
    name: str = "c",
    size: str = "1Gi",
    *,
    class_: str | None = "",
    phase: str = "Pending",
    capacity: str = "",
    metadata: dict[str, Any] | None = None,
    **spec: Any,
) -> PersistentVolumeClaim:
    return PersistentVolumeClaim(
        metadata=ObjectMeta(
            **{"name": name, "namespace": "n", "uid": f"{name}-uid", "resource_version": "7", **(metadata or {})}
        ),
        spec=PersistentVolumeClaimSpec(
            **{
                "access_modes": ["ReadWriteOnce"],
                "resources": ResourceRequirements(requests={"storage": size}),
                "storage_class_name": class_,
                **spec,
            }
        ),
        status=PersistentVolumeClaimStatus(phase=phase, capacity={"storage": capacity} if capacity else {}),
    )


def a_volume(
    name: str = "v", size: str = "1Gi", *, phase: str = "Available", metadata: Any = None, **spec: Any
) -> PersistentVolume:
    return PersistentVolume(
        metadata=ObjectMeta(**{"name": name, "uid": f"{name}-uid", **(metadata or {})}),
        spec={
            "accessModes": ["ReadWriteOnce", "ReadOnlyMany"],
            "capacity": {"storage": size},
            "volumeMode": "Filesystem",
            "hostPath": {"path": "/d"},
            **spec,
        },
        status=PersistentVolumeStatus(phase=phase),
    )


def promised_to(name: str = "c", uid: str = "c-uid") -> Any:
    return {"namespace": "n", "name": name, "uid": uid}


def a_class(
    name: str = "fast", provisioner: str = "rancher.io/local-path", mode: str = "Immediate", **more: Any
) -> StorageClass:
    return StorageClass(
        **{
            "metadata": ObjectMeta(name=name),
            "provisioner": provisioner,
            "volume_binding_mode": mode,
            "reclaim_policy": "Delete",
            **more,
        }
    )


def a_node(name: str = "node") -> Node:
    return Node(metadata=ObjectMeta(name=name, labels={"kubernetes.io/hostname": name}))


def a_user(claim: str = "c", node: str = "") -> Pod:
    volume = Volume(name="d", persistent_volume_claim=ClaimSource(claim_name=claim))
    return Pod(metadata=ObjectMeta(name="p", namespace="n"), spec=PodSpec(volumes=[volume], node_name=node))
