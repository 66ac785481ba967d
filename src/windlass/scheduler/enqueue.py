"""Which groups may have their pods made: those whose `minResources` the nodes have free. Pure.

What was let in and has no nodes yet still counts, so that two groups are not let in for the same room.
"""

from collections import Counter
from collections.abc import Mapping

from windlass.scheduler.groups import Group
from windlass.scheduler.snapshot import NodeInfo, Snapshot

ABSENT_TAINTS = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


def idle(snapshot: Snapshot) -> Counter[str]:
    """What the nodes that can be used have free, together; cpu in thousandths."""
    free: Counter[str] = Counter()
    for node in snapshot.nodes:
        if not _is_usable(node):
            continue
        for name, amount in node.allocatable.items():
            taken = len(node.pods) if name == "pods" else node.requested.get(name, 0)
            free[name] += max(0, amount - taken)
    return free


def _is_usable(node: NodeInfo) -> bool:
    if node.node is None or node.node.spec.unschedulable:
        return False
    return not any(taint.key in ABSENT_TAINTS for taint in node.node.spec.taints)


def missing(group: Group, allocated: Mapping[str, int]) -> dict[str, int]:
    """What of its `minResources` a group does not have yet."""
    asked = group.min_resources or {}
    return {name: amount - allocated.get(name, 0) for name, amount in asked.items() if amount > allocated.get(name, 0)}


def short_of(wanted: Mapping[str, int], free: Mapping[str, int]) -> list[str]:
    """The resources that there is not enough of."""
    return sorted(name for name, amount in wanted.items() if amount > max(0, free.get(name, 0)))


def overused(names: list[str], wanted: Mapping[str, int], free: Mapping[str, int]) -> str:
    """Volcano's words, and the amounts."""
    listed = ", ".join(f"overused {name}" for name in names)
    amounts = ", ".join(
        f"{name}: {_shown(name, wanted[name])} asked, {_shown(name, max(0, free.get(name, 0)))} free" for name in names
    )
    return f"resource in cluster is overused: {listed} ({amounts})"


def _shown(name: str, amount: int) -> str:
    return f"{amount}m" if name == "cpu" else str(amount)
