"""The group `storage.k8s.io`: StorageClasses, and the kinds that CSI drivers use."""

from functools import partial

from windlass.apiserver.builtin.fields import (
    Causes,
    canonical,
    check_enum,
    check_immutable,
    check_label_key,
    unsupported,
)
from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Plain
from windlass.kube.errors import Cause, forbidden, invalid, required
from windlass.kube.json import Object, dig, dig_object

_RECLAIM = ("Delete", "Retain")
_BINDING = ("Immediate", "WaitForFirstConsumer")


class StorageClasses(Plain):
    returns_deleted = True

    def default(self, obj: Object) -> None:
        if not obj.get("reclaimPolicy"):
            obj["reclaimPolicy"] = "Delete"
        if not obj.get("volumeBindingMode"):
            obj["volumeBindingMode"] = "Immediate"

    def validate(self, obj: Object) -> list[Cause]:
        causes: Causes = []
        provisioner = obj.get("provisioner")
        if not provisioner:
            causes.append(required("provisioner"))
        else:
            check_label_key("provisioner", provisioner.lower(), causes)
        if obj.get("reclaimPolicy") not in _RECLAIM:
            causes.append(unsupported("reclaimPolicy", obj.get("reclaimPolicy", ""), _RECLAIM))
        check_enum("volumeBindingMode", obj.get("volumeBindingMode", ""), _BINDING, causes)
        for key in dig_object(obj, "parameters"):
            if not key:
                causes.append(invalid("parameters", key, "field must not be empty."))
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        causes: Causes = []
        if dig_object(new, "parameters") != dig_object(old, "parameters"):
            causes.append(forbidden("parameters", "updates to parameters are forbidden."))
        for field in ("provisioner", "reclaimPolicy"):
            if new.get(field) != old.get(field):
                causes.append(forbidden(field, f"updates to {field} are forbidden."))
        check_immutable("volumeBindingMode", new.get("volumeBindingMode"), old.get("volumeBindingMode"), causes)
        return causes


class CsiDrivers(Plain):
    allows_unconditional_update = False
    returns_deleted = True

    def default(self, obj: Object) -> None:
        spec: Object = obj.setdefault("spec", {})
        spec.setdefault("attachRequired", True)
        for field in ("podInfoOnMount", "storageCapacity", "requiresRepublish", "seLinuxMount"):
            spec.setdefault(field, False)
        spec.setdefault("fsGroupPolicy", "ReadWriteOnceWithFSType")
        spec.setdefault("volumeLifecycleModes", ["Persistent"])

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        causes: Causes = []
        for field in ("attachRequired", "volumeLifecycleModes"):
            check_immutable(f"spec.{field}", dig(new, "spec", field), dig(old, "spec", field), causes)
        return causes


class CsiNodes(Plain):
    allows_unconditional_update = False
    returns_deleted = True


class CsiCapacities(Plain):
    allows_unconditional_update = False

    def default(self, obj: Object) -> None:
        for field in ("capacity", "maximumVolumeSize"):
            if field in obj:
                obj[field] = canonical(obj[field])

    def validate(self, obj: Object) -> list[Cause]:
        return [] if obj.get("storageClassName") else [required("storageClassName")]

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        causes: Causes = []
        for field in ("nodeTopology", "storageClassName"):
            check_immutable(field, new.get(field), old.get(field), causes)
        return causes


class VolumeAttachments(Plain):
    allows_unconditional_update = False
    written_with_status = ()
    returns_deleted = True

    def validate(self, obj: Object) -> list[Cause]:
        causes: Causes = []
        for field in ("attacher", "nodeName"):
            if not dig(obj, "spec", field):
                causes.append(required(f"spec.{field}"))
        source = dig_object(obj, "spec", "source")
        if len({"inlineVolumeSpec", "persistentVolumeName"} & source.keys()) != 1:
            why = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
            causes.append(required("spec.source", why))
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        if new.get("spec") == old.get("spec"):
            return []
        return [invalid("spec", new.get("spec"), "field is immutable")]


class VolumeAttributesClasses(Plain):
    returns_deleted = True

    def validate(self, obj: Object) -> list[Cause]:
        return [] if obj.get("driverName") else [required("driverName")]

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        causes: Causes = []
        for field in ("driverName", "parameters"):
            if new.get(field) != old.get(field):
                causes.append(forbidden(field, f"updates to {field} are forbidden."))
        return causes


_storage = partial(resource, "storage.k8s.io", "v1")
_cluster = partial(_storage, namespaced=False)

RESOURCES = (
    _cluster("CSIDriver", "csidrivers", strategy=CsiDrivers),
    _cluster("CSINode", "csinodes", strategy=CsiNodes),
    _storage("CSIStorageCapacity", "csistoragecapacities", namespaced=True, strategy=CsiCapacities),
    _cluster("StorageClass", "storageclasses", "sc", strategy=StorageClasses),
    _cluster("VolumeAttachment", "volumeattachments", strategy=VolumeAttachments, subresources=("status",)),
    _cluster("VolumeAttributesClass", "volumeattributesclasses", "vac", strategy=VolumeAttributesClasses),
)
