"""Required affinity and anti-affinity between pods, the latter both ways."""

from collections import defaultdict
from collections.abc import Callable, Sequence

from windlass.scheduler.pod_info import PodInfo
from windlass.scheduler.snapshot import NodeInfo, Snapshot
from windlass.scheduler.terms import Term
from windlass.scheduler.verdict import Refusal, refused, refused_for_good

Place = tuple[str, str]
"""A topology key and a value of it."""


def prepare(pod: PodInfo, snapshot: Snapshot) -> Callable[[NodeInfo], Refusal | None] | Refusal | None:
    forbidden = _kept_away(pod, snapshot)
    anti = [_places_of_any(term, pod, snapshot) for term in pod.anti_affinity]
    near = _places_of_all(pod.affinity, pod, snapshot) if pod.affinity else set[Place]()
    if not forbidden and not pod.affinity and not any(anti):
        return None
    first_of_its_kind = not near and all(term.matches(pod.pod, snapshot.namespaces) for term in pod.affinity)
    no_affinity = refused_for_good("node(s) didn't match pod affinity rules")
    repelled = refused("node(s) didn't match pod anti-affinity rules")
    kept_away = refused("node(s) didn't satisfy existing pods anti-affinity rules")

    def check(node: NodeInfo) -> Refusal | None:
        labels = node.labels
        for term in pod.affinity:
            value = labels.get(term.topology_key)
            if value is None or ((term.topology_key, value) not in near and not first_of_its_kind):
                return no_affinity
        for term, places in zip(pod.anti_affinity, anti, strict=True):
            if (term.topology_key, labels.get(term.topology_key, "")) in places and term.topology_key in labels:
                return repelled
        if any(labels.get(key) == value for key, value in forbidden):
            return kept_away
        return None

    return check


def _kept_away(pod: PodInfo, snapshot: Snapshot) -> set[Place]:
    """Where pods are that will not have this one near them."""
    places: set[Place] = set()
    for other in snapshot.repelling.values():
        node = snapshot.node_of(other.uid)
        if node is None or other.uid == pod.uid:
            continue
        for term in other.anti_affinity:
            value = node.labels.get(term.topology_key)
            if value is not None and term.matches(pod.pod, snapshot.namespaces):
                places.add((term.topology_key, value))
    return places


def _places_of_any(term: Term, pod: PodInfo, snapshot: Snapshot) -> set[Place]:
    return _places_of_all((term,), pod, snapshot)


def _places_of_all(terms: Sequence[Term], pod: PodInfo, snapshot: Snapshot) -> set[Place]:
    """Where there is a pod that every one of the terms is about."""
    counts: defaultdict[Place, int] = defaultdict(int)
    for node in snapshot.nodes:
        keys = [term.topology_key for term in terms if term.topology_key in node.labels]
        if not keys:
            continue
        for other in node.pods.values():
            if other.uid != pod.uid and all(term.matches(other.pod, snapshot.namespaces) for term in terms):
                for key in keys:
                    counts[key, node.labels[key]] += 1
                break
    return set(counts)
