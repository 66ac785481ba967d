"""Why a pod cannot be on a node, and how that is told: Kubernetes' own words."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

NO_NODES = "no nodes available to schedule pods"
NOT_HELPFUL = "Preemption is not helpful for scheduling"
NO_VICTIMS = "No preemption victims found for incoming pod"


@dataclass(frozen=True, slots=True)
class Refusal:
    """`unresolvable`: no removal of pods from the node would change it."""

    reasons: tuple[str, ...]
    unresolvable: bool = False
    by: str = ""
    """The predicate that refused."""


def refused(*reasons: str) -> Refusal:
    return Refusal(reasons)


def refused_for_good(*reasons: str) -> Refusal:
    return Refusal(reasons, unresolvable=True)


def none_available(nodes: int, refusals: Mapping[str, Refusal]) -> str:
    """`0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.`"""
    counts = Counter(reason for refusal in refusals.values() for reason in refusal.reasons)
    return _sentence(nodes, sorted(f"{count} {reason}" for reason, count in counts.items()))


def none_for_pod(nodes: int, reason: str) -> str:
    """What the pod itself lacks, which no node can mend."""
    return _sentence(nodes, [reason])


def _sentence(nodes: int, parts: Iterable[str]) -> str:
    listed = ", ".join(parts)
    return f"0/{nodes} nodes are available: {listed}." if listed else f"0/{nodes} nodes are available:"
