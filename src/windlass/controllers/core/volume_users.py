"""Which claims a pod's volumes are, and which pods use a claim."""

from windlass.apis.core_v1 import PersistentVolumeClaim, Pod
from windlass.kube.controller import Observed


def claims_of(pod: Pod) -> list[str]:
    """Those that it names, and those that are made for its ephemeral volumes."""
    names: list[str] = []
    for volume in pod.spec.volumes:
        if volume.ephemeral is not None:
            names.append(f"{pod.metadata.name}-{volume.name}")
        elif volume.persistent_volume_claim is not None:
            names.append(volume.persistent_volume_claim.claim_name)
    return names


def users_of(claim: PersistentVolumeClaim, observed: Observed) -> list[Pod]:
    return [pod for pod in observed.all(Pod, claim.metadata.namespace) if claim.metadata.name in claims_of(pod)]
