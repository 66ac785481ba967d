"""What is asked of a node, with what is asked already, is no more than it offers; and it takes only so many pods."""

from collections.abc import Callable

import numpy as np

from windlass.apis.reasons import TOO_MANY_PODS, NodeCause, insufficient
from windlass.scheduler.model.columns import TOLERANCE, name_of
from windlass.scheduler.model.node_table import NodeTable
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import NodeInfo, Snapshot
from windlass.scheduler.predicates.verdict import Refusal


def prepare(pod: PodInfo, snapshot: Snapshot) -> Callable[[NodeInfo], Refusal | None] | Refusal | None:
    wanted = tuple(pod.requests.items())

    def check(node: NodeInfo) -> Refusal | None:
        offered, requested = node.allocatable, node.requested
        if len(node.pods) < offered.get("pods", 0):
            for name, amount in wanted:
                if amount > offered.get(name, 0) - requested.get(name, 0):
                    break
            else:
                return None
        return shortages(pod, node)

    if not snapshot.table.promises:
        return check
    return lambda node: check(node) or _kept_for_others(pod, node, snapshot.table)


def _kept_for_others(pod: PodInfo, node: NodeInfo, table: NodeTable) -> Refusal | None:
    """What is free there is promised to a gang."""
    number, wanted = table.index[node.name], pod.vector
    free = table.allocatable[:, number] - table.used[:, number] - table.kept[:, number]
    lacking = np.flatnonzero((wanted > 0) & (free + TOLERANCE < wanted)).tolist()
    return Refusal(tuple(insufficient(name_of(one)) for one in lacking)) if lacking else None


def shortages(pod: PodInfo, node: NodeInfo) -> Refusal:
    causes: list[NodeCause] = []
    hopeless = False
    if len(node.pods) + 1 > node.allocatable.get("pods", 0):
        causes.append(TOO_MANY_PODS)
    for name, amount in pod.requests.items():
        offered = node.allocatable.get(name, 0)
        if amount > offered - node.requested.get(name, 0):
            causes.append(insufficient(name))
            hopeless = hopeless or amount > offered
    return Refusal(tuple(causes), unresolvable=hopeless)


def fits(pod: PodInfo, node: NodeInfo) -> bool:
    return not shortages(pod, node).causes
