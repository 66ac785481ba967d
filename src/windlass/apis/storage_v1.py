"""storage.k8s.io/v1: provisioning and mounting of volumes."""

from typing import Any

from windlass.kube.kind import kind
from windlass.kube.meta import Object


@kind("storage.k8s.io/v1", plural="storageclasses", short=("sc",), namespaced=False, status=False)
class StorageClass(Object):
    """A StorageClass: a class of volumes and its provisioner."""

    provisioner: str = ""
    parameters: dict[str, str] = {}
    reclaim_policy: str | None = None
    mount_options: list[str] = []
    allow_volume_expansion: bool | None = None
    volume_binding_mode: str | None = None
    allowed_topologies: list[dict[str, Any]] = []


@kind("storage.k8s.io/v1", plural="csidrivers", namespaced=False, status=False)
class CSIDriver(Object):
    """A CSIDriver: capabilities of a volume driver."""

    spec: dict[str, Any] = {}
