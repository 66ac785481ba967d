"""Why a pod cannot be on a node, by predicate."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from windlass.apis.reasons import NodeCause, NodeCount, counted

NOT_HELPFUL = NodeCause("PreemptionNotHelpful")
NO_VICTIMS = NodeCause("NoVictims")


@dataclass(frozen=True, slots=True)
class Refusal:
    """`unresolvable`: no removal of pods from the node would change it."""

    causes: tuple[NodeCause, ...]
    unresolvable: bool = False
    by: str = ""
    """The predicate that refused."""


def refused(*causes: NodeCause) -> Refusal:
    return Refusal(causes)


def refused_for_good(*causes: NodeCause) -> Refusal:
    return Refusal(causes, unresolvable=True)


def counts_of(refusals: Mapping[str, Refusal]) -> tuple[NodeCount, ...]:
    """How many nodes refuse for each cause."""
    return counted(Counter(cause for refusal in refusals.values() for cause in refusal.causes))
