"""One pod, one snapshot, one answer. Pure: the live loop, tests and simulations call the same."""

from dataclasses import dataclass, field

from windlass.scheduler.pod_info import PodInfo
from windlass.scheduler.predicates import Check, checks, first_refusal
from windlass.scheduler.scores import best
from windlass.scheduler.snapshot import NodeInfo, Snapshot
from windlass.scheduler.verdict import NO_NODES, Refusal, none_available, none_for_pod


@dataclass(frozen=True, slots=True)
class Placed:
    """The pod may be bound to this node."""

    node: str


@dataclass(frozen=True, slots=True)
class Unplaced:
    """No node will do; `refusals` says why of each, or `pod` of all at once."""

    nodes: int
    refusals: dict[str, Refusal] = field(default_factory=dict[str, Refusal])
    pod: Refusal | None = None

    @property
    def message(self) -> str:
        if not self.nodes:
            return NO_NODES
        if self.pod is not None:
            return none_for_pod(self.nodes, self.pod.reasons[0])
        return none_available(self.nodes, self.refusals)

    @property
    def refused_by(self) -> frozenset[str]:
        """The predicates that stood in the way: what must change before it is worth trying again."""
        if self.pod is not None:
            return frozenset((self.pod.by,))
        return frozenset(refusal.by for refusal in self.refusals.values())


def schedule(pod: PodInfo, snapshot: Snapshot) -> Placed | Unplaced:
    """Where the pod should go now, with all that is known; nothing is changed."""
    nodes = snapshot.nodes
    if not nodes:
        return Unplaced(0)
    questions = checks(pod, snapshot)
    if isinstance(questions, Refusal):
        return Unplaced(len(nodes), pod=questions)
    promised = snapshot.nominated.get(pod.uid)
    room = snapshot.node(promised[1]) if promised else None
    if room is not None and refusal_of(pod, room, questions, snapshot) is None:
        return Placed(room.name)
    possible: list[NodeInfo] = []
    refusals: dict[str, Refusal] = {}
    for node in nodes:
        refusal = refusal_of(pod, node, questions, snapshot)
        if refusal is None:
            possible.append(node)
        else:
            refusals[node.name] = refusal
    return Placed(best(pod, snapshot, possible).name) if possible else Unplaced(len(nodes), refusals)


def refusal_of(pod: PodInfo, node: NodeInfo, questions: list[tuple[str, Check]], snapshot: Snapshot) -> Refusal | None:
    """Why not on this node; room that is promised to others of at least its priority counts as taken."""
    refusal = first_refusal(questions, node)
    if refusal is not None or not snapshot.nominated:
        return refusal
    others = [
        other
        for uid, (other, name) in snapshot.nominated.items()
        if name == node.name and uid != pod.uid and other.priority >= pod.priority
    ]
    if not others:
        return None
    with snapshot.supposing(there=others, node=node.name):
        return fits(pod, node, snapshot)


def fits(pod: PodInfo, node: NodeInfo, snapshot: Snapshot) -> Refusal | None:
    """Asked anew for one node, as the snapshot is now."""
    questions = checks(pod, snapshot)
    return questions if isinstance(questions, Refusal) else first_refusal(questions, node)
