"""Which of the nodes that would do is best. One module a question, each answering 0 to 100 for a node.

With Kubernetes' weights. Left out by name: ImageLocality (environments are shared on a node), the cluster-wide default
spread of PodTopologySpread.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import NodeInfo, Snapshot
from windlass.scheduler.scores import pod_affinity, preferences, resources, spread

Score: TypeAlias = Callable[[PodInfo, Snapshot, Sequence[NodeInfo]], list[float] | None]

THOROUGH: tuple[tuple[Score, float], ...] = (
    (preferences.taints, 3),
    (preferences.node_affinity, 2),
    (spread.score, 2),
    (pod_affinity.score, 2),
)
"""Scores that are computed node by node."""
SCORES: tuple[tuple[Score, float], ...] = (
    (resources.least_allocated, 1),
    (resources.balanced_allocation, 1),
    *THOROUGH,
)


def best(pod: PodInfo, snapshot: Snapshot, nodes: Sequence[NodeInfo]) -> NodeInfo:
    """The node with the highest sum; of equal ones the first by name, so that the same question has one answer."""
    if len(nodes) == 1:
        return nodes[0]
    totals = [0.0] * len(nodes)
    for score, weight in SCORES:
        found = score(pod, snapshot, nodes)
        if found is not None:
            totals = [total + weight * one for total, one in zip(totals, found, strict=True)]
    return nodes[max(range(len(nodes)), key=totals.__getitem__)]
