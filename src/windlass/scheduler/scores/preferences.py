"""Preferred node affinity, and taints that only ask to be avoided."""

from collections.abc import Sequence

from windlass.apis.node_fit import fits_term, tolerates_taint
from windlass.kube.json import dig_list
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import NodeInfo, Snapshot
from windlass.scheduler.model.terms import PREFERRED


def node_affinity(pod: PodInfo, snapshot: Snapshot, nodes: Sequence[NodeInfo]) -> list[float] | None:
    preferences = dig_list(pod.pod.spec.affinity, "nodeAffinity", PREFERRED)
    if not preferences:
        return None
    raw = [
        sum(wish["weight"] for wish in preferences if node.node and fits_term(wish.get("preference") or {}, node.node))
        for node in nodes
    ]
    return normal(raw)


def taints(pod: PodInfo, snapshot: Snapshot, nodes: Sequence[NodeInfo]) -> list[float] | None:
    if not any(node.blocked for node in nodes):
        return None
    bearing = [one for one in pod.tolerations if one.get("effect") in (None, "", "PreferNoSchedule")]
    raw = [
        sum(
            1
            for taint in (node.node.spec.taints if node.node else ())
            if taint.effect == "PreferNoSchedule" and not any(tolerates_taint(one, taint) for one in bearing)
        )
        for node in nodes
    ]
    most = max(raw, default=0)
    return [100 - 100 * one // most if most else 100 for one in raw]


def normal(raw: Sequence[float]) -> list[float]:
    """Between 0 for nothing and 100 for the most."""
    most = max(raw, default=0)
    return [100 * one // most if most else 0 for one in raw]
