"""Required affinity and anti-affinity between pods, the latter both ways."""

from collections.abc import Callable, Mapping, Sequence

from windlass.apis.reasons import NodeCause
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import NodeInfo, Snapshot
from windlass.scheduler.model.terms import Term
from windlass.scheduler.predicates.verdict import Refusal, refused, refused_for_good

Place = tuple[str, str]
"""A topology key and a value of it."""


def prepare(pod: PodInfo, snapshot: Snapshot) -> Callable[[NodeInfo], Refusal | None] | Refusal | None:
    forbidden = _kept_away(pod, snapshot)
    anti = [_places((term,), snapshot) for term in pod.anti_affinity]
    near = _places(pod.affinity, snapshot) if pod.affinity else set[Place]()
    if not forbidden and not pod.affinity and not any(anti):
        return None
    first_of_its_kind = not near and all(term.matches(pod.pod, snapshot.namespaces) for term in pod.affinity)
    no_affinity = refused_for_good(NodeCause("PodAffinity"))
    repelled = refused(NodeCause("PodAntiAffinity"))
    kept_away = refused(NodeCause("ExistingAntiAffinity"))

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
    for term, nodes in snapshot.repelling.items():
        if term.matches(pod.pod, snapshot.namespaces):
            for name in nodes:
                node = snapshot.node(name)
                value = node.labels.get(term.topology_key) if node else None
                if value is not None:
                    places.add((term.topology_key, value))
    return places


def _places(terms: Sequence[Term], snapshot: Snapshot) -> set[Place]:
    """Where there is a pod that every one of the terms is about."""
    there = pods_about(terms, snapshot)
    keys = {term.topology_key for term in terms}
    return {
        (key, node.labels[key]) for node in snapshot.nodes if there.get(node.name) for key in keys if key in node.labels
    }


def pods_about(terms: Sequence[Term], snapshot: Snapshot) -> Mapping[str, int]:
    """By node, how many pods every one of the terms is about."""
    namespaces = snapshot.namespaces
    rule = ("terms", *(term.about for term in terms))
    return snapshot.tally(rule, lambda other: all(term.matches(other.pod, namespaces) for term in terms))
