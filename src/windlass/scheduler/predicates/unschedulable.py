"""A cordoned node takes no pods but those that tolerate it."""

from collections.abc import Callable

from windlass.apis.core_v1 import Taint
from windlass.apis.node_fit import tolerates_taint
from windlass.apis.reasons import NodeCause
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import NodeInfo, Snapshot
from windlass.scheduler.predicates.verdict import Refusal, refused_for_good

CORDONED = Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule")


def prepare(pod: PodInfo, snapshot: Snapshot) -> Callable[[NodeInfo], Refusal | None] | Refusal | None:
    if any(tolerates_taint(one, CORDONED) for one in pod.tolerations):
        return None
    refusal = refused_for_good(NodeCause("NodeUnschedulable"))

    def check(node: NodeInfo) -> Refusal | None:
        return refusal if node.blocked and node.node is not None and node.node.spec.unschedulable else None

    return check
