"""Which volume fits which claim, and the classes that claims and volumes are of."""

from collections.abc import Iterable, Sequence

from windlass.apis.core_v1 import Json, Node, PersistentVolume, PersistentVolumeClaim
from windlass.apis.local_provisioners import ClaimRequirements, class_for
from windlass.apis.node_fit import fits_node
from windlass.apis.storage_v1 import StorageClass
from windlass.apis.wellknown import BETA_STORAGE_CLASS_ANNOTATION, DEFAULT_STORAGE_CLASS_ANNOTATION
from windlass.kube.controller import matches
from windlass.kube.json import dig, dig_list, dig_object
from windlass.kube.quantity import ZERO, Quantity


def class_of_claim(claim: PersistentVolumeClaim) -> str:
    return claim.metadata.annotations.get(BETA_STORAGE_CLASS_ANNOTATION) or claim.spec.storage_class_name or ""


def class_of_volume(volume: PersistentVolume) -> str:
    return volume.metadata.annotations.get(BETA_STORAGE_CLASS_ANNOTATION) or str(
        volume.spec.get("storageClassName") or ""
    )


def default_class(classes: Iterable[StorageClass]) -> StorageClass | None:
    """The newest of those that are marked as the default."""
    marked = [found for found in classes if found.metadata.annotations.get(DEFAULT_STORAGE_CLASS_ANNOTATION) == "true"]
    marked.sort(key=lambda found: found.metadata.name)
    return max(marked, key=lambda found: found.metadata.creation_timestamp or "", default=None)


def class_for_claim(claim: PersistentVolumeClaim, classes: Sequence[StorageClass]) -> str:
    """The class that a claim without one gets; empty where no class is the default."""
    default = default_class(classes)
    if default is None:
        return ""
    provisioners = {each.metadata.name: each.provisioner for each in classes}
    return class_for(requirements_of_claim(claim), default.metadata.name, provisioners)


def requirements_of_claim(claim: PersistentVolumeClaim) -> ClaimRequirements:
    spec = claim.spec
    has_source = spec.data_source is not None or spec.data_source_ref is not None
    return ClaimRequirements(tuple(spec.access_modes), mode_of(spec.volume_mode), spec.selector is not None, has_source)


def asked(claim: PersistentVolumeClaim) -> Quantity:
    return Quantity.parse(claim.spec.resources.requests.get("storage", "0"))


def capacity(volume: PersistentVolume) -> Quantity:
    return Quantity.parse(dig(volume.spec, "capacity", "storage") or "0")


def claim_ref(volume: PersistentVolume) -> Json:
    return dig_object(volume.spec, "claimRef")


def is_for(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Whether the volume is promised to this claim, by name or by uid too."""
    ref = claim_ref(volume)
    named = (ref.get("namespace"), ref.get("name")) == (claim.metadata.namespace, claim.metadata.name)
    return named and ref.get("uid") in (None, "", claim.metadata.uid)


def mode_of(spec_mode: object) -> str:
    return str(spec_mode or "Filesystem")


def mismatch(volume: PersistentVolume, claim: PersistentVolumeClaim) -> str:
    """Why a volume that was asked for by name may not be bound; empty when it may."""
    if capacity(volume) < asked(claim):
        return "requested PV is too small"
    if class_of_volume(volume) != class_of_claim(claim):
        return "storageClassName does not match"
    if mode_of(claim.spec.volume_mode) != mode_of(volume.spec.get("volumeMode")):
        return "incompatible volumeMode"
    if not _has_modes(volume, claim):
        return "incompatible accessMode"
    return ""


def promised(claim: PersistentVolumeClaim, volumes: Iterable[PersistentVolume]) -> PersistentVolume | None:
    """A volume that is kept for the claim already, if it fits."""
    kept = [v for v in volumes if is_for(v, claim) and v.metadata.deletion_timestamp is None]
    kept.sort(key=lambda volume: claim_ref(volume).get("uid") != claim.metadata.uid)
    return next((volume for volume in kept if not _too_small_or_other_mode(volume, claim)), None)


def _too_small_or_other_mode(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    return capacity(volume) < asked(claim) or mode_of(claim.spec.volume_mode) != mode_of(volume.spec.get("volumeMode"))


def smallest_free(
    claim: PersistentVolumeClaim, volumes: Iterable[PersistentVolume], node: Node | None
) -> PersistentVolume | None:
    """The smallest volume without a claim that fits, on `node` where one is named."""
    free = [volume for volume in volumes if _is_free(volume) and _fits(volume, claim, node)]
    return min(free, key=lambda volume: (capacity(volume), volume.metadata.name), default=None)


def _is_free(volume: PersistentVolume) -> bool:
    return (
        not claim_ref(volume) and volume.metadata.deletion_timestamp is None and volume.status.phase in ("Available",)
    )


def _fits(volume: PersistentVolume, claim: PersistentVolumeClaim, node: Node | None) -> bool:
    if mismatch(volume, claim) or asked(claim) == ZERO:
        return False
    if claim.spec.selector is not None and not matches(claim.spec.selector, volume.metadata.labels):
        return False
    return node is None or on_node(volume, node)


def on_node(volume: PersistentVolume, node: Node) -> bool:
    required = dig(volume.spec, "nodeAffinity", "required")
    if required is None:
        return True
    affinity: Json = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    return fits_node({"affinity": affinity}, node)


def _has_modes(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    return set(claim.spec.access_modes) <= set(dig_list(volume.spec, "accessModes"))
