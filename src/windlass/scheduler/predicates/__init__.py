"""Which nodes a pod may be on. One module a question; asked in this order, the first that refuses gives the reason.

`prepare(pod, snapshot)` answers a check of one node, or None where the question does not arise for the pod, or a
Refusal where no node can do. Left out by name: limits of CSI drivers on volumes a node (NodeVolumeLimits), in-tree zone
labels of volumes (VolumeZone). Dynamic resource allocation is refused by `resource_claims`.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeAlias

from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import NodeInfo, Snapshot
from windlass.scheduler.predicates import (
    node_affinity,
    node_name,
    pod_affinity,
    ports,
    resource_claims,
    resources,
    spread,
    taints,
    unschedulable,
    volumes,
)
from windlass.scheduler.predicates.verdict import Refusal

Check: TypeAlias = Callable[[NodeInfo], Refusal | None]
Prepare: TypeAlias = Callable[[PodInfo, Snapshot], Check | Refusal | None]

PREDICATES: tuple[tuple[str, Prepare], ...] = (
    ("resource_claims", resource_claims.prepare),
    ("unschedulable", unschedulable.prepare),
    ("node_name", node_name.prepare),
    ("taints", taints.prepare),
    ("node_affinity", node_affinity.prepare),
    ("ports", ports.prepare),
    ("resources", resources.prepare),
    ("volumes", volumes.prepare),
    ("spread", spread.prepare),
    ("pod_affinity", pod_affinity.prepare),
)


NODE_ONLY = tuple(one for one in PREDICATES if one[0] in ("unschedulable", "node_name", "taints", "node_affinity"))
"""Those that look at the node and not at what is on it."""


def checks(pod: PodInfo, snapshot: Snapshot) -> list[tuple[str, Check]] | Refusal:
    """The questions that arise for this pod; a Refusal where it can be nowhere."""
    return prepare_only(PREDICATES, pod, snapshot)


def prepare_only(
    predicates: Iterable[tuple[str, Prepare]], pod: PodInfo, snapshot: Snapshot
) -> list[tuple[str, Check]] | Refusal:
    """As `checks`, of some predicates."""
    found: list[tuple[str, Check]] = []
    for name, prepare in predicates:
        check = prepare(pod, snapshot)
        if isinstance(check, Refusal):
            return replace(check, by=name)
        if check is not None:
            found.append((name, check))
    return found


def first_refusal(questions: list[tuple[str, Check]], node: NodeInfo) -> Refusal | None:
    for name, check in questions:
        refusal = check(node)
        if refusal is not None:
            return replace(refusal, by=name)
    return None


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
    """Asked again for one node, as the snapshot is now."""
    questions = checks(pod, snapshot)
    return questions if isinstance(questions, Refusal) else first_refusal(questions, node)
