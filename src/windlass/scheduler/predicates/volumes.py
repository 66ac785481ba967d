"""The claims of a pod are bound to volumes that the node can reach, or can still become so."""

from collections.abc import Callable, Iterable

from windlass.apis.core_v1 import Json, Node, PersistentVolume, PersistentVolumeClaim
from windlass.apis.node_fit import fits_terms
from windlass.apis.reasons import NodeCause
from windlass.apis.wellknown import BETA_STORAGE_CLASS_ANNOTATION, CLAIM_REASON_ANNOTATION
from windlass.kube.controller import matches
from windlass.kube.json import dig, dig_list
from windlass.kube.meta import Key
from windlass.kube.quantity import Quantity
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import NodeInfo, Snapshot
from windlass.scheduler.predicates.verdict import Refusal, refused, refused_for_good

NO_PROVISIONER = "kubernetes.io/no-provisioner"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
BOUND = "pv.kubernetes.io/bind-completed"
MAX_REASON = 1024
"""Characters: every author of a claim may write the annotation."""
_CONFLICT = refused_for_good(NodeCause("VolumeNodeAffinity"))
_NO_VOLUME = refused_for_good(NodeCause("NoPersistentVolume"))
_MISSING = refused_for_good(NodeCause("PersistentVolumeMissing"))
_TAKEN = refused(NodeCause("ReadWriteOncePod"))


def prepare(pod: PodInfo, snapshot: Snapshot) -> Callable[[NodeInfo], Refusal | None] | Refusal | None:
    if not pod.claims:
        return None
    claims: list[PersistentVolumeClaim] = []
    for name, own in pod.claims:
        key = Key(pod.key.namespace, name)
        claim = snapshot.claims.get(key)
        problem = _problem(claim, name, own, snapshot)
        if problem is not None or claim is None:
            return problem
        claims.append(claim)
    exclusive = [claim.metadata.key for claim in claims if "ReadWriteOncePod" in claim.spec.access_modes]

    def check(node: NodeInfo) -> Refusal | None:
        assert node.node is not None
        if any(snapshot.users.get(key, set()) - {pod.uid} for key in exclusive):
            return _TAKEN
        found = choose(claims, node.node, snapshot)
        return found if isinstance(found, Refusal) else None

    return check


def _problem(claim: PersistentVolumeClaim | None, name: str, own: bool, snapshot: Snapshot) -> Refusal | None:
    if claim is None:
        if own:
            return refused_for_good(NodeCause("ClaimPending", name))
        return refused_for_good(NodeCause("ClaimNotFound", name))
    if claim.metadata.deletion_timestamp:
        return refused_for_good(NodeCause("ClaimTerminating", name))
    if claim.status.phase == "Lost":
        return refused_for_good(NodeCause("ClaimLost", name, claim.spec.volume_name))
    if (why := stuck(claim)) is not None:
        return why
    if not is_bound(claim) and not waits_for_consumer(claim, snapshot):
        return refused_for_good(NodeCause("ClaimUnbound"))
    return None


def stuck(claim: PersistentVolumeClaim) -> Refusal | None:
    """The refusal of a claim that cannot get a volume, for the reason that the claim's controller noted on it."""
    why = claim.metadata.annotations.get(CLAIM_REASON_ANNOTATION)
    if not why or is_bound(claim):
        return None
    return refused_for_good(NodeCause("ClaimStuck", claim.metadata.name, why[:MAX_REASON]))


def is_bound(claim: PersistentVolumeClaim) -> bool:
    """The binder writes the volume's name and, last, that it is done with both."""
    done = claim.status.phase == "Bound" or BOUND in claim.metadata.annotations
    return bool(claim.spec.volume_name) and done


def class_of(claim: PersistentVolumeClaim) -> str:
    return claim.metadata.annotations.get(BETA_STORAGE_CLASS_ANNOTATION) or claim.spec.storage_class_name or ""


def waits_for_consumer(claim: PersistentVolumeClaim, snapshot: Snapshot) -> bool:
    wanted = snapshot.classes.get(class_of(claim))
    waits = wanted is not None and wanted.get("volumeBindingMode") == "WaitForFirstConsumer"
    return waits and not claim.spec.volume_name


def choose(
    claims: Iterable[PersistentVolumeClaim], node: Node, snapshot: Snapshot
) -> dict[Key, PersistentVolume | None] | Refusal:
    """The volume that each claim has or would take on that node, none twice; None: one is to be made there."""
    chosen: dict[Key, PersistentVolume | None] = {}
    taken: set[str] = set()
    for claim in sorted(claims, key=_wanted_size):
        if claim.metadata.key in chosen:
            continue
        found = _choose(claim, node, snapshot, taken)
        if isinstance(found, Refusal):
            return found
        if found is not None:
            taken.add(found.metadata.name)
        chosen[claim.metadata.key] = found
    return chosen


def _choose(
    claim: PersistentVolumeClaim, node: Node, snapshot: Snapshot, taken: set[str]
) -> PersistentVolume | Refusal | None:
    if is_bound(claim):
        volume = snapshot.volumes.get(claim.spec.volume_name)
        if volume is None:
            return _MISSING
        return volume if reaches(volume, node) else _CONFLICT
    selected = claim.metadata.annotations.get(SELECTED_NODE)
    if selected and selected != node.metadata.name and snapshot.node(selected) is not None:
        return _NO_VOLUME  # one is being made elsewhere
    fitting = [
        one
        for name, one in snapshot.volumes.items()
        if name not in taken and _could_take(claim, one, snapshot) and reaches(one, node)
    ]
    if fitting:
        return min(fitting, key=lambda one: (_size(one), one.metadata.name))
    wanted = snapshot.classes.get(class_of(claim), {})
    if wanted.get("provisioner") in (None, "", NO_PROVISIONER) or not _allowed(wanted, node):
        return _NO_VOLUME
    return None


def reaches(volume: PersistentVolume, node: Node) -> bool:
    required = dig(volume.spec, "nodeAffinity", "required")
    return required is None or fits_terms(dig_list(required, "nodeSelectorTerms"), node)


def _could_take(claim: PersistentVolumeClaim, volume: PersistentVolume, snapshot: Snapshot) -> bool:
    spec, name = volume.spec, volume.metadata.name
    promised = snapshot.reserved.get(name, claim.metadata.key)
    reference = spec.get("claimRef") or {}
    mine = (reference.get("namespace"), reference.get("name")) == claim.metadata.key
    if promised != claim.metadata.key or (reference and not mine) or volume.metadata.deletion_timestamp:
        return False
    if volume.status.phase not in ("Available", "") and not mine:
        return False
    if (spec.get("storageClassName") or "") != class_of(claim):
        return False
    if (spec.get("volumeMode") or "Filesystem") != (claim.spec.volume_mode or "Filesystem"):
        return False
    if not set(claim.spec.access_modes) <= set(dig_list(spec, "accessModes")):
        return False
    if claim.spec.selector is not None and not _selected(claim, volume):
        return False
    return _size(volume) >= _wanted_size(claim)


def _wanted_size(claim: PersistentVolumeClaim) -> int:
    return Quantity.parse(claim.spec.resources.requests.get("storage", 0)).value()


def _selected(claim: PersistentVolumeClaim, volume: PersistentVolume) -> bool:
    assert claim.spec.selector is not None
    return matches(claim.spec.selector, volume.metadata.labels)


def _size(volume: PersistentVolume) -> int:
    return Quantity.parse(dig(volume.spec, "capacity", "storage") or 0).value()


def _allowed(storage_class: Json, node: Node) -> bool:
    """Whether the class makes volumes where this node is."""
    terms = dig_list(storage_class, "allowedTopologies")
    labels = node.metadata.labels
    return not terms or any(
        all(labels.get(one["key"]) in one["values"] for one in dig_list(term, "matchLabelExpressions"))
        for term in terms
    )
