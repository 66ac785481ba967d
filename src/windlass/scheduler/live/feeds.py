"""Keeps snapshot and queue in step with the caches, and says what each change may help."""

from collections.abc import Callable
from typing import Any

from windlass.apis.core_v1 import Json, Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod, ResourceQuota
from windlass.apis.policy_v1 import PodDisruptionBudget
from windlass.kube.kind import Kind
from windlass.kube.objects import key_of, version_of
from windlass.scheduler.live.scheduling_queue import SchedulingQueue, Waiting
from windlass.scheduler.model.amounts import units_of
from windlass.scheduler.model.cluster import Cluster, Quota
from windlass.scheduler.model.gangs import Gangs
from windlass.scheduler.model.pod_groups import DEFAULT, SERVED, is_alone, mark_of
from windlass.scheduler.model.pod_info import FINISHED, PodInfo, claim_keys_of
from windlass.scheduler.model.queues import Queues
from windlass.scheduler.model.snapshot import Snapshot
from windlass.scheduler.predicates import resources

FREED = frozenset(("ports", "spread", "pod_affinity", "volumes", "gang"))
NEIGHBOURS = frozenset(("spread", "pod_affinity"))


class PodFeed:
    """Pods: on nodes they count in the snapshot, without a node they wait in the queue."""

    def __init__(
        self,
        snapshot: Snapshot,
        queue: SchedulingQueue,
        clock: Callable[[], float],
        kick: Callable[[], None],
        gated: Callable[[Pod], None],
        settled: Callable[[str], None],
        room_made: Callable[[], None],
        served: frozenset[str] = SERVED,
    ) -> None:
        self._served = served
        self._snapshot, self._queue, self._clock, self._kick = snapshot, queue, clock, kick
        self._gated, self._settled, self._room_made = gated, settled, room_made

    def added(self, obj: Pod, /) -> None:
        self._see(obj, None)

    def changed(self, old: Pod, new: Pod, /) -> None:
        if old.metadata.uid != new.metadata.uid:
            self.deleted(old)
        self._see(new, old)

    def deleted(self, obj: Pod, /) -> None:
        uid = obj.metadata.uid
        self._queue.remove(uid)
        promised = self._snapshot.nominated.pop(uid, None)
        node = self._snapshot.node_of(uid)
        self._snapshot.forget(uid, claim_keys_of(obj))
        self._settled(uid)
        where = node.name if node else promised[1] if promised else None
        if where is not None:
            self.freed(where)

    def freed(self, node: str) -> None:
        """A place on that node is free again."""
        if self._queue.wake(self._frees(node), self._clock()):
            self._kick()
        self._room_made()

    def _frees(self, name: str) -> Callable[[Waiting], bool]:
        """Whom a place on that node can help; those that only lack resources must fit there now."""
        node = self._snapshot.node(name)

        def helps(entry: Waiting) -> bool:
            if entry.refused_by & FREED:
                return True
            return "resources" in entry.refused_by and node is not None and resources.fits(entry.pod, node)

        return helps

    def _see(self, pod: Pod, old: Pod | None) -> None:
        if pod.status.phase in FINISHED:
            self.deleted(pod)
        elif pod.spec.node_name:
            self._is_bound(pod)
        elif (pod.spec.scheduler_name or DEFAULT) in self._served:
            if is_alone(pod):
                self._waits(pod, old)
                return
            self._queue.remove(pod.metadata.uid)  # it may have been of no group until now
            if pod.spec.scheduling_gates and not pod.metadata.deletion_timestamp:
                self._gated(pod)

    def _is_bound(self, pod: Pod) -> None:
        info = PodInfo(pod)
        before = self._snapshot.node_of(info.uid)
        self._snapshot.nominated.pop(info.uid, None)
        self._snapshot.add_pod(info, pod.spec.node_name)
        self._queue.remove(info.uid)
        self._settled(info.uid)
        came = before is None or before.name != pod.spec.node_name
        if came and self._queue.wake(lambda entry: bool(entry.refused_by & NEIGHBOURS), self._clock()):
            self._kick()

    def _waits(self, pod: Pod, old: Pod | None) -> None:
        uid = pod.metadata.uid
        if self._snapshot.node_of(uid) is not None:  # a binding is under way
            return
        if pod.metadata.deletion_timestamp or pod.spec.scheduling_gates:
            self._queue.remove(uid)
            self._snapshot.nominated.pop(uid, None)
            if not pod.metadata.deletion_timestamp:
                self._gated(pod)
            return
        info = PodInfo(pod)
        if pod.status.nominated_node_name:
            self._snapshot.nominated[uid] = (info, pod.status.nominated_node_name)
        if old is not None and self._queue.get(uid) and _same(old, pod):
            self._queue.keep(info)
        else:
            self._queue.add(info, self._clock())
            self._kick()


def _same(old: Pod, new: Pod) -> bool:
    """Only its status changed, so nothing that a decision depends on."""
    same = old.metadata.labels == new.metadata.labels and old.spec == new.spec
    return same and mark_of(old) == mark_of(new)


class MemberFeed:
    """Pods of the gang schedulers that are served, whatever has become of them."""

    def __init__(self, gangs: Gangs, served: frozenset[str] = SERVED) -> None:
        self._gangs, self._served = gangs, served

    def added(self, obj: Pod, /) -> None:
        if obj.spec.scheduler_name in self._served:
            self._gangs.see(obj)

    def changed(self, old: Pod, new: Pod, /) -> None:
        if old.metadata.uid != new.metadata.uid:
            self.deleted(old)
        elif old.spec.scheduler_name in self._served and mark_of(old) != mark_of(new):
            self._gangs.part(old)
        self.added(new)

    def deleted(self, obj: Pod, /) -> None:
        if obj.spec.scheduler_name in self._served:
            self._gangs.lose(obj)


class GroupFeed:
    """Groups of one kind."""

    def __init__(self, gangs: Gangs, kind: Kind) -> None:
        self._gangs, self._kind = gangs, kind

    def added(self, obj: Json, /) -> None:
        self._gangs.put(self._kind, obj)

    def changed(self, old: Json, new: Json, /) -> None:
        self._gangs.put(self._kind, new)

    def deleted(self, obj: Json, /) -> None:
        self._gangs.drop(self._kind, obj)


class NodeFeed:
    """Nodes; a change of what a node offers, or of whom it lets in, may help anyone."""

    def __init__(
        self,
        snapshot: Snapshot,
        woken: Callable[[Callable[[Waiting], bool]], None],
        came_or_went: Callable[[str], None],
        is_used: Callable[[Node], bool] = lambda node: True,
    ) -> None:
        self._snapshot, self._woken, self._came_or_went, self._is_used = snapshot, woken, came_or_went, is_used

    def added(self, obj: Node, /) -> None:
        if not self._is_used(obj):
            if self._snapshot.node(obj.metadata.name) is not None:
                self.deleted(obj)
            return
        is_new = self._snapshot.node(obj.metadata.name) is None
        self._snapshot.put_node(obj)
        if is_new:
            self._came_or_went(obj.metadata.name)
        self._woken(lambda _: True)

    def changed(self, old: Node, new: Node, /) -> None:
        if (
            old.spec == new.spec
            and old.metadata.labels == new.metadata.labels
            and (old.status.allocatable, old.status.capacity) == (new.status.allocatable, new.status.capacity)
        ):
            return
        self.added(new)

    def deleted(self, obj: Node, /) -> None:
        self._snapshot.remove_node(obj.metadata.name)
        self._came_or_went(obj.metadata.name)
        self._woken(lambda entry: bool(entry.refused_by & NEIGHBOURS))


class PartFeed:
    """Another kind that decisions read: filed in one of the snapshot's dicts."""

    def __init__(self, put: Callable[[Any], None], drop: Callable[[Any], object], told: Callable[[], None]) -> None:
        self._put, self._drop, self._told = put, drop, told

    def added(self, obj: Any, /) -> None:
        self._put(obj)
        self._told()

    def changed(self, old: Any, new: Any, /) -> None:
        if version_of(old) != version_of(new):
            self.added(new)

    def deleted(self, obj: Any, /) -> None:
        self._drop(obj)
        self._told()


def claim_feed(snapshot: Snapshot, told: Callable[[], None]) -> PartFeed:
    def put(claim: PersistentVolumeClaim) -> None:
        snapshot.claims[key_of(claim)] = claim

    return PartFeed(put, lambda claim: snapshot.claims.pop(key_of(claim), None), told)


def volume_feed(snapshot: Snapshot, told: Callable[[], None]) -> PartFeed:
    def put(volume: PersistentVolume) -> None:
        snapshot.volumes[volume.metadata.name] = volume
        if volume.spec.get("claimRef"):
            snapshot.reserved.pop(volume.metadata.name, None)

    return PartFeed(put, lambda volume: snapshot.volumes.pop(volume.metadata.name, None), told)


def class_feed(snapshot: Snapshot, told: Callable[[], None]) -> PartFeed:
    def put(storage_class: Json) -> None:
        snapshot.classes[key_of(storage_class).name] = storage_class

    return PartFeed(put, lambda one: snapshot.classes.pop(key_of(one).name, None), told)


def namespace_feed(snapshot: Snapshot, told: Callable[[], None]) -> PartFeed:
    def put(namespace: Namespace) -> None:
        snapshot.put_namespace(namespace.metadata.name, namespace.metadata.labels)

    return PartFeed(put, lambda one: snapshot.put_namespace(one.metadata.name, None), told)


def queue_feed(queues: Queues, kind: Kind, told: Callable[[], None]) -> PartFeed:
    return PartFeed(lambda obj: queues.put(kind, obj), lambda obj: queues.drop(kind, obj), told)


def quota_feed(cluster: Cluster, told: Callable[[], None]) -> PartFeed:
    def put(quota: ResourceQuota) -> None:
        drop(quota)
        hard, used = quota.status.hard or quota.spec.hard, quota.status.used
        found = Quota(quota.metadata.name, units_of(hard), units_of(used))
        cluster.quotas.setdefault(quota.metadata.namespace, []).append(found)

    def drop(quota: ResourceQuota) -> None:
        namespace, name = quota.metadata.namespace, quota.metadata.name
        kept = [one for one in cluster.quotas.get(namespace, ()) if one.name != name]
        cluster.quotas[namespace] = kept
        if not kept:
            del cluster.quotas[namespace]

    return PartFeed(put, drop, told)


def priority_feed(told: Callable[[], None]) -> PartFeed:
    return PartFeed(lambda _: None, lambda _: None, told)


def hyper_node_feed(put: Callable[[str, Json | None], None], told: Callable[[], None]) -> PartFeed:
    return PartFeed(lambda obj: put(key_of(obj).name, obj), lambda obj: put(key_of(obj).name, None), told)


def budget_feed(snapshot: Snapshot) -> PartFeed:
    def put(budget: PodDisruptionBudget) -> None:
        snapshot.budgets[key_of(budget)] = budget

    return PartFeed(put, lambda one: snapshot.budgets.pop(key_of(one), None), lambda: None)
