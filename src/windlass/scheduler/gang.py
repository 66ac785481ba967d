"""A gang, one snapshot, one answer: all the nodes that it needs, or none. Pure: nothing is changed."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from windlass.scheduler.core import Placed, Unplaced, schedule
from windlass.scheduler.groups import COSCHEDULING, KUBE_BATCH, VOLCANO, Group, Mark, role_of
from windlass.scheduler.pod_info import PodInfo
from windlass.scheduler.snapshot import Snapshot

NOT_ENOUGH_TASKS, NOT_ENOUGH_RESOURCES = "NotEnoughTasks", "NotEnoughResources"
NOT_ENQUEUEABLE, NOT_FOUND = "NotEnqueueable", "PodGroupNotFound"
NOT_ENOUGH_OF_TASK = "NotEnoughPodsOfTask"
FEW_OF_TASK = "Not enough valid pods of each task for gang-scheduling"
GATHERING = (NOT_ENOUGH_TASKS, NOT_ENOUGH_OF_TASK)
"""Reasons that go when more pods come."""


@dataclass(frozen=True, slots=True)
class Gang:
    """The pods of a group that wait for a node, first come first, and the roles of those that have one (`held`)."""

    mark: Mark
    group: Group | None
    waiting: Sequence[PodInfo]
    held: Counter[str]
    admitted: bool = True
    why_not: str = ""
    """Why it was not let in."""

    @property
    def needed_roles(self) -> Counter[str]:
        """How many more of each role, where these have minimums."""
        return Counter(self.group.min_tasks) - self.held if self.group is not None else Counter()

    @property
    def needed(self) -> int:
        least = self.group.min_member if self.group is not None else 0
        return max(0, least - self.held.total(), self.needed_roles.total())


@dataclass(frozen=True, slots=True)
class Whole:
    """Nodes by the pods' uids: bound together, they make the gang complete. Surplus pods are not among them."""

    nodes: dict[str, str]


@dataclass(frozen=True, slots=True)
class Waits:
    """None is bound. `pods` says of each, by uid, why; `refused_by` what must change before it is worth trying."""

    reason: str
    message: str
    pods: dict[str, str]
    refused_by: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])


def decide_gang(gang: Gang, snapshot: Snapshot) -> Whole | Waits:
    """Where the pods that a gang still needs should go together."""
    group = gang.group
    if group is None:
        text = f'pod group "{gang.mark[1].name}" not found in namespace "{gang.mark[1].namespace}"'
        return _all_wait(gang, NOT_FOUND, text, "group")
    if not gang.admitted:
        text = f"pod group is not ready, {len(gang.waiting)} Pending, {group.min_member} minAvailable"
        text += f": {gang.why_not}" if gang.why_not else ""
        return _all_wait(gang, NOT_ENQUEUEABLE, text, "group")
    if len(gang.waiting) < gang.needed:
        return _all_wait(gang, NOT_ENOUGH_TASKS, _too_few(gang, group), "group")
    if gang.needed_roles - Counter(role_of(pod.pod) for pod in gang.waiting):
        return _all_wait(gang, NOT_ENOUGH_OF_TASK, FEW_OF_TASK, "group")
    tried = _best_try(gang, snapshot)
    if len(tried.nodes) >= gang.needed:
        return Whole(tried.nodes)
    return _unplaceable(gang, group, tried)


def _all_wait(gang: Gang, reason: str, message: str, cause: str) -> Waits:
    uids = [pod.uid for pod in gang.waiting]
    return Waits(reason, message, dict.fromkeys(uids, message), dict.fromkeys(uids, frozenset((cause,))))


def _too_few(gang: Gang, group: Group) -> str:
    there = gang.held.total() + len(gang.waiting)
    if group.kind == COSCHEDULING:
        first = gang.waiting[0].key.name if gang.waiting else ""
        return (
            f"pre-filter pod {first} cannot find enough sibling pods, current pods number: {there}, "
            f"minMember of group: {group.min_member}"
        )
    return f"Not enough valid tasks for gang-scheduling, valid: {there}, min: {group.min_member}"


# --- trying


@dataclass(slots=True)
class _Try:
    nodes: dict[str, str] = field(default_factory=dict[str, str])
    failed: dict[str, Unplaced] = field(default_factory=dict[str, Unplaced])


def _best_try(gang: Gang, snapshot: Snapshot) -> _Try:
    """In their order; where that fails, the largest first, which leaves less room that is of no use."""
    first = _try(gang, gang.waiting, snapshot)
    if len(first.nodes) >= gang.needed:
        return first
    largest_first = _by_size(gang.waiting, snapshot)
    if largest_first == list(gang.waiting):
        return first
    second = _try(gang, largest_first, snapshot)
    return second if len(second.nodes) >= gang.needed else first


def _try(gang: Gang, pods: Iterable[PodInfo], snapshot: Snapshot) -> _Try:
    """One after another, each as if those before it were there; then they are all taken away again.

    Places that a role's minimum needs are not given to other roles.
    """
    tried, promised = _Try(), dict(snapshot.nominated)
    needed, roles = gang.needed, gang.needed_roles
    try:
        for pod in pods:
            role = role_of(pod.pod)
            if not roles[role] and needed - len(tried.nodes) <= roles.total():
                continue
            match schedule(pod, snapshot):
                case Placed(node):
                    tried.nodes[pod.uid] = node
                    roles[role] -= roles[role] > 0
                    snapshot.add_pod(pod, node)
                case Unplaced() as failed:
                    tried.failed[pod.uid] = failed
    finally:
        for uid in tried.nodes:
            snapshot.remove_pod(uid)
        snapshot.nominated = promised
    return tried


def _by_size(pods: Sequence[PodInfo], snapshot: Snapshot) -> list[PodInfo]:
    """By the largest share that a pod asks of anything the nodes have."""
    total: Counter[str] = Counter()
    for node in snapshot.nodes:
        total.update(node.allocatable)

    def share(pod: PodInfo) -> float:
        return max((amount / total[name] for name, amount in pod.requests.items() if total[name]), default=0.0)

    return sorted(pods, key=share, reverse=True)


# --- wording


def _unplaceable(gang: Gang, group: Group, tried: _Try) -> Waits:
    pods: dict[str, str] = {}
    refused_by: dict[str, frozenset[str]] = {}
    for pod in gang.waiting:
        failed = tried.failed.get(pod.uid)
        causes = failed.refused_by if failed is not None else frozenset[str]()
        refused_by[pod.uid] = causes | {"gang"}
        if failed is not None:
            pods[pod.uid] = _volcano_words(failed.message) if group.kind == VOLCANO else failed.message
        else:
            where = tried.nodes.get(pod.uid, "a node")
            pods[pod.uid] = f"Pod {pod.key} can possibly be assigned to {where}, once minAvailable is satisfied"
    return Waits(NOT_ENOUGH_RESOURCES, _gang_words(gang, group, tried, pods), pods, refused_by)


def _gang_words(gang: Gang, group: Group, tried: _Try, pods: dict[str, str]) -> str:
    first = next(iter(tried.failed))
    why, name = pods[first], next(pod.key for pod in gang.waiting if pod.uid == first)
    head = f"{gang.needed}/{gang.held.total() + len(gang.waiting)} tasks in gang unschedulable: "
    if group.kind == KUBE_BATCH:
        return head + why
    states = f"{len(gang.waiting) - len(tried.failed)} Schedulable, {len(tried.failed)} Unschedulable"
    return (
        f"{head}pod group is not ready, {len(gang.waiting)} Pending, {group.min_member} minAvailable; "
        f"Pending: {states}. Origin reason is {name}: {why}"
    )


def _volcano_words(message: str) -> str:
    """Volcano's own sentence about nodes."""
    return message.replace(" nodes are available: ", " nodes are unavailable: ", 1)
