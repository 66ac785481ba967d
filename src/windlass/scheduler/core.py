"""One pod, one snapshot, one answer. Pure: the live loop, tests and simulations call the same."""

from dataclasses import dataclass, field

from windlass.scheduler.placing.placer import Placer
from windlass.scheduler.pod_info import PodInfo
from windlass.scheduler.predicates import checks, refusal_of
from windlass.scheduler.snapshot import Snapshot
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


def schedule(pod: PodInfo, snapshot: Snapshot, placer: Placer | None = None) -> Placed | Unplaced:
    """Where the pod should go now, with all that is known; nothing is changed. A `placer` that is kept is quicker."""
    if not snapshot.nodes:
        return Unplaced(0)
    placer = placer or Placer(snapshot)
    shape = placer.shapes.of(pod)
    if placer.is_quick(shape):
        best = placer.ranking(shape).best()
        if best is not None:
            return Placed(snapshot.table.names[best])
        return _refused_everywhere(pod, snapshot)
    return _schedule_thoroughly(pod, snapshot, placer)


def _schedule_thoroughly(pod: PodInfo, snapshot: Snapshot, placer: Placer) -> Placed | Unplaced:
    questions = checks(pod, snapshot)
    if isinstance(questions, Refusal):
        return Unplaced(len(snapshot.nodes), pod=questions)
    promised = snapshot.nominated.get(pod.uid)
    room = snapshot.node(promised[1]) if promised else None
    if room is not None and refusal_of(pod, room, questions, snapshot) is None:
        return Placed(room.name)
    best = placer.best_thoroughly(pod)
    return Placed(best.name) if best is not None else _refused_everywhere(pod, snapshot)


def _refused_everywhere(pod: PodInfo, snapshot: Snapshot) -> Unplaced:
    nodes, questions = snapshot.nodes, checks(pod, snapshot)
    if isinstance(questions, Refusal):
        return Unplaced(len(nodes), pod=questions)
    refusals: dict[str, Refusal] = {}
    for node in nodes:
        refusal = refusal_of(pod, node, questions, snapshot)
        if refusal is not None:
            refusals[node.name] = refusal
    return Unplaced(len(nodes), refusals)
