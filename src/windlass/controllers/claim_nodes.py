"""Where a server should run that mounts a volume of one node: where that volume is in use."""

from collections.abc import Iterable

from windlass.apis.core_v1 import PersistentVolumeClaim, Pod
from windlass.apis.wellknown import HOSTNAME_LABEL
from windlass.kube.json import Object as Json
from windlass.kube.objects import is_deleting

WEIGHT = 100


def is_of_one_node(claim: PersistentVolumeClaim) -> bool:
    """Whether only pods of one node can have the volume."""
    modes = claim.status.access_modes or claim.spec.access_modes
    return bool(modes) and all(mode.startswith("ReadWriteOnce") for mode in modes)


def node_in_use(claim: str, pods: Iterable[Pod]) -> str:
    """The node of a running pod that mounts the claim; empty where there is none."""
    using = (
        pod.spec.node_name
        for pod in pods
        if pod.status.phase == "Running" and not is_deleting(pod) and claim in claims_of(pod)
    )
    return next((node for node in using if node), "")


def claims_of(pod: Pod) -> set[str]:
    return {
        volume.persistent_volume_claim.claim_name
        for volume in pod.spec.volumes
        if volume.persistent_volume_claim is not None
    }


def preferring(node: str) -> Json:
    """An affinity that prefers a node, and lets the pod run elsewhere."""
    expression = {"key": HOSTNAME_LABEL, "operator": "In", "values": [node]}
    term = {"weight": WEIGHT, "preference": {"matchExpressions": [expression]}}
    return {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [term]}}
