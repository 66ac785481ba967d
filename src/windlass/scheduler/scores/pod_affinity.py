"""Preferred affinity and anti-affinity between pods, of the pod that comes and of those that are there."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import NodeInfo, Snapshot
from windlass.scheduler.model.terms import Term
from windlass.scheduler.predicates.pod_affinity import pods_about

Sums = defaultdict[tuple[str, str], int]


def score(pod: PodInfo, snapshot: Snapshot, nodes: Sequence[NodeInfo]) -> list[float] | None:
    """A required affinity of a pod that is there counts as a wish of weight 1 for those that it is about."""
    if not pod.preferences and not snapshot.attracting:
        return None
    sums: Sums = defaultdict(int)
    for term, sign in pod.preferences:
        _add(sums, term, sign, pods_about((term,), snapshot), snapshot)
    for (term, sign), there in snapshot.attracting.items():
        if term.matches(pod.pod, snapshot.namespaces):
            _add(sums, term, sign, there, snapshot)
    if not sums:
        return None
    raw = [sum(sums.get(place, 0) for place in node.labels.items()) for node in nodes]
    least, most = min(raw), max(raw)
    return [100 * (one - least) // (most - least) if most > least else 0 for one in raw]


def _add(sums: Sums, term: Term, sign: int, there: Mapping[str, int], snapshot: Snapshot) -> None:
    for name, count in there.items():
        node = snapshot.node(name) if count else None
        value = node.labels.get(term.topology_key) if node else None
        if value is not None:
            sums[term.topology_key, value] += sign * term.weight * count
