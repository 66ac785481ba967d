"""Soft topology spread: the domain with fewer of the pods that a constraint counts is better."""

from collections.abc import Sequence
from math import log

from windlass.scheduler.pod_info import PodInfo
from windlass.scheduler.predicates.spread import constraints, domains
from windlass.scheduler.snapshot import NodeInfo, Snapshot


def score(pod: PodInfo, snapshot: Snapshot, nodes: Sequence[NodeInfo]) -> list[float] | None:
    soft = constraints(pod, "ScheduleAnyway")
    if not soft:
        return None
    counted = [(one, domains(pod, one, soft, snapshot)) for one in soft]
    raw: list[float | None] = []
    for node in nodes:
        if any(one.key not in node.labels for one in soft):
            raw.append(None)
            continue
        cost = 0.0
        for one, counts in counted:
            cost += counts.get(node.labels[one.key], 0) * log(len(counts) + 2) + one.max_skew - 1
        raw.append(cost)
    known = [one for one in raw if one is not None]
    if not known:
        return None
    least, most = min(known), max(known)
    return [0.0 if one is None else 100.0 if not most else 100 * (most + least - one) // most for one in raw]
