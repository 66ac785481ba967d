"""The emptier node is better, and the one whose cpu and memory are used alike (LeastAllocated, BalancedAllocation)."""

from collections.abc import Sequence

from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import NodeInfo, Snapshot


def least_allocated(pod: PodInfo, snapshot: Snapshot, nodes: Sequence[NodeInfo]) -> list[float]:
    """What would be left free of cpu and memory, in hundredths; who asks for nothing counts as asking for a little."""
    return [_free_share(pod, node) for node in nodes]


def _free_share(pod: PodInfo, node: NodeInfo) -> int:
    cpus, memory = node.allocatable.get("cpu", 0), node.allocatable.get("memory", 0)
    shares: list[int] = []
    if cpus:
        shares.append(max(cpus - node.cpu - pod.cpu, 0) * 100 // cpus)
    if memory:
        shares.append(max(memory - node.memory - pod.memory, 0) * 100 // memory)
    return sum(shares) // len(shares) if shares else 0


def balanced_allocation(pod: PodInfo, snapshot: Snapshot, nodes: Sequence[NodeInfo]) -> list[float] | None:
    """100 where cpu and memory would be used to the same share; a pod that asks for neither has no say."""
    cpu, memory = pod.requests.get("cpu", 0), pod.requests.get("memory", 0)
    if not cpu and not memory:
        return None
    return [_likeness(node, cpu, memory) for node in nodes]


def _likeness(node: NodeInfo, cpu: int, memory: int) -> int:
    cpus, bytes_ = node.allocatable.get("cpu", 0), node.allocatable.get("memory", 0)
    if not cpus or not bytes_:
        return 100
    used_cpu = min((node.requested.get("cpu", 0) + cpu) / cpus, 1.0)
    used_memory = min((node.requested.get("memory", 0) + memory) / bytes_, 1.0)
    return int((1 - abs(used_cpu - used_memory) / 2) * 100)
