"""PersistentVolumeClaim -> a volume of its own: one that is there and fits, or a new one; larger when it asks for more.

A binding is two writes: the volume names the claim, then the claim names the volume. A reconcile that finds only the
first finishes it, so a stop between them loses nothing.
"""

from collections.abc import Iterable
from datetime import timedelta

from windlass.apis.core_v1 import (
    Json,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimStatus,
    Pod,
)
from windlass.apis.local_provisioners import PROVISIONERS
from windlass.apis.snapshot_storage_v1 import VolumeSnapshot, VolumeSnapshotContent
from windlass.apis.storage_v1 import StorageClass
from windlass.apis.wellknown import CLAIM_REASON_ANNOTATION
from windlass.controllers.core.volume_expansion import expanded
from windlass.controllers.core.volume_matching import (
    claim_ref,
    class_for_claim,
    class_of_claim,
    is_for,
    mismatch,
    promised,
    smallest_free,
)
from windlass.controllers.core.volume_provisioning import provisioned, reference, refusal
from windlass.controllers.core.volume_sources import resolved, waits_for_snapshot
from windlass.controllers.core.volume_users import claims_of, users_of
from windlass.kube.controller import Controller, Key, Matching, Observed
from windlass.kube.json import dig_list, dig_object
from windlass.kube.objects import key_of
from windlass.kube.plan import CreateUnowned, Event, Outcome, Patch, Plan

COMPLETED = "pv.kubernetes.io/bind-completed"
BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
STORAGE_PROVISIONER = "volume.kubernetes.io/storage-provisioner"
OLD_STORAGE_PROVISIONER = "volume.beta.kubernetes.io/storage-provisioner"
TRY_AGAIN = timedelta(seconds=15)


def reconcile(claim: PersistentVolumeClaim, observed: Observed) -> Plan:
    if COMPLETED in claim.metadata.annotations:
        return _bound(claim, observed)
    if claim.metadata.deletion_timestamp is not None:
        return Plan()
    if claim.spec.volume_name:
        return _asked_by_name(claim, observed)
    return _unbound(claim, observed)


# --- bound


def _bound(claim: PersistentVolumeClaim, observed: Observed) -> Plan:
    if not claim.spec.volume_name:
        return _lost(
            claim, "ClaimLost", "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!"
        )
    volume = observed.one(PersistentVolume, claim.spec.volume_name)
    if volume is None:
        return _lost(claim, "ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!")
    ref = claim_ref(volume)
    if not ref:
        return bind(claim, volume)
    if ref.get("uid") != claim.metadata.uid:
        why = "Two claims are bound to the same volume, this one is bound incorrectly"
        return _lost(claim, "ClaimMisbound", why)
    grown = expanded(claim, volume, observed.one(StorageClass, class_of_claim(claim)))
    return grown if grown is not None else Plan(status=_bound_status(claim, volume))


def _bound_status(claim: PersistentVolumeClaim, volume: PersistentVolume) -> PersistentVolumeClaimStatus:
    """Its capacity is what it was granted last: a larger volume alone does not say that its file system has grown."""
    granted = claim.status.capacity if claim.status.phase == "Bound" else {}
    return PersistentVolumeClaimStatus(
        phase="Bound",
        access_modes=dig_list(volume.spec, "accessModes"),
        capacity=granted or dig_object(volume.spec, "capacity"),
        conditions=claim.status.conditions,
    )


def _lost(claim: PersistentVolumeClaim, reason: str, message: str) -> Plan:
    if claim.status.phase == "Lost":
        return Plan()
    note = Event(reason=reason, message=message, warning=True)
    return Plan(status=_without_volume(claim, "Lost"), events=[note])


def _without_volume(claim: PersistentVolumeClaim, phase: str) -> PersistentVolumeClaimStatus:
    """What came from a volume goes with it; the conditions are written by others."""
    return PersistentVolumeClaimStatus(phase=phase, conditions=claim.status.conditions)


def bind(claim: PersistentVolumeClaim, volume: PersistentVolume) -> Plan:
    """The volume first: a claim that names a volume which another has got would be lost."""
    patches: list[Patch] = []
    if claim_ref(volume).get("uid") != claim.metadata.uid:
        change: Json = {"spec": {"claimRef": reference(claim)}}
        if not claim_ref(volume):
            change["metadata"] = {"annotations": {BY_CONTROLLER: "yes"}}
        patches.append(Patch(volume, change))
    annotations: Json = {COMPLETED: "yes"}
    if CLAIM_REASON_ANNOTATION in claim.metadata.annotations:
        annotations[CLAIM_REASON_ANNOTATION] = None
    mine: Json = {"metadata": {"annotations": annotations}}
    if claim.spec.volume_name != volume.metadata.name:
        annotations[BY_CONTROLLER] = "yes"
        mine["spec"] = {"volumeName": volume.metadata.name}
    patches.append(Patch(claim, mine))
    return Plan(patches)


# --- not bound yet


def _pending(claim: PersistentVolumeClaim, *notes: Event) -> Plan:
    """Nothing is wrong: the claim waits for something that is on its way."""
    return Plan(_noted(claim, None), status=_without_volume(claim, "Pending"), events=notes)


def _stuck(claim: PersistentVolumeClaim, note: Event, *, again_in: timedelta | None = None) -> Plan:
    """The claim stays without a volume until something is changed; the scheduler reports the reason on its pods."""
    return Plan(_noted(claim, note.message), status=_without_volume(claim, "Pending"), events=[note], again_in=again_in)


def _noted(claim: PersistentVolumeClaim, why: str | None) -> list[Patch]:
    if claim.metadata.annotations.get(CLAIM_REASON_ANNOTATION) == why:
        return []
    return [Patch(claim, {"metadata": {"annotations": {CLAIM_REASON_ANNOTATION: why}}})]


def _asked_by_name(claim: PersistentVolumeClaim, observed: Observed) -> Plan:
    volume = observed.one(PersistentVolume, claim.spec.volume_name)
    if volume is None:
        why = f'volume "{claim.spec.volume_name}" not found'
        return _stuck(claim, Event(reason="FailedBinding", message=why, warning=True))
    if claim_ref(volume) and not is_for(volume, claim):
        why = f'volume "{volume.metadata.name}" already bound to a different claim.'
        return _stuck(claim, Event(reason="FailedBinding", message=why, warning=True))
    if not claim_ref(volume) and (why := mismatch(volume, claim)):
        message = f'Cannot bind to requested volume "{volume.metadata.name}": {why}'
        return _stuck(claim, Event(reason="VolumeMismatch", message=message, warning=True))
    return bind(claim, volume)


def _unbound(claim: PersistentVolumeClaim, observed: Observed) -> Plan:
    volumes = observed.all(PersistentVolume)
    kept = promised(claim, volumes)
    if kept is not None:
        return bind(claim, kept)
    if claim.spec.storage_class_name is None and not class_of_claim(claim):
        default = class_for_claim(claim, observed.all(StorageClass))
        if default:  # it was made after the claim
            return Plan([Patch(claim, {"spec": {"storageClassName": default}})])
    name = class_of_claim(claim)
    by = observed.one(StorageClass, name) if name else None
    node: Node | None = None
    if by is not None and by.volume_binding_mode == "WaitForFirstConsumer":
        wanted = selected_node(claim, observed)
        if not wanted:
            return _refused_early(claim, by, volumes) or _pending(claim, _waiting_note(claim, observed))
        node = observed.one(Node, wanted)
    free = smallest_free(claim, volumes, node)
    if free is not None:
        return bind(claim, free)
    if not name:
        why = "no persistent volumes available for this claim and no storage class is set"
        return _stuck(claim, Event(reason="FailedBinding", message=why))
    if by is None:
        return _failed(claim, f'storageclass.storage.k8s.io "{name}" not found')
    return _provision(claim, by, observed)


def _refused_early(claim: PersistentVolumeClaim, by: StorageClass, volumes: Iterable[PersistentVolume]) -> Plan | None:
    """Refuse a claim that its class can never serve before a pod is promised a node for it."""
    if by.provisioner not in PROVISIONERS or smallest_free(claim, volumes, None) is not None:
        return None
    why = refusal(claim, by)
    return _failed(claim, _cannot(by, why)) if why else None


def selected_node(claim: PersistentVolumeClaim, observed: Observed) -> str:
    """Where the scheduler put the first consumer, by what it noted on the claim or on the pod."""
    noted = claim.metadata.annotations.get(SELECTED_NODE)
    return noted or next((pod.spec.node_name for pod in users_of(claim, observed) if pod.spec.node_name), "")


def _waiting_note(claim: PersistentVolumeClaim, observed: Observed) -> Event:
    waiting = [pod.metadata.name for pod in users_of(claim, observed)]
    if waiting:
        names = ",".join(waiting)
        return Event(reason="WaitForPodScheduled", message=f"waiting for pod {names} to be scheduled")
    return Event(reason="WaitForFirstConsumer", message="waiting for first consumer to be created before binding")


def _cannot(by: StorageClass, why: str) -> str:
    return f'failed to provision volume with StorageClass "{by.metadata.name}": {why}'


def _failed(claim: PersistentVolumeClaim, why: str) -> Plan:
    return _stuck(claim, Event(reason="ProvisioningFailed", message=why, warning=True), again_in=TRY_AGAIN)


def _provision(claim: PersistentVolumeClaim, by: StorageClass, observed: Observed) -> Plan:
    if claim.metadata.annotations.get(STORAGE_PROVISIONER) != by.provisioner:
        noted = {STORAGE_PROVISIONER: by.provisioner, OLD_STORAGE_PROVISIONER: by.provisioner}
        return Plan([Patch(claim, {"metadata": {"annotations": noted}})])
    if by.provisioner == "kubernetes.io/no-provisioner":
        why = f'storageclass "{by.metadata.name}" has provisioner "{by.provisioner}", which makes no volumes'
        return _stuck(claim, Event(reason="FailedBinding", message=why))
    if by.provisioner not in PROVISIONERS:
        why = (
            f"Waiting for a volume to be created either by the external provisioner '{by.provisioner}' or manually by "
            "the system administrator. If volume creation is delayed, please verify that the provisioner is running "
            "and correctly registered."
        )
        note = Event(reason="ExternalProvisioning", message=why)
        # A pod that waits for the volume keeps its node: the provisioner may be at work.
        return _pending(claim, note) if by.volume_binding_mode == "WaitForFirstConsumer" else _stuck(claim, note)
    source, missing = resolved(claim, observed)
    why = refusal(claim, by) or missing
    node = selected_node(claim, observed) or next((node.metadata.name for node in observed.all(Node)), "")
    if not why and not node:
        why = "no node is there to have the volume"
    if why:
        return _failed(claim, _cannot(by, why))
    message = f'External provisioner is provisioning volume for claim "{key_of(claim)}"'
    volume = provisioned(claim, by, node, source)
    return Plan([CreateUnowned(volume)], events=[Event(reason="Provisioning", message=message)])


def event_for(claim: PersistentVolumeClaim, outcome: Outcome) -> Event | None:
    if outcome.verb != "create":
        return None
    if outcome.error is not None:
        why = f'failed to provision volume with StorageClass "{class_of_claim(claim)}": {outcome.error}'
        return Event(reason="ProvisioningFailed", message=why, warning=True)
    message = f"Successfully provisioned volume {key_of(outcome.obj).name}"
    return Event(reason="ProvisioningSucceeded", message=message)


# --- what triggers another reconcile


def _may_be_for(claim: PersistentVolumeClaim, volume: PersistentVolume) -> bool:
    named = claim.spec.volume_name == volume.metadata.name or is_for(volume, claim)
    return named or (COMPLETED not in claim.metadata.annotations and not claim_ref(volume))


def _waits_for_class(claim: PersistentVolumeClaim, changed: StorageClass) -> bool:
    name = class_of_claim(claim)
    return name in ("", changed.metadata.name)


def _waits_for_node(claim: PersistentVolumeClaim, node: Node) -> bool:
    return COMPLETED not in claim.metadata.annotations


def _claims_named(pod: Pod) -> list[Key]:
    return [Key(pod.metadata.namespace, name) for name in claims_of(pod)]


def nothing(_: VolumeSnapshotContent) -> list[Key]:
    """Contents are only read: whatever happens to one shows on its snapshot."""
    return []


CONTROLLER = Controller(
    "persistentvolume-controller",
    PersistentVolumeClaim,
    reconcile,
    watches=[
        (PersistentVolume, Matching(_may_be_for)),
        (StorageClass, Matching(_waits_for_class)),
        (Node, Matching(_waits_for_node)),
        (Pod, _claims_named),
        (VolumeSnapshot, Matching(waits_for_snapshot)),
        (VolumeSnapshotContent, nothing),
    ],
    event_for=event_for,
)
