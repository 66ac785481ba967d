"""The running scheduler: takes pods from the queue, decides with the pure core, and has the decision carried out.

All its state is rebuilt from the caches: a restart loses nothing. A pod counts on its node from the decision on, until
the cache shows it there or the binding turns out to have failed; so what was decided and is not yet seen is never
given away again.
"""

import time
from collections.abc import Callable
from datetime import timedelta

from windlass.apis.core_v1 import Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod
from windlass.apis.policy_v1 import PodDisruptionBudget
from windlass.kube.controller import Runtime, Service
from windlass.kube.kind import Kind
from windlass.kube.view import typed, untyped
from windlass.scheduler import feeds
from windlass.scheduler.binding import Binder
from windlass.scheduler.core import Placed, Unplaced, schedule
from windlass.scheduler.feeds import GroupFeed, MemberFeed, NodeFeed, PodFeed
from windlass.scheduler.gang import GATHERING, NOT_ENQUEUEABLE, NOT_FOUND, Gang, Waits, Whole, decide_gang
from windlass.scheduler.gangs import Gangs
from windlass.scheduler.group_reports import PATIENCE, GroupReporter
from windlass.scheduler.group_status import Trouble
from windlass.scheduler.groups import DEFAULT, GROUP_KINDS, Group, Mark, mark_of
from windlass.scheduler.placing.placer import Placer
from windlass.scheduler.pod_info import PodInfo
from windlass.scheduler.preemption import Preemption, preempt
from windlass.scheduler.queue import SchedulingQueue, Waiting
from windlass.scheduler.reports import Reporter
from windlass.scheduler.snapshot import Snapshot

STORAGE_CLASS = Kind(
    group="storage.k8s.io", version="v1", name="StorageClass", plural="storageclasses", namespaced=False
)
TURN = 0.01  # seconds that it decides for before others of the process have a turn
FLUSH_EVERY = 30.0
BINDERS, REPORTERS = 16, 4
SYNC_SOON = timedelta(milliseconds=10)


class Scheduler:
    """One of them, in one process."""

    def __init__(self, runtime: Runtime) -> None:
        self.snapshot = Snapshot()
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
                runtime.store(untyped(STORAGE_CLASS)),
            )
        ]
        self._pods = runtime.store(typed(Pod))
        self.reporter = Reporter(runtime, self._pods, self.snapshot)
        self.group_reporter = GroupReporter(runtime, self._incomplete)
        self.gangs = Gangs(self.snapshot, self.queue, time.monotonic, self.group_reporter.changed)
        self.group_reporter.gangs = self.gangs
        self._room_made = True
        self._without_group: dict[str, str] = {}
        self._feed = PodFeed(
            self.snapshot,
            self.queue,
            time.monotonic,
            self._kick,
            self.reporter.gated,
            self.reporter.forget,
            self._look_at_groups,
        )
        self.binder = Binder(runtime, self._pods, self.snapshot, self._bound, self._not_bound)
        self._subscribe(runtime)
        runtime.work("default-scheduler", self._cycles, self.cycle, 1)
        runtime.work("default-scheduler-bind", self.binder.queue, self.binder.step, BINDERS)
        runtime.work("default-scheduler-report", self.reporter.queue, self.reporter.step, REPORTERS)
        runtime.work("pod-groups", self.group_reporter.queue, self.group_reporter.step, REPORTERS)
        self._kick()

    def _subscribe(self, runtime: Runtime) -> None:
        snapshot, neighbours = self.snapshot, self._namespaces_changed
        runtime.store(typed(Namespace)).subscribe(feeds.namespace_feed(snapshot, neighbours))
        runtime.store(typed(PersistentVolume)).subscribe(feeds.volume_feed(snapshot, self._volumes_changed))
        runtime.store(typed(PersistentVolumeClaim)).subscribe(feeds.claim_feed(snapshot, self._volumes_changed))
        runtime.store(untyped(STORAGE_CLASS)).subscribe(feeds.class_feed(snapshot, self._volumes_changed))
        runtime.store(typed(PodDisruptionBudget)).subscribe(feeds.budget_feed(snapshot))
        runtime.store(typed(Node)).subscribe(NodeFeed(snapshot, self._nodes_changed))
        for kind in GROUP_KINDS:  # those that are not served are not waited for
            runtime.store(untyped(kind)).subscribe(GroupFeed(self.gangs, kind, self._group_changed))
        self._pods.subscribe(MemberFeed(self.gangs))
        self._pods.subscribe(self._feed)

    # --- what brings pods back

    def _kick(self) -> None:
        self._cycles.add("cycle")

    def _wake(self, helps: Callable[[Waiting], bool]) -> None:
        if self.queue.wake(helps, time.monotonic()):
            self._kick()

    def _nodes_changed(self, helps: Callable[[Waiting], bool]) -> None:
        self._wake(helps)
        self._look_at_groups()

    def _look_at_groups(self) -> None:
        """There may be room for a group that was not let in."""
        self._room_made = True
        if self.gangs.any_outside:
            self._kick()

    def _group_changed(self, mark: Mark) -> None:
        self._wake(lambda entry: mark_of(entry.pod.pod) == mark)
        self._look_at_groups()

    def _volumes_changed(self) -> None:
        self.binder.look_again()
        self._wake(lambda entry: "volumes" in entry.refused_by)

    def _namespaces_changed(self) -> None:
        self._wake(lambda entry: "pod_affinity" in entry.refused_by)

    # --- deciding

    async def cycle(self, _: str) -> timedelta | None:
        """Decide on as many pods as a turn allows; answers when to look again."""
        if not all(one.is_set() for one in self._synced):
            return SYNC_SOON
        now = began = time.monotonic()
        if now - self._flushed > FLUSH_EVERY:
            self.queue.flush(now)
            self._flushed = now
        if self._room_made:
            self._room_made = False
            self._let_groups_in()
        if self._without_group:
            self._miss_groups(now)
        while (entry := self.queue.pop(now)) is not None:
            self._decide(entry)
            now = time.monotonic()
            if now - began > TURN:
                self._kick()
                return None
        coming = self.queue.next_at()
        again_in = min(coming - now, FLUSH_EVERY) if coming is not None else FLUSH_EVERY
        return timedelta(seconds=min(again_in, PATIENCE) if self._without_group else again_in)

    def _let_groups_in(self) -> None:
        for group in self.gangs.let_in():
            self.group_reporter.at_once(group)
            self._wake(lambda entry, mark=group.mark: mark_of(entry.pod.pod) == mark)

    def _decide(self, entry: Waiting) -> None:
        gang = self.gangs.gang_of(entry.pod)
        if gang is not None:
            self._decide_together(entry, gang)
        else:
            self._decide_alone(entry)

    def _decide_together(self, entry: Waiting, gang: Gang) -> None:
        self.group_reporter.cycle += 1
        match decide_gang(gang, self.snapshot):
            case Whole(nodes):
                for pod in gang.waiting:
                    if pod.uid in nodes:
                        self.queue.take(pod.uid)
                        self._place(pod, nodes[pod.uid])
                assert gang.group is not None
                self.gangs.troubles.pop((gang.group.kind, gang.group.key), None)
                self.group_reporter.ready(gang.group)
                if entry.pod.uid not in nodes:
                    self._decide(entry)
            case Waits() as waits:
                self._wait_together(entry, gang, waits)

    def _wait_together(self, entry: Waiting, gang: Gang, waits: Waits) -> None:
        """What may be on its way, pods or the group itself, is not missed aloud at once."""
        now = time.monotonic()
        for pod in [entry.pod] if waits.reason in GATHERING else gang.waiting:
            self.queue.take(pod.uid)
            self.queue.rest(pod.uid, waits.refused_by[pod.uid], now)
            if waits.reason == NOT_FOUND:
                self._without_group[pod.uid] = waits.message
            elif waits.reason not in GATHERING:
                self.reporter.unschedulable(pod, waits.pods[pod.uid])
        if gang.group is not None and waits.reason != NOT_ENQUEUEABLE:
            trouble = Trouble(waits.reason, waits.message)
            self.gangs.troubles[gang.group.kind, gang.group.key] = trouble
            self.group_reporter.waits(gang.group, trouble)

    def _miss_groups(self, now: float) -> None:
        for uid, message in list(self._without_group.items()):
            entry = self.queue.get(uid)
            if entry is None or self.gangs.group_of(entry.pod.pod) is not None:
                del self._without_group[uid]
            elif now - entry.since >= PATIENCE:
                del self._without_group[uid]
                self.reporter.unschedulable(entry.pod, message)

    def _incomplete(self, group: Group) -> None:
        """Its pods have waited for the others long enough to be told so."""
        trouble = self.gangs.troubles.get((group.kind, group.key))
        for pod in self.gangs.members(group) if trouble is not None else ():
            entry = self.queue.get(pod.metadata.uid)
            if entry is not None and trouble is not None and entry.state == "resting":
                self.reporter.unschedulable(entry.pod, trouble.message)

    def _place(self, pod: PodInfo, node: str) -> None:
        self.snapshot.add_pod(pod, node)
        self.binder.add(pod, node)

    def _decide_alone(self, entry: Waiting) -> None:
        pod = entry.pod
        match schedule(pod, self.snapshot, self.placer):
            case Placed(node):
                self._place(pod, node)
            case Unplaced() as failed:
                self._fail(entry, failed)

    def _fail(self, entry: Waiting, failed: Unplaced) -> None:
        pod, message = entry.pod, failed.message
        self.queue.rest(pod.uid, failed.refused_by, time.monotonic())
        if failed.nodes and mark_of(pod.pod) is None:
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
        self.snapshot.forget(pod)
        self.queue.retry(pod.uid, time.monotonic())
        latest = self._pods.get(pod.key)
        if latest is not None and latest.metadata.uid == pod.uid:
            self._feed.added(latest)
            if self.queue.get(pod.uid) is not None:
                self.reporter.failed(pod, why)
        if node is not None:
            self._feed.freed(node.name)
        self._kick()


def start(runtime: Runtime) -> None:
    Scheduler(runtime)


SCHEDULER = Service(DEFAULT, start)
