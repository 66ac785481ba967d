"""Preferred affinity and anti-affinity between pods, of the pod that comes and of those that are there."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from windlass.scheduler.pod_info import PodInfo
from windlass.scheduler.snapshot import NodeInfo, Snapshot
from windlass.scheduler.terms import Term

HARD_WEIGHT = 1  # what a required affinity of a pod that is there counts for those it is about
Sums = defaultdict[tuple[str, str], int]


def score(pod: PodInfo, snapshot: Snapshot, nodes: Sequence[NodeInfo]) -> list[float] | None:
    wishes = [(term, 1) for term in pod.preferred] + [(term, -1) for term in pod.preferred_anti]
    if not wishes and not snapshot.attracting:
        return None
    sums: Sums = defaultdict(int)
    if wishes:
        for node in snapshot.nodes:
            for other in node.pods.values():
                _add(sums, node, other, wishes, snapshot)
    for other in snapshot.attracting.values():
        node = snapshot.node_of(other.uid)
        if node is not None and other.uid != pod.uid:
            _add(sums, node, pod, _wishes_of(other), snapshot)
    if not sums:
        return None
    raw = [sum(sums.get(place, 0) for place in node.labels.items()) for node in nodes]
    least, most = min(raw), max(raw)
    return [100 * (one - least) // (most - least) if most > least else 0 for one in raw]


def _wishes_of(other: PodInfo) -> list[tuple[Term, int]]:
    return [
        *((term, 1) for term in other.preferred),
        *((term, -1) for term in other.preferred_anti),
        *((term, HARD_WEIGHT) for term in other.affinity),
    ]


def _add(sums: Sums, node: NodeInfo, about: PodInfo, wishes: Iterable[tuple[Term, int]], snapshot: Snapshot) -> None:
    for term, sign in wishes:
        value = node.labels.get(term.topology_key)
        if value is not None and term.matches(about.pod, snapshot.namespaces):
            sums[term.topology_key, value] += sign * term.weight
