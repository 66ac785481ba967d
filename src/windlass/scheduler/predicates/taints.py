"""NoSchedule and NoExecute taints keep pods away that do not tolerate them."""

from collections.abc import Callable

from windlass.apis.node_fit import first_untolerated
from windlass.apis.reasons import NodeCause
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import NodeInfo, Snapshot
from windlass.scheduler.predicates.verdict import Refusal, refused_for_good

FORBIDDING = ("NoSchedule", "NoExecute")


def prepare(pod: PodInfo, snapshot: Snapshot) -> Callable[[NodeInfo], Refusal | None] | Refusal | None:
    tolerations = pod.tolerations
    refusal = refused_for_good(NodeCause("UntoleratedTaint"))

    def check(node: NodeInfo) -> Refusal | None:
        if not node.blocked or node.node is None:
            return None
        taint = first_untolerated(tolerations, node.node.spec.taints, FORBIDDING)
        if taint is None:
            return None
        return refusal

    return check
