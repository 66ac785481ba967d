"""The emptier node is better, and the one whose cpu and memory are used alike (LeastAllocated, BalancedAllocation)."""

from collections.abc import Sequence

from windlass.scheduler.pod_info import PodInfo
from windlass.scheduler.snapshot import NodeInfo, Snapshot


def score(pod: PodInfo, snapshot: Snapshot, nodes: Sequence[NodeInfo]) -> list[float]:
    cpu, memory = pod.cpu, pod.memory
    said_cpu, said_memory = pod.requests.get("cpu", 0), pod.requests.get("memory", 0)
    found: list[float] = []
    for node in nodes:
        offered, requested = node.allocatable, node.requested
        cpus, bytes_ = offered.get("cpu", 0), offered.get("memory", 0)
        if not cpus or not bytes_:
            found.append(0)
            continue
        free_cpu, free_memory = cpus - node.cpu - cpu, bytes_ - node.memory - memory
        least = (max(free_cpu, 0) * 100 // cpus + max(free_memory, 0) * 100 // bytes_) // 2
        used_cpu, used_memory = requested.get("cpu", 0), requested.get("memory", 0)
        before = abs(used_cpu / cpus - used_memory / bytes_) / 2
        after = abs((used_cpu + said_cpu) / cpus - (used_memory + said_memory) / bytes_) / 2
        balanced = 50 + int(50 + (before - after) * 100) // 2
        found.append(least + balanced)
    return found
