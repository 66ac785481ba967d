"""Keeps the model in step with the caches, and says what each change may help.

One handler for each feed: the objects of one kind, or pods as far as they count on nodes (`scheduler-pods`) and as far
as they belong to gangs (`scheduler-gang-pods`). The two are apart, because an object over which one handler fails must
still reach the other.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, NamedTuple, Protocol

from windlass.apis.core_v1 import (
    ConfigMap,
    Json,
    Namespace,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    ResourceQuota,
)
from windlass.apis.policy_v1 import PodDisruptionBudget
from windlass.apis.scheduling_v1 import PriorityClass
from windlass.apis.topology_volcano_v1alpha1 import HyperNode
from windlass.kube.kind import KINDS, Kind
from windlass.kube.objects import key_of, uid_of, version_of
from windlass.kube.selector import parse_labels
from windlass.kube.view import View, typed, untyped
from windlass.scheduler.live.core import configuration
from windlass.scheduler.live.core.effects import RetryBindings, Turn, Wake
from windlass.scheduler.live.core.gang_turns import GangTurns
from windlass.scheduler.live.core.resting_pods import ANY_POD, Change
from windlass.scheduler.live.core.state import State
from windlass.scheduler.live.options import CONFIGURATION_SELECTOR
from windlass.scheduler.model import updates
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.pod_groups import DEFAULT, GROUP_KINDS, is_alone, mark_of
from windlass.scheduler.model.pod_info import FINISHED, PodInfo, claim_keys_of
from windlass.scheduler.model.queues import QUEUE_KINDS

NEIGHBOURS = Change(frozenset(("spread", "pod_affinity")))
VOLUMES, NAMESPACES = Change(frozenset(("volumes",))), Change(frozenset(("pod_affinity",)))
STORAGE_CLASS = Kind(
    group="storage.k8s.io", version="v1", name="StorageClass", plural="storageclasses", namespaced=False
)
HYPER_NODES = KINDS.of(HyperNode)


class Handler(Protocol):
    """Reads an object before it changes anything, since it may raise; accepts the deletion of unknown objects."""

    def added(self, turn: Turn, obj: Any, /) -> None: ...

    def changed(self, turn: Turn, old: Any, new: Any, /) -> None: ...

    def deleted(self, turn: Turn, obj: Any, /) -> None: ...


class Wait(Enum):
    """Whether anything is decided before all objects of a feed are known."""

    ALWAYS = "until they are known"
    IF_SERVED = "until they are known, where the server has the kind"
    NOT = "no"


class Feed(NamedTuple):
    """Objects that the scheduler follows, and what it does about each."""

    view: View[Any]
    handler: Handler
    wait: Wait = Wait.ALWAYS


def feeds(state: State, gangs: GangTurns) -> dict[str, Feed]:
    """By name. Where one kind has two feeds the first is delivered first."""
    put_volumes = _volumes_changed(state)
    config_maps = typed(ConfigMap).narrowed(CONFIGURATION_SELECTOR)
    by_kind: dict[str, Feed] = {
        "scheduler-namespaces": Feed(
            typed(Namespace), Part(state, updates.put_namespace, updates.drop_namespace, _namespaces_changed(state))
        ),
        "scheduler-volumes": Feed(
            typed(PersistentVolume), Part(state, updates.put_volume, updates.drop_volume, put_volumes)
        ),
        "scheduler-claims": Feed(
            typed(PersistentVolumeClaim), Part(state, updates.put_claim, updates.drop_claim, put_volumes)
        ),
        "scheduler-storage-classes": Feed(
            untyped(STORAGE_CLASS), Part(state, updates.put_storage_class, updates.drop_storage_class, put_volumes)
        ),
        "scheduler-budgets": Feed(
            typed(PodDisruptionBudget), Part(state, updates.put_budget, updates.drop_budget, _nothing)
        ),
        "scheduler-nodes": Feed(typed(Node), NodeChanges(state)),
        "scheduler-priority-classes": Feed(typed(PriorityClass), PriorityClassChanges(state)),
        "scheduler-quotas": Feed(
            typed(ResourceQuota), Part(state, updates.put_quota, updates.drop_quota, state.wake_gangs)
        ),
    }
    for kind in QUEUE_KINDS:
        by_kind[f"scheduler-{kind.plural}.{kind.group}"] = Feed(
            untyped(kind), QueueChanges(state, kind), Wait.IF_SERVED
        )
    by_kind["scheduler-hyper-nodes"] = Feed(untyped(HYPER_NODES), HyperNodeChanges(gangs), Wait.NOT)
    for kind in GROUP_KINDS:
        by_kind[f"scheduler-{kind.plural}.{kind.group}"] = Feed(
            untyped(kind), GroupChanges(state, kind), Wait.IF_SERVED
        )
    return by_kind | {
        "scheduler-pods": Feed(typed(Pod), PodChanges(state)),
        "scheduler-gang-pods": Feed(typed(Pod), GangPodChanges(state)),
        "scheduler-configuration": Feed(config_maps, configuration.ConfigurationChanges(gangs)),
    }


def _feed_of(kind: Kind) -> str:
    return f"scheduler-{kind.plural}.{kind.group}"


# --- pods


class PodChanges:
    """Pods on nodes count in the snapshot; pods without a node, and without a gang, wait in the queue."""

    def __init__(self, state: State) -> None:
        self._state, self._snapshot, self._queue = state, state.snapshot, state.queue

    def added(self, turn: Turn, obj: Pod, /) -> None:
        self._observe(turn, obj, None)

    def changed(self, turn: Turn, old: Pod, new: Pod, /) -> None:
        if old.metadata.uid != new.metadata.uid:
            self.deleted(turn, old)
        self._observe(turn, new, old)

    def deleted(self, turn: Turn, obj: Pod, /) -> None:
        uid = obj.metadata.uid
        self._queue.remove(uid)
        nominated = self._snapshot.nominated.pop(uid, None)
        node = self._snapshot.node_of(uid)
        self._snapshot.forget(uid, claim_keys_of(obj))
        self._state.pod_reports.forget(uid)
        where = node.name if node else nominated[1] if nominated else None
        if where is not None:
            self._state.node_freed(turn, where)

    def _observe(self, turn: Turn, pod: Pod, old: Pod | None) -> None:
        if pod.status.phase in FINISHED:
            self.deleted(turn, pod)
        elif pod.spec.node_name:
            self._is_bound(turn, pod)
        elif (pod.spec.scheduler_name or DEFAULT) in self._state.options.names:
            if is_alone(pod):
                self._waits(turn, pod, old)
                return
            self._queue.remove(pod.metadata.uid)  # it may have been of no group until now
            if pod.spec.scheduling_gates and not pod.metadata.deletion_timestamp:
                self._state.pod_reports.gated(turn, pod)

    def _is_bound(self, turn: Turn, pod: Pod) -> None:
        info = PodInfo(pod)
        before = self._snapshot.node_of(info.uid)
        self._snapshot.nominated.pop(info.uid, None)
        self._snapshot.add_pod(info, pod.spec.node_name)
        self._queue.remove(info.uid)
        self._state.pod_reports.forget(info.uid)
        if before is None or before.name != pod.spec.node_name:
            self._state.wake_pods(turn, NEIGHBOURS)

    def _waits(self, turn: Turn, pod: Pod, old: Pod | None) -> None:
        uid = pod.metadata.uid
        if self._snapshot.node_of(uid) is not None:  # a binding is under way
            return
        if pod.metadata.deletion_timestamp or pod.spec.scheduling_gates:
            self._queue.remove(uid)
            self._snapshot.nominated.pop(uid, None)
            if not pod.metadata.deletion_timestamp:
                self._state.pod_reports.gated(turn, pod)
            return
        info = PodInfo(pod)
        if pod.status.nominated_node_name:
            self._snapshot.nominated[uid] = (info, pod.status.nominated_node_name)
        if old is not None and self._queue.get(uid) and _decides_alike(old, pod):
            self._queue.keep(info)
        else:
            self._queue.add(info, turn.now)
            turn.emit(Wake())


def _decides_alike(old: Pod, new: Pod) -> bool:
    """Only the status changed, so nothing that a decision depends on."""
    same = old.metadata.labels == new.metadata.labels and old.spec == new.spec
    return same and mark_of(old) == mark_of(new)


class GangPodChanges:
    """Pods of the gang schedulers that are served, in whatever phase."""

    def __init__(self, state: State) -> None:
        self._state, self._gangs, self._served = state, state.gangs, state.options.names

    def added(self, turn: Turn, obj: Pod, /) -> None:
        if obj.spec.scheduler_name in self._served:
            self._gangs.see(obj)
            self._state.gangs_changed(turn)

    def changed(self, turn: Turn, old: Pod, new: Pod, /) -> None:
        if old.metadata.uid != new.metadata.uid:
            self.deleted(turn, old)
        elif old.spec.scheduler_name in self._served and mark_of(old) != mark_of(new):
            self._gangs.part(old)
        self.added(turn, new)
        self._state.gangs_changed(turn)

    def deleted(self, turn: Turn, obj: Pod, /) -> None:
        if obj.spec.scheduler_name in self._served:
            self._gangs.lose(obj)
            self._state.gangs_changed(turn)


# --- groups and nodes


class GroupChanges:
    """Pod groups of one kind."""

    def __init__(self, state: State, kind: Kind) -> None:
        self._state, self._kind = state, kind

    def added(self, turn: Turn, obj: Json, /) -> None:
        self._state.gangs.put(self._kind, obj)
        self._state.gangs_changed(turn)

    def changed(self, turn: Turn, old: Json, new: Json, /) -> None:
        if uid_of(old) != uid_of(new):
            self._state.group_reports.forget((self._kind, key_of(old)))
        self.added(turn, new)

    def deleted(self, turn: Turn, obj: Json, /) -> None:
        self._state.gangs.drop(self._kind, obj)
        self._state.group_reports.forget((self._kind, key_of(obj)))
        self._state.gangs_changed(turn)


class NodeChanges:
    """Nodes; a change of what a node offers, or of which pods it accepts, may help any pod."""

    def __init__(self, state: State) -> None:
        self._state, self._snapshot = state, state.snapshot
        self._selected = parse_labels(state.options.node_selector)

    def added(self, turn: Turn, obj: Node, /) -> None:
        name = obj.metadata.name
        is_known = self._snapshot.node(name) is not None
        if not self._selected.matches(obj.metadata.labels):
            if is_known:
                self.deleted(turn, obj)
            return
        self._snapshot.put_node(obj)
        if not is_known:
            self._state.gangs.node_changed(name)
        self._wake(turn, ANY_POD)

    def changed(self, turn: Turn, old: Node, new: Node, /) -> None:
        if (
            old.spec == new.spec
            and old.metadata.labels == new.metadata.labels
            and (old.status.allocatable, old.status.capacity) == (new.status.allocatable, new.status.capacity)
        ):
            return
        self.added(turn, new)

    def deleted(self, turn: Turn, obj: Node, /) -> None:
        self._snapshot.remove_node(obj.metadata.name)
        self._state.gangs.node_changed(obj.metadata.name)
        self._wake(turn, NEIGHBOURS)

    def _wake(self, turn: Turn, change: Change) -> None:
        self._state.gangs_changed(turn)
        self._state.wake_pods(turn, change)
        self._state.wake_gangs(turn)


# --- other kinds


class Part:
    """Another kind that decisions read. `then` is what a change of it may help."""

    def __init__(
        self,
        state: State,
        put: Callable[[Cluster, Any], None],
        drop: Callable[[Cluster, Any], None],
        then: Callable[[Turn], None],
    ) -> None:
        self._cluster, self._put, self._drop, self._then = state.cluster, put, drop, then

    def added(self, turn: Turn, obj: Any, /) -> None:
        self._put(self._cluster, obj)
        self._then(turn)

    def changed(self, turn: Turn, old: Any, new: Any, /) -> None:
        if version_of(old) != version_of(new):
            self.added(turn, new)

    def deleted(self, turn: Turn, obj: Any, /) -> None:
        self._drop(self._cluster, obj)
        self._then(turn)


def _nothing(_: Turn) -> None:
    """The next decision reads it; no decision is made for it."""


def _volumes_changed(state: State) -> Callable[[Turn], None]:
    def then(turn: Turn) -> None:
        turn.emit(RetryBindings())
        if state.cluster.waiting:
            state.wake_gangs(turn)
        state.wake_pods(turn, VOLUMES)

    return then


def _namespaces_changed(state: State) -> Callable[[Turn], None]:
    return lambda turn: state.wake_pods(turn, NAMESPACES)


class QueueChanges:
    """Queues of one kind."""

    def __init__(self, state: State, kind: Kind) -> None:
        self._state, self._kind = state, kind

    def added(self, turn: Turn, obj: Json, /) -> None:
        self._state.queues.put(self._kind, obj)
        self._state.wake_gangs(turn)

    def changed(self, turn: Turn, old: Json, new: Json, /) -> None:
        if version_of(old) != version_of(new):
            self.added(turn, new)

    def deleted(self, turn: Turn, obj: Json, /) -> None:
        self._state.queues.drop(self._kind, obj)
        self._state.wake_gangs(turn)


class PriorityClassChanges:
    """What groups are worth changes with their classes."""

    def __init__(self, state: State) -> None:
        self._state = state

    def added(self, turn: Turn, obj: PriorityClass, /) -> None:
        if self._state.options.priority_classes:
            self._state.classes[obj.metadata.name] = obj
            self._changed(turn)

    def changed(self, turn: Turn, old: PriorityClass, new: PriorityClass, /) -> None:
        if version_of(old) != version_of(new):
            self.added(turn, new)

    def deleted(self, turn: Turn, obj: PriorityClass, /) -> None:
        self._state.classes.pop(obj.metadata.name, None)
        self._changed(turn)

    def _changed(self, turn: Turn) -> None:
        self._state.gangs.priorities_changed()
        self._state.gangs_changed(turn)


class HyperNodeChanges:
    def __init__(self, gangs: GangTurns) -> None:
        self._gangs = gangs

    def added(self, turn: Turn, obj: Json, /) -> None:
        self._gangs.put_hyper_node(key_of(obj).name, obj)
        self._gangs.state.wake_gangs(turn)

    def changed(self, turn: Turn, old: Json, new: Json, /) -> None:
        if version_of(old) != version_of(new):
            self.added(turn, new)

    def deleted(self, turn: Turn, obj: Json, /) -> None:
        self._gangs.drop_hyper_node(key_of(obj).name)
        self._gangs.state.wake_gangs(turn)


Feeds = Mapping[str, Feed]
