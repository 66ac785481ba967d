"""Soft topology spread: the domain with fewer of the pods that a constraint counts is better."""

from collections.abc import Sequence
from math import floor, log

from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import NodeInfo, Snapshot
from windlass.scheduler.predicates.spread import Constraint, constraints, domains


def score(pod: PodInfo, snapshot: Snapshot, nodes: Sequence[NodeInfo]) -> list[float] | None:
    soft = constraints(pod, "ScheduleAnyway")
    if not soft:
        return None
    able = [node for node in nodes if all(one.key in node.labels for one in soft)]
    costs = {node.name: 0.0 for node in able}
    for one in soft:
        _add(costs, one, domains(pod, one, soft, snapshot), able)
    if not costs:
        return None
    whole = {name: floor(cost + 0.5) for name, cost in costs.items()}
    least, most = min(whole.values()), max(whole.values())
    if not most:
        return [100 if node.name in whole else 0 for node in nodes]
    return [100 * (most + least - whole[node.name]) // most if node.name in whole else 0 for node in nodes]


def _add(costs: dict[str, float], constraint: Constraint, counts: dict[str, int], nodes: Sequence[NodeInfo]) -> None:
    """A constraint with many domains weighs more: its counts are small, and would be lost beside another's."""
    weight = log(len({node.labels[constraint.key] for node in nodes}) + 2)
    for node in nodes:
        costs[node.name] += counts.get(node.labels[constraint.key], 0) * weight + constraint.max_skew - 1
