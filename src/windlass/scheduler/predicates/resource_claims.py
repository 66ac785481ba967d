"""Dynamic resource allocation is not offered: a pod that asks for devices by claims waits, with that reason."""

from collections.abc import Callable

from windlass.apis.reasons import NodeCause
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import NodeInfo, Snapshot
from windlass.scheduler.predicates.verdict import Refusal, refused_for_good


def prepare(pod: PodInfo, snapshot: Snapshot) -> Callable[[NodeInfo], Refusal | None] | Refusal | None:
    names = [str(claim.get("name")) for claim in pod.pod.spec.resource_claims]
    if not names:
        return None
    return refused_for_good(NodeCause("ResourceClaims", ", ".join(names)))
