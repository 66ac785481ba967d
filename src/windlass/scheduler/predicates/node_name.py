"""A pod that names its node goes there; such a pod is not queued, so this only guards the other callers of the core."""

from collections.abc import Callable

from windlass.apis.reasons import NodeCause
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import NodeInfo, Snapshot
from windlass.scheduler.predicates.verdict import Refusal, refused_for_good


def prepare(pod: PodInfo, snapshot: Snapshot) -> Callable[[NodeInfo], Refusal | None] | Refusal | None:
    wanted = pod.pod.spec.node_name
    if not wanted:
        return None
    refusal = refused_for_good(NodeCause("NodeName"))

    def check(node: NodeInfo) -> Refusal | None:
        return None if node.name == wanted else refusal

    return check
