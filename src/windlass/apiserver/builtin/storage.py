"""The group `storage.k8s.io`: StorageClasses, and the kinds that CSI drivers use."""

from functools import partial

from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Plain

_storage = partial(resource, "storage.k8s.io", "v1")

RESOURCES = (
    _storage("CSIDriver", "csidrivers", namespaced=False, strategy=Plain),
    _storage("CSINode", "csinodes", namespaced=False, strategy=Plain),
    _storage("CSIStorageCapacity", "csistoragecapacities", namespaced=True, strategy=Plain),
    _storage("StorageClass", "storageclasses", "sc", namespaced=False, strategy=Plain),
    _storage("VolumeAttachment", "volumeattachments", namespaced=False, strategy=Plain, subresources=("status",)),
    _storage("VolumeAttributesClass", "volumeattributesclasses", "vac", namespaced=False, strategy=Plain),
)
