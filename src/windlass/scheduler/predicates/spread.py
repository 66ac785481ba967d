"""Topology spread: the pods that a constraint counts are nearly as many in each domain. Hard ones forbid nodes."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from windlass.apis.core_v1 import Json
from windlass.apis.node_fit import first_untolerated, fits_selector
from windlass.apis.reasons import NodeCause
from windlass.kube.selector import LabelSelector
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import NodeInfo, Snapshot
from windlass.scheduler.model.terms import with_own_labels
from windlass.scheduler.predicates.taints import FORBIDDING
from windlass.scheduler.predicates.verdict import Refusal, refused, refused_for_good


@dataclass(frozen=True, slots=True)
class Constraint:
    """One of a pod's topologySpreadConstraints."""

    key: str
    max_skew: int
    selector: LabelSelector
    min_domains: int
    honours_affinity: bool
    honours_taints: bool


def constraints(pod: PodInfo, when_unsatisfiable: str) -> list[Constraint]:
    found = pod.pod.spec.topology_spread_constraints
    return [_constraint(pod, one) for one in found if one.get("whenUnsatisfiable") == when_unsatisfiable]


def _constraint(pod: PodInfo, given: Json) -> Constraint:
    return Constraint(
        key=given["topologyKey"],
        max_skew=given.get("maxSkew", 1),
        selector=with_own_labels(pod.pod, given),
        min_domains=given.get("minDomains") or 1,
        honours_affinity=given.get("nodeAffinityPolicy", "Honor") == "Honor",
        honours_taints=given.get("nodeTaintsPolicy", "Ignore") == "Honor",
    )


def domains(pod: PodInfo, constraint: Constraint, others: list[Constraint], snapshot: Snapshot) -> dict[str, int]:
    """How many pods each domain has that the constraint counts; a node that lacks one of the keys is in none."""
    counts: defaultdict[str, int] = defaultdict(int)
    there = matching(pod, constraint, snapshot)
    for node in snapshot.nodes:
        if all(other.key in node.labels for other in others) and _counts(pod, constraint, node):
            counts[node.labels[constraint.key]] += there.get(node.name, 0)
    return counts


def matching(pod: PodInfo, constraint: Constraint, snapshot: Snapshot) -> Mapping[str, int]:
    """By node, how many pods of the same namespace the constraint counts; those that are being deleted are not."""
    namespace, selector = pod.key.namespace, constraint.selector

    def counts_for(other: PodInfo) -> bool:
        metadata = other.pod.metadata
        return metadata.namespace == namespace and not metadata.deletion_timestamp and selector.matches(metadata.labels)

    return snapshot.tally(("spread", namespace, selector), counts_for)


def _counts(pod: PodInfo, constraint: Constraint, node: NodeInfo) -> bool:
    assert node.node is not None
    spec = pod.pod.spec
    if constraint.honours_affinity and not fits_selector(spec.node_selector, spec.affinity or {}, node.node):
        return False
    taints = node.node.spec.taints
    return not constraint.honours_taints or first_untolerated(pod.tolerations, taints, FORBIDDING) is None


def prepare(pod: PodInfo, snapshot: Snapshot) -> Callable[[NodeInfo], Refusal | None] | Refusal | None:
    hard = constraints(pod, "DoNotSchedule")
    if not hard:
        return None
    counted = [(one, domains(pod, one, hard, snapshot)) for one in hard]
    least = [0 if len(counts) < one.min_domains else min(counts.values(), default=0) for one, counts in counted]
    own = [int(one.selector.matches(pod.pod.metadata.labels)) for one in hard]
    without_label = refused_for_good(NodeCause("TopologySpreadLabel"))
    skewed = refused(NodeCause("TopologySpread"))

    def check(node: NodeInfo) -> Refusal | None:
        for (one, counts), minimum, self_match in zip(counted, least, own, strict=True):
            domain = node.labels.get(one.key)
            if domain is None:
                return without_label
            if counts.get(domain, 0) + self_match - minimum > one.max_skew:
                return skewed
        return None

    return check
