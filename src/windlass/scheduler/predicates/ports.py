"""Two pods of a node cannot have the same host port."""

from collections.abc import Callable

from windlass.apis.reasons import NodeCause
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import ANY_ADDRESS, NodeInfo, Snapshot
from windlass.scheduler.predicates.verdict import Refusal, refused


def prepare(pod: PodInfo, snapshot: Snapshot) -> Callable[[NodeInfo], Refusal | None] | Refusal | None:
    if not pod.ports:
        return None
    wanted = pod.ports
    refusal = refused(NodeCause("NodePorts"))

    def check(node: NodeInfo) -> Refusal | None:
        for address, protocol, port in wanted:
            for other, its_protocol, its_port in node.ports:
                alike = address == other or ANY_ADDRESS in (address, other)
                if alike and port == its_port and protocol == its_protocol:
                    return refusal
        return None

    return check
