"""Which pods of lower priority would have to go so that one fits, and where that costs least. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from windlass.apis.policy_v1 import PodDisruptionBudget
from windlass.apis.reasons import PreemptionDisabled, PreemptionPending, PreemptionReason, PreemptionUnhelpful
from windlass.kube.controller import matches
from windlass.scheduler.cycle.pod_cycle import Unplaced
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import NodeInfo, Snapshot
from windlass.scheduler.predicates import fits
from windlass.scheduler.predicates.verdict import NO_VICTIMS, NOT_HELPFUL, Refusal, counts_of, refused_for_good

LEAST_CANDIDATES, CANDIDATES_PERCENT = 100, 10  # nodes looked at; kube-scheduler's defaults
_OFFSET = 2**31  # makes every priority count in a sum, negative ones too


@dataclass(frozen=True, slots=True)
class Preemption:
    """Room can be made on `node` by ending `victims`, the most important first."""

    node: str
    victims: tuple[PodInfo, ...]
    violations: int = 0
    """How many of them a disruption budget would rather keep."""


@dataclass(frozen=True, slots=True)
class NoPreemption:
    """Preemption makes no room, for this reason."""

    reason: PreemptionReason


def preempt(pod: PodInfo, failed: Unplaced, snapshot: Snapshot) -> Preemption | NoPreemption:
    if pod.pod.spec.preemption_policy == "Never":
        return NoPreemption(PreemptionDisabled())
    if _is_under_way(pod, failed, snapshot):
        return NoPreemption(PreemptionPending())
    unhelpful, candidates = refused_for_good(NOT_HELPFUL), list[Preemption]()
    refusals = {node.name: unhelpful for node in snapshot.nodes}
    limit = max(LEAST_CANDIDATES, len(refusals) * CANDIDATES_PERCENT // 100)
    for name, refusal in failed.refusals.items():
        node = snapshot.node(name)
        if refusal.unresolvable or node is None:
            continue
        found = victims_on(node, pod, snapshot)
        if isinstance(found, Refusal):
            refusals[name] = found
            continue
        candidates.append(found)
        if len(candidates) >= limit:
            break
    if not candidates:
        return NoPreemption(PreemptionUnhelpful(len(refusals), counts_of(refusals)))
    return min(candidates, key=_cost)


def _is_under_way(pod: PodInfo, failed: Unplaced, snapshot: Snapshot) -> bool:
    """Victims on its nominated node are still ending: more of them would not make it faster."""
    promised = snapshot.nominated.get(pod.uid)
    node = snapshot.node(promised[1]) if promised else None
    if node is None:
        return False
    refusal = failed.refusals.get(node.name)
    if refusal is not None and refusal.unresolvable:
        return False
    return any(other.priority < pod.priority and other.pod.metadata.deletion_timestamp for other in node.pods.values())


def victims_on(node: NodeInfo, pod: PodInfo, snapshot: Snapshot) -> Preemption | Refusal:
    """The fewest pods that must go: all of lower priority are taken away, and given back while the pod still fits."""
    lower = sorted((other for other in node.pods.values() if other.priority < pod.priority), key=importance)
    if not lower:
        return refused_for_good(NO_VICTIMS)
    rather_kept, others = _by_budgets(lower, snapshot.budgets.values())
    victims: list[PodInfo] = []
    violations = 0
    with snapshot.supposing(gone=lower, node=node.name):
        refusal = fits(pod, node, snapshot)
        if refusal is not None:
            return refusal
        back: list[PodInfo] = []
        try:
            for other in (*rather_kept, *others):
                snapshot.add_pod(other, node.name)
                if fits(pod, node, snapshot) is None:
                    back.append(other)
                    continue
                snapshot.remove_pod(other.uid)
                victims.append(other)
                violations += other in rather_kept
        finally:
            for other in back:
                snapshot.remove_pod(other.uid)
    if not victims:  # what is free without victims is promised to others
        return refused_for_good(NO_VICTIMS)
    return Preemption(node.name, tuple(sorted(victims, key=importance)), violations)


def importance(pod: PodInfo) -> tuple[int, str, str]:
    """Sorts the most important first: by priority, then by who started earlier."""
    return -pod.priority, pod.pod.status.start_time or "9999", pod.uid


def _by_budgets(pods: Sequence[PodInfo], budgets: Iterable[PodDisruptionBudget]) -> tuple[list[PodInfo], list[PodInfo]]:
    """Those whose going would break a disruption budget, and the others."""
    left = [(budget, budget.status.disruptions_allowed or 0) for budget in budgets]
    breaking: list[PodInfo] = []
    free: list[PodInfo] = []
    for pod in pods:
        broken = False
        for number, (budget, allowed) in enumerate(left):
            if _covers(budget, pod):
                left[number] = (budget, allowed - 1)
                broken = broken or allowed <= 0
        (breaking if broken else free).append(pod)
    return breaking, free


def _covers(budget: PodDisruptionBudget, pod: PodInfo) -> bool:
    selector = budget.spec.selector
    if budget.metadata.namespace != pod.key.namespace or selector is None:
        return False
    if not selector.match_labels and not selector.match_expressions:
        return False
    return pod.key.name not in budget.status.disrupted_pods and matches(selector, pod.pod.metadata.labels)


def _cost(found: Preemption) -> tuple[int, int, int, int, str, str]:
    """Least is best: broken budgets, the highest priority, the sum of them, how many, who ran longest, the name."""
    top = found.victims[0].priority
    started = min(one.pod.status.start_time or "9999" for one in found.victims if one.priority == top)
    later_is_less = "".join(chr(0x10FFFF - ord(letter)) for letter in started)
    total = sum(one.priority + _OFFSET for one in found.victims)
    return found.violations, top, total, len(found.victims), later_is_less, found.node
