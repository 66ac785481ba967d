"""PersistentVolume -> its phase, what becomes of it without its claim, and finalizers for as long as it is used."""

from datetime import timedelta

import msgspec

from windlass.apis.core_v1 import Json, Namespace, PersistentVolume, PersistentVolumeClaim, Pod
from windlass.apis.local_volumes import DRIVERS
from windlass.apis.storage_v1 import CSIDriver, StorageClass
from windlass.apis.wellknown import PV_PROTECTION_FINALIZER
from windlass.controllers.core.volume_claims import BY_CONTROLLER
from windlass.controllers.core.volume_matching import claim_ref
from windlass.controllers.core.volume_provisioning import CLASSES, CSI_DRIVERS, PROVISIONED_BY
from windlass.controllers.core.volume_users import claims_of, users_of
from windlass.kube import meta
from windlass.kube.api import Api
from windlass.kube.controller import Acting, Controller, Key, Observed
from windlass.kube.errors import AlreadyExists, NotFound
from windlass.kube.json import dig, timestamp
from windlass.kube.kind import KINDS
from windlass.kube.plan import Event, Patch, Plan
from windlass.kube.view import typed

CLAIM_PROTECTION = "kubernetes.io/pvc-protection"


def reconcile(volume: PersistentVolume, observed: Observed) -> Plan:
    """Its phase, by the claim that it is promised to."""
    ref = claim_ref(volume)
    if not ref.get("uid"):
        return _phase(volume, "Available", observed)
    claim = _claim(ref, observed)
    if claim is None:
        return _released(volume, observed)
    if claim.spec.volume_name == volume.metadata.name:
        return _phase(volume, "Bound", observed)
    if not claim.spec.volume_name:  # the claim's own reconcile finishes the binding
        return Plan() if volume.status.phase not in ("", "Pending") else _phase(volume, "Available", observed)
    if PROVISIONED_BY in volume.metadata.annotations and _policy(volume) == "Delete":
        return _released(volume, observed)
    return Plan([Patch(volume, _unbinding(volume))])


def _claim(ref: Json, observed: Observed) -> PersistentVolumeClaim | None:
    found = observed.one(PersistentVolumeClaim, str(ref.get("name")), str(ref.get("namespace")))
    return found if found is not None and found.metadata.uid == ref["uid"] else None


def _unbinding(volume: PersistentVolume) -> Json:
    """Its claim has another volume: what the binder wrote goes, what the user wrote stays."""
    if BY_CONTROLLER in volume.metadata.annotations:
        return {"spec": {"claimRef": None}, "metadata": {"annotations": {BY_CONTROLLER: None}}}
    return {"spec": {"claimRef": {"uid": None, "resourceVersion": None}}}


def _released(volume: PersistentVolume, observed: Observed) -> Plan:
    """A volume that cannot be wiped as its policy says has failed, and keeps its data."""
    if _policy(volume) == "Recycle":
        why = "No recycler plugin found for the volume!"
        return _phase(volume, "Failed", observed, "VolumeFailedRecycle", why)
    if _policy(volume) == "Delete" and PROVISIONED_BY not in volume.metadata.annotations:
        source = next((name for name in volume.spec if name in ("hostPath", "nfs", "local", "iscsi", "fc")), "")
        if source:
            name = volume.metadata.name
            why = f'error getting deleter volume plugin for volume "{name}": no deletable volume plugin matched'
            return _phase(volume, "Failed", observed, "VolumeFailedDelete", why)
    return _phase(volume, "Released", observed)


def _policy(volume: PersistentVolume) -> str:
    return str(volume.spec.get("persistentVolumeReclaimPolicy") or "Retain")


def _phase(volume: PersistentVolume, phase: str, observed: Observed, reason: str = "", message: str = "") -> Plan:
    if volume.status.phase == phase:
        return Plan()
    status = msgspec.structs.replace(
        volume.status, phase=phase, message=message, last_phase_transition_time=timestamp(observed.now)
    )
    notes = [Event(reason=reason, message=message, warning=True)] if reason else []
    return Plan(status=status, events=notes)


# --- deleting what was provisioned


async def reclaim(volume: PersistentVolume, observed: Observed, api: Api) -> timedelta | None:
    """Delete a released volume of ours. The server is asked first: a late cache must not cost anyone their data."""
    released = volume.status.phase == "Released" and volume.metadata.deletion_timestamp is None
    if not released or _policy(volume) != "Delete" or dig(volume.spec, "csi", "driver") not in DRIVERS:
        return None
    ref = claim_ref(volume)
    try:
        claim = await api.get(typed(PersistentVolumeClaim), str(ref.get("name")), str(ref.get("namespace")))
    except NotFound:
        claim = None
    if claim is None or claim.metadata.uid != ref.get("uid"):
        metadata = volume.metadata
        await api.delete(KINDS.of(PersistentVolume), metadata.key, uid=metadata.uid)
    return None


# --- finalizers for as long as something is in use


def protect_volume(volume: PersistentVolume, observed: Observed) -> Plan:
    return _protect(volume, PV_PROTECTION_FINALIZER, in_use=volume.status.phase == "Bound")


def protect_claim(claim: PersistentVolumeClaim, observed: Observed) -> Plan:
    """In use by any pod that a node may have seen, finished or not."""
    return _protect(claim, CLAIM_PROTECTION, in_use=any(pod.spec.node_name for pod in users_of(claim, observed)))


def _protect(obj: meta.Object, finalizer: str, *, in_use: bool) -> Plan:
    finalizers, going = obj.metadata.finalizers, obj.metadata.deletion_timestamp is not None
    if not going and finalizer not in finalizers:
        return Plan([Patch(obj, {"metadata": {"finalizers": [*finalizers, finalizer]}})])
    if going and finalizer in finalizers and not in_use:
        kept = [other for other in finalizers if other != finalizer]
        return Plan([Patch(obj, {"metadata": {"finalizers": kept}})])
    return Plan()


# --- what every cluster has from the start


async def furnish(namespace: meta.Object, observed: Observed, api: Api) -> timedelta | None:
    """Create the classes and their drivers when the manager starts; if deleted later, they stay deleted."""
    missing = [obj for obj in (*CSI_DRIVERS, *CLASSES) if observed.one(type(obj), obj.metadata.name) is None]
    if namespace.metadata.name == "kube-system":
        for obj in missing:
            try:
                await api.create(obj)
            except AlreadyExists:
                continue
    return None


def _named_by(claim: PersistentVolumeClaim) -> list[Key]:
    """The volume that it names, and the one that would have been made for it."""
    return [Key("", name) for name in (claim.spec.volume_name, f"pvc-{claim.metadata.uid}") if name]


def _claims_named(pod: Pod) -> list[Key]:
    return [Key(pod.metadata.namespace, name) for name in claims_of(pod)]


def nobody(_: meta.Object) -> tuple[Key, ...]:
    return ()


CONTROLLER = Controller(
    "persistentvolume-phase", PersistentVolume, reconcile, watches=[(PersistentVolumeClaim, _named_by)]
)
RECLAIM = Acting("persistentvolume-reclaim", PersistentVolume, reclaim)
VOLUME_PROTECTION = Controller("persistentvolume-protection-controller", PersistentVolume, protect_volume)
CLAIM_PROTECTION_CONTROLLER = Controller(
    "persistentvolumeclaim-protection-controller", PersistentVolumeClaim, protect_claim, watches=[(Pod, _claims_named)]
)
FURNISHING = Acting("storage-furnishing", Namespace, furnish, watches=[(StorageClass, nobody), (CSIDriver, nobody)])
