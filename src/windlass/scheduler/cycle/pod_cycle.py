"""One pod, one snapshot, one answer. Pure: the live loop, tests and simulations call the same."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from windlass.apis.reason_text import node_reason
from windlass.apis.reasons import NodeCause, NodeReason, NodesUnfit, NoNodes, PodUnfit
from windlass.scheduler.model.columns import Mask
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import Snapshot
from windlass.scheduler.placing.placer import Placer
from windlass.scheduler.predicates import checks, refusal_of
from windlass.scheduler.predicates.verdict import Refusal, counts_of

RESERVATION = "reservation"
"""What refuses a pod where a node is kept for others."""
NONE: Mapping[str, NodeCause] = {}


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
    def reason(self) -> NodeReason:
        if not self.nodes:
            return NoNodes()
        if self.pod is not None:
            return PodUnfit(self.nodes, self.pod.causes[0])
        return NodesUnfit(self.nodes, counts_of(self.refusals))

    @property
    def message(self) -> str:
        """The reason in kube-scheduler's words."""
        return node_reason(self.reason)

    @property
    def refused_by(self) -> frozenset[str]:
        """The predicates that stood in the way: what must change before it is worth trying again."""
        if self.pod is not None:
            return frozenset((self.pod.by,))
        return frozenset(refusal.by for refusal in self.refusals.values())


def schedule(
    pod: PodInfo, snapshot: Snapshot, placer: Placer | None = None, closed: Mapping[str, NodeCause] = NONE
) -> Placed | Unplaced:
    """Where the pod should go now, with all that is known; nothing is changed. A `placer` that is kept is quicker.

    `closed` are nodes that are kept for others, and for whom.
    """
    if not snapshot.nodes:
        return Unplaced(0)
    placer = placer or Placer(snapshot)
    shape = placer.shapes.of(pod)
    if not placer.is_quick(shape):
        return _schedule_thoroughly(pod, snapshot, placer, closed)
    best = placer.ranking(shape).best()
    node = snapshot.table.names[best] if best is not None else None
    if node in closed:
        found = placer.fill([pod], within=_open(snapshot, closed))
        snapshot.remove_pod(pod.uid)
        node = found[0] if found else None
    return Placed(node) if node is not None else _refused_everywhere(pod, snapshot, closed)


def _open(snapshot: Snapshot, closed: Mapping[str, NodeCause]) -> Mask | None:
    if not closed:
        return None
    table = snapshot.table
    mask = np.ones(len(table), dtype=np.bool_)
    mask[[table.index[node] for node in closed if node in table.index]] = False
    return mask


def _schedule_thoroughly(
    pod: PodInfo, snapshot: Snapshot, placer: Placer, closed: Mapping[str, NodeCause]
) -> Placed | Unplaced:
    questions = checks(pod, snapshot)
    if isinstance(questions, Refusal):
        return Unplaced(len(snapshot.nodes), pod=questions)
    promised = snapshot.nominated.get(pod.uid)
    room = snapshot.node(promised[1]) if promised else None
    if room is not None and refusal_of(pod, room, questions, snapshot) is None:
        return Placed(room.name)
    best = placer.best_thoroughly(pod, _open(snapshot, closed))
    return Placed(best.name) if best is not None else _refused_everywhere(pod, snapshot, closed)


def _refused_everywhere(pod: PodInfo, snapshot: Snapshot, closed: Mapping[str, NodeCause]) -> Unplaced:
    nodes, questions = snapshot.nodes, checks(pod, snapshot)
    if isinstance(questions, Refusal):
        return Unplaced(len(nodes), pod=questions)
    refusals: dict[str, Refusal] = {}
    for node in nodes:
        refusal = refusal_of(pod, node, questions, snapshot)
        if node.name in closed and (refusal is None or not refusal.unresolvable):
            refusal = Refusal((closed[node.name],), unresolvable=True, by=RESERVATION)
        if refusal is not None:
            refusals[node.name] = refusal
    return Unplaced(len(nodes), refusals)
