"""Which claims a pod's volumes are, and which pods use a claim."""

from windlass.apis.core_v1 import PersistentVolumeClaim, Pod
from windlass.kube.controller import Seen
from windlass.kube.json import dig


def claims_of(pod: Pod) -> list[str]:
    """Those that it names, and those that are made for its ephemeral volumes."""
    names: list[str] = []
    for volume in pod.spec.volumes:
        if "ephemeral" in volume:
            names.append(f"{pod.metadata.name}-{volume.get('name')}")
        elif name := dig(volume, "persistentVolumeClaim", "claimName"):
            names.append(str(name))
    return names


def users_of(claim: PersistentVolumeClaim, seen: Seen) -> list[Pod]:
    return [pod for pod in seen.all(Pod, claim.metadata.namespace) if claim.metadata.name in claims_of(pod)]
