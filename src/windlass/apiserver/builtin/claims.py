"""PersistentVolumeClaims and PersistentVolumes."""

from windlass.apiserver.builtin.fields import (
    Causes,
    canonicalize,
    check_enum,
    check_immutable,
    check_label_selector,
    check_quantity,
    check_subdomain,
    quantity,
    unsupported,
)
from windlass.apiserver.builtin.placement import check_node_terms
from windlass.apiserver.builtin.pod_defaults import default_claim_spec
from windlass.apiserver.builtin.pod_updates import difference
from windlass.apiserver.builtin.strategy import Plain
from windlass.kube.errors import Cause, forbidden, invalid, required
from windlass.kube.json import Object, dig, dig_list

ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
VOLUME_MODES = ("Block", "Filesystem")
_RECLAIM_POLICIES = ("Delete", "Recycle", "Retain")
_CLAIM_IMMUTABLE = (
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
)


def _check_access_modes(path: str, spec: Object, causes: Causes) -> None:
    modes = dig_list(spec, "accessModes")
    if not modes:
        causes.append(required(f"{path}.accessModes", "at least 1 access mode is required"))
    for mode in modes:
        if mode not in ACCESS_MODES:
            causes.append(unsupported(f"{path}.accessModes", mode, ACCESS_MODES))
    if "ReadWriteOncePod" in modes and len(modes) > 1:
        why = "may not use ReadWriteOncePod with other access modes"
        causes.append(forbidden(f"{path}.accessModes", why))


def check_claim_spec(path: str, spec: Object, causes: Causes) -> None:
    """Validate a claim's spec, also in the template of a StatefulSet or an ephemeral volume."""
    _check_access_modes(path, spec, causes)
    check_label_selector(f"{path}.selector", spec.get("selector"), causes)
    storage = dig(spec, "resources", "requests", "storage")
    field = f"{path}.resources[storage]"
    if storage is None:
        causes.append(required(field))
    else:
        before = len(causes)
        parsed = check_quantity(field, storage, causes)
        if len(causes) == before and parsed is not None and parsed.milli() == 0:
            causes.append(invalid(field, storage, "must be greater than zero"))
    name = spec.get("storageClassName")
    if name:
        check_subdomain(f"{path}.storageClassName", name, causes)
    mode = spec.get("volumeMode")
    if mode is not None and mode not in VOLUME_MODES:
        causes.append(unsupported(f"{path}.volumeMode", mode, VOLUME_MODES))
    source = spec.get("dataSource")
    if source is not None:
        for name in ("kind", "name"):
            if not source.get(name):
                causes.append(required(f"{path}.dataSource.{name}"))


class Claims(Plain):
    returns_deleted = True

    def default(self, obj: Object) -> None:
        default_claim_spec(obj.setdefault("spec", {}))

    def prepare_create(self, obj: Object) -> None:
        obj["status"] = {"phase": "Pending"}

    def validate(self, obj: Object) -> list[Cause]:
        causes: Causes = []
        check_claim_spec("spec", obj.get("spec") or {}, causes)
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        spec: Object = new.get("spec") or {}
        was: Object = old.get("spec") or {}
        causes: Causes = []
        munged = dict(spec)
        bound = dig(old, "status", "phase") == "Bound" or bool(was.get("volumeName"))
        if not was.get("volumeName"):
            # Binding names the volume once.
            munged.pop("volumeName", None)
        if not was.get("storageClassName") and "storageClassName" not in was:
            munged.pop("storageClassName", None)
        if bound:
            for field in ("resources", "volumeAttributesClassName"):
                munged.pop(field, None)
                if field in was:
                    munged[field] = was[field]
        if munged != was:
            diff = difference(was, munged).replace("core.PodSpec", "core.PersistentVolumeClaimSpec")
            causes.append(forbidden("spec", f"{_CLAIM_IMMUTABLE}\n{diff}"))
        elif bound:
            _check_growth(spec, was, old, causes)
        return causes


def _check_growth(spec: Object, was: Object, old: Object, causes: Causes) -> None:
    now, then = dig(spec, "resources", "requests", "storage"), dig(was, "resources", "requests", "storage")
    if now is None or then is None:
        return
    size, before = quantity(now), quantity(then)
    granted = quantity(dig(old, "status", "capacity", "storage") or "0")
    if size is None or before is None or granted is None:
        return
    if size < before and not granted < size:
        causes.append(forbidden("spec.resources.requests.storage", "field can not be less than status.capacity"))


class Volumes(Plain):
    returns_deleted = True

    def default(self, obj: Object) -> None:
        spec: Object = obj.setdefault("spec", {})
        if not spec.get("persistentVolumeReclaimPolicy"):
            spec["persistentVolumeReclaimPolicy"] = "Retain"
        if not spec.get("volumeMode"):
            spec["volumeMode"] = "Filesystem"
        if spec.get("capacity"):
            canonicalize(spec["capacity"])
        if spec.get("hostPath") is not None:
            spec["hostPath"].setdefault("type", "")

    def prepare_create(self, obj: Object) -> None:
        obj["status"] = {"phase": "Pending"}

    def validate(self, obj: Object) -> list[Cause]:
        spec: Object = obj.get("spec") or {}
        causes: Causes = []
        _check_access_modes("spec", spec, causes)
        _check_capacity(spec.get("capacity") or {}, causes)
        check_enum(
            "spec.persistentVolumeReclaimPolicy",
            spec.get("persistentVolumeReclaimPolicy", ""),
            _RECLAIM_POLICIES,
            causes,
        )
        mode = spec.get("volumeMode")
        if mode is not None and mode not in VOLUME_MODES:
            causes.append(unsupported("spec.volumeMode", mode, VOLUME_MODES))
        given = [source for source in VOLUME_SOURCES if source in spec]
        if not given:
            causes.append(required("spec", "must specify a volume type"))
        for source in given[1:]:
            causes.append(forbidden(f"spec.{source}", "may not specify more than 1 volume type"))
        if "hostPath" in spec and not spec["hostPath"].get("path"):
            causes.append(required("spec.hostPath.path"))
        if "local" in spec and not dig(spec, "nodeAffinity", "required"):
            causes.append(required("spec.nodeAffinity", "Local volume requires node affinity"))
        affinity = spec.get("nodeAffinity")
        if affinity is not None:
            if affinity.get("required") is None:
                causes.append(required("spec.nodeAffinity.required", "must specify required node constraints"))
            else:
                check_node_terms("spec.nodeAffinity.required", affinity["required"], causes)
        if spec.get("storageClassName"):
            check_subdomain("spec.storageClassName", spec["storageClassName"], causes)
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        spec: Object = new.get("spec") or {}
        was: Object = old.get("spec") or {}
        causes: Causes = []
        if any(spec.get(source) != was.get(source) for source in VOLUME_SOURCES):
            causes.append(
                forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation")
            )
        check_immutable("spec.volumeMode", spec.get("volumeMode"), was.get("volumeMode"), causes)
        return causes


def _check_capacity(capacity: Object, causes: Causes) -> None:
    if not capacity:
        causes.append(required("spec.capacity"))
        return
    if "storage" not in capacity or len(capacity) > 1:
        causes.append(unsupported("spec.capacity", capacity, ("storage",)))
    for name, value in capacity.items():
        before = len(causes)
        parsed = check_quantity(f"spec.capacity[{name}]", value, causes)
        if len(causes) == before and parsed is not None and parsed.milli() == 0:
            causes.append(invalid(f"spec.capacity[{name}]", value, "must be greater than zero"))


VOLUME_SOURCES = (
    "awsElasticBlockStore",
    "azureDisk",
    "azureFile",
    "cephfs",
    "cinder",
    "csi",
    "fc",
    "flexVolume",
    "flocker",
    "gcePersistentDisk",
    "glusterfs",
    "hostPath",
    "iscsi",
    "local",
    "nfs",
    "photonPersistentDisk",
    "portworxVolume",
    "quobyte",
    "rbd",
    "scaleIO",
    "storageos",
    "vsphereVolume",
)
