"""The running scheduler: decides with the pure core, and has what it decided carried out.

Pods of default-scheduler are taken from a queue one by one, as kube-scheduler does (`pods`); those of gang schedulers
are decided about in cycles (`batch`), after whatever may help one of them. All its state is rebuilt from the caches: a
restart loses nothing. A pod counts on its node from the decision on, until the cache shows it there or the binding
turns out to have failed; so what was decided and is not yet seen is never given away again.
"""

import time
from collections.abc import Callable
from datetime import timedelta

from windlass.apis.core_v1 import Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod, ResourceQuota
from windlass.apis.policy_v1 import PodDisruptionBudget
from windlass.apis.scheduling_v1 import PriorityClass
from windlass.apis.topology_volcano_v1alpha1 import HyperNode
from windlass.kube.api import About
from windlass.kube.controller import Runtime, Service
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key
from windlass.kube.selector import parse_labels as parse
from windlass.kube.view import typed, untyped
from windlass.scheduler.cycle.pod_cycle import RESERVATION, Placed, Unplaced, schedule
from windlass.scheduler.cycle.pod_preemption import Preemption, preempt
from windlass.scheduler.live import feeds
from windlass.scheduler.live.claims import Claims
from windlass.scheduler.live.configured import ConfFeed
from windlass.scheduler.live.feeds import GroupFeed, MemberFeed, NodeFeed, PodFeed
from windlass.scheduler.live.gang_cycles import GangCycles
from windlass.scheduler.live.options import DEFAULTS, Options
from windlass.scheduler.live.pod_binding import Binder
from windlass.scheduler.live.pod_reports import Reporter
from windlass.scheduler.live.scheduling_queue import SchedulingQueue, Waiting
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.pod_groups import DEFAULT, GROUP_KINDS
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.queues import QUEUE_KINDS
from windlass.scheduler.placing.placer import Placer

STORAGE_CLASS = Kind(
    group="storage.k8s.io", version="v1", name="StorageClass", plural="storageclasses", namespaced=False
)
HYPER_NODES = KINDS.of(HyperNode)
PODS = KINDS.of(Pod)
TURN = 0.01  # seconds that it decides for before others of the process have a turn
FLUSH_EVERY = 30.0
BINDERS, REPORTERS = 64, 4  # binders that wait at the same time share a request
SYNC_WITHIN = 30.0
SYNC_SOON = timedelta(milliseconds=10)


class Scheduler:
    """One of them, in one process."""

    def __init__(self, runtime: Runtime, options: Options) -> None:
        self._names = options.names
        self._selected = parse(options.node_selector)
        self.cluster = Cluster()
        self.snapshot = self.cluster.snapshot
        self.placer = Placer(self.snapshot)
        self.queue = SchedulingQueue()
        self._cycles = runtime.queue("default_scheduler")
        self._flushed = time.monotonic()
        self._synced = [
            store.synced
            for store in (
                runtime.store(typed(Pod)),
                runtime.store(typed(Node)),
                runtime.store(typed(PersistentVolumeClaim)),
                runtime.store(typed(PersistentVolume)),
                runtime.store(typed(Namespace)),
                runtime.store(typed(PodDisruptionBudget)),
                runtime.store(typed(PriorityClass)),
                runtime.store(typed(ResourceQuota)),
                runtime.store(untyped(STORAGE_CLASS)),
            )
        ]
        self._unseen = {kind: runtime.store(untyped(kind)) for kind in (*QUEUE_KINDS, *GROUP_KINDS)}
        """Kinds of which not all that there is may have been seen yet."""
        self._api, self._began, self._faults = runtime.api, time.monotonic(), runtime.faults
        self._pods = runtime.store(typed(Pod))
        self.reporter = Reporter(runtime, self._pods, self.snapshot)
        self.claims = Claims(runtime.api, self.snapshot)
        self._feed = PodFeed(
            self.snapshot,
            self.queue,
            time.monotonic,
            self._kick,
            self.reporter.gated,
            self.reporter.forget,
            self._look_at_gangs,
            options.names,
        )
        self.gangs = GangCycles(
            runtime, self.cluster, options, self.claims, self.reporter, self._kick, self._feed.freed, self._opened
        )
        self.binder = Binder(runtime, self._pods, self.claims, self._bound, self._not_bound)
        self._subscribe(runtime)
        self._synced.append(ConfFeed(runtime, options.conf, self.gangs.configure).subscribe().synced)
        runtime.work("default-scheduler", self._cycles, self.cycle, 1)
        runtime.work("default-scheduler-bind", self.binder.queue, self.binder.step, BINDERS, self.binder.about)
        runtime.work("default-scheduler-report", self.reporter.queue, self.reporter.step, REPORTERS, self._about)
        self._kick()

    def _subscribe(self, runtime: Runtime) -> None:
        snapshot, gangs, neighbours = self.snapshot, self.gangs, self._namespaces_changed
        runtime.store(typed(Namespace)).subscribe(feeds.namespace_feed(snapshot, neighbours))
        runtime.store(typed(PersistentVolume)).subscribe(feeds.volume_feed(snapshot, self._volumes_changed))
        runtime.store(typed(PersistentVolumeClaim)).subscribe(feeds.claim_feed(snapshot, self._volumes_changed))
        runtime.store(untyped(STORAGE_CLASS)).subscribe(feeds.class_feed(snapshot, self._volumes_changed))
        runtime.store(typed(PodDisruptionBudget)).subscribe(feeds.budget_feed(snapshot))
        runtime.store(typed(Node)).subscribe(
            NodeFeed(snapshot, self._nodes_changed, gangs.gangs.node_changed, self._is_used)
        )
        runtime.store(typed(PriorityClass)).subscribe(feeds.priority_feed(gangs.classes_changed))
        runtime.store(typed(ResourceQuota)).subscribe(feeds.quota_feed(self.cluster, gangs.wake))
        for kind in QUEUE_KINDS:  # those that are not served are not waited for
            runtime.store(untyped(kind)).subscribe(feeds.queue_feed(gangs.queues, kind, gangs.wake))
        runtime.store(untyped(HYPER_NODES)).subscribe(feeds.hyper_node_feed(gangs.hyper_node, gangs.wake))
        for kind in GROUP_KINDS:
            runtime.store(untyped(kind)).subscribe(GroupFeed(gangs.gangs, kind))
        self._pods.subscribe(self._feed)
        self._pods.subscribe(MemberFeed(gangs.gangs, self._names))

    def _about(self, key: Key) -> About | None:
        pod = self._pods.get(key)
        return None if pod is None else (pod, PODS)

    def _is_used(self, node: Node) -> bool:
        return self._selected.matches(node.metadata.labels)

    # --- what brings pods back

    def _kick(self) -> None:
        self._cycles.add("cycle")

    def _wake(self, helps: Callable[[Waiting], bool]) -> None:
        if self.queue.wake(helps, time.monotonic()):
            self._kick()

    def _nodes_changed(self, helps: Callable[[Waiting], bool]) -> None:
        self._wake(helps)
        self.gangs.wake()

    def _look_at_gangs(self) -> None:
        """There may be room for a gang that waits."""
        if self.cluster.waiting:
            self.gangs.wake()

    def _volumes_changed(self) -> None:
        self.binder.look_again()
        self.gangs.volumes_changed()
        self._wake(lambda entry: "volumes" in entry.refused_by)

    def _namespaces_changed(self) -> None:
        self._wake(lambda entry: "pod_affinity" in entry.refused_by)

    def _opened(self) -> None:
        """Other nodes are kept for gangs than before."""
        self._wake(lambda entry: RESERVATION in entry.refused_by)

    # --- deciding

    async def cycle(self, _: str) -> timedelta | None:
        """Decide on gangs, then on as many pods as a turn allows; answers when to look again."""
        if not await self._has_seen_all():
            return SYNC_SOON
        now = began = time.monotonic()
        if now - self._flushed > FLUSH_EVERY:
            self.queue.flush(now)
            self._flushed = now
        again_in = min(self.gangs.turn(), FLUSH_EVERY)
        while (entry := self.queue.pop(now)) is not None:
            self._decide_or_skip(entry)
            now = time.monotonic()
            if now - began > TURN:
                self._kick()
                return None
        coming = self.queue.next_at()
        return timedelta(seconds=min(again_in, coming - now) if coming is not None else again_in)

    async def _has_seen_all(self) -> bool:
        """Also groups and queues, as far as they are served: nodes may be kept for a gang since before a restart.

        Kinds that cannot be read do not hold it up for ever.
        """
        if not all(one.is_set() for one in self._synced):
            return False
        if self._unseen:
            served = await self._api.served()
            self._unseen = {
                kind: store for kind, store in self._unseen.items() if kind in served and not store.synced.is_set()
            }
            if self._unseen and time.monotonic() - self._began < SYNC_WITHIN:
                return False
            self._unseen = {}
            self.gangs.recall()
        return True

    def _decide_or_skip(self, entry: Waiting) -> None:
        """A pod over which this fails is left out until it changes."""
        pod = entry.pod
        with self._faults.contain(DEFAULT, pod.pod, PODS) as attempt:
            self._decide(entry)
        if attempt.failed:
            self.queue.remove(pod.uid)
            self.snapshot.forget(pod.uid, pod.claim_keys)

    def _decide(self, entry: Waiting) -> None:
        pod = entry.pod
        match schedule(pod, self.snapshot, self.placer, self.gangs.closed_to(pod)):
            case Placed(node):
                self.snapshot.add_pod(pod, node)
                self.binder.add(pod, node)
            case Unplaced() as failed:
                self._fail(entry, failed)

    def _fail(self, entry: Waiting, failed: Unplaced) -> None:
        pod, message = entry.pod, failed.message
        self.queue.rest(pod.uid, failed.refused_by, time.monotonic())
        if failed.nodes:
            found = preempt(pod, failed, self.snapshot)
            if isinstance(found, Preemption):
                self._promise(entry, found)
            else:
                message = f"{message} {found.message}"
                if pod.uid in self.snapshot.nominated and "terminating pod" not in found.message:
                    del self.snapshot.nominated[pod.uid]
        self.reporter.unschedulable(pod, message)

    def _promise(self, entry: Waiting, found: Preemption) -> None:
        """Room is being made for the pod: those of lower priority that were promised it must look elsewhere."""
        pod = entry.pod
        for uid, (other, node) in list(self.snapshot.nominated.items()):
            if node == found.node and other.priority < pod.priority:
                del self.snapshot.nominated[uid]
                self.reporter.withdraw(other)
        self.snapshot.nominated[pod.uid] = (pod, found.node)
        for victim in found.victims:
            self.reporter.preempt(victim, pod, found.node)

    # --- what became of it

    def _bound(self, uid: str) -> None:
        self.queue.remove(uid)

    def _not_bound(self, pod: PodInfo, why: str) -> None:
        """The room and the volumes are free again, and the pod waits anew, as it is by now: it may have changed."""
        node = self.snapshot.node_of(pod.uid)
        self.snapshot.forget(pod.uid, pod.claim_keys)
        self.queue.retry(pod.uid, time.monotonic())
        latest = self._pods.get(pod.key)
        if latest is not None and latest.metadata.uid == pod.uid:
            self._feed.added(latest)
            if self.queue.get(pod.uid) is not None:
                self.reporter.failed(pod, why)
        if node is not None:
            self._feed.freed(node.name)
        self._kick()


def scheduler(options: Options = DEFAULTS) -> Service:
    """The scheduler as a part of the manager, or of a process of its own."""

    def start(runtime: Runtime) -> None:
        Scheduler(runtime, options)

    return Service(DEFAULT, start)


SCHEDULER = scheduler()
