"""The scheduler's bookkeeping, fed by the same handlers as in the running one, beside the objects that it was told of.

There is no server and no clock: a test says which event comes next, and how each binding ends.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from tests.scheduler.builders import a_node, a_pod
from windlass.apis.core_v1 import Node, PersistentVolumeClaim, Pod
from windlass.apis.scheduling_v1 import PriorityClass
from windlass.kube.cache import Store
from windlass.kube.json import Object as Json
from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.scheduler.cycle.gang_cycle import Decider
from windlass.scheduler.cycle.pod_cycle import Placed, schedule
from windlass.scheduler.cycle.pod_preemption import Preemption, preempt
from windlass.scheduler.framework.conf import Conf
from windlass.scheduler.framework.decisions import Commit, Eviction
from windlass.scheduler.live import feeds
from windlass.scheduler.live.scheduling_queue import SchedulingQueue
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.gangs import Gangs
from windlass.scheduler.model.jobs import Job, Task
from windlass.scheduler.model.pod_groups import BY_SCHEDULER, GROUP_ANNOTATION, GROUP_KINDS, GROUP_LABEL
from windlass.scheduler.model.pod_info import FINISHED, PodInfo
from windlass.scheduler.model.queues import VOLCANO as VOLCANO_QUEUE
from windlass.scheduler.model.queues import Queues
from windlass.scheduler.placing.placer import Placer

NAMESPACE = "default"
CARDS = {"volcano.sh/gpu-number": "2", "volcano.sh/gpu-memory": "64"}
"""What each node has of devices that pods share."""
CLASSES = {
    "low": PriorityClass(value=1),
    "high": PriorityClass(value=1000),
}


class LedgerWorld:
    """`looked` is called after each action of a cycle, in the middle of it."""

    def __init__(self, conf: Conf, looked: Callable[[], None] = lambda: None) -> None:
        self.cluster = Cluster()
        self.snapshot = self.cluster.snapshot
        self.queue = SchedulingQueue()
        self.placer = Placer(self.snapshot)
        self.sizes = [a_pod(f"size-{cpu}", cpu=cpu) for cpu in ("1", "2")]
        """Pods that are never there, to ask for the best node for."""
        self.now, self._version, self._looked = 1000.0, 0, looked
        self.decider = Decider(self.cluster, conf, timed=self._timed)
        self.pod_feed = feeds.PodFeed(
            self.snapshot, self.queue, lambda: self.now, _nothing, _nothing, _nothing, _nothing
        )
        self.gangs = Gangs(
            self.cluster, CLASSES.get, _nothing, _nothing, self._lost, lambda group, pod: None, self.pod_feed.freed
        )
        self.pods: Store[Pod] = Store()
        self.nodes: Store[Node] = Store()
        self.claims: Store[PersistentVolumeClaim] = Store()
        self.queues: Store[Json] = Store()
        self.groups: dict[Kind, Store[Json]] = {kind: Store() for kind in GROUP_KINDS}
        self._subscribe()
        self.binding: list[Commit] = []
        """Decided, and of no effect yet as far as the server goes."""
        self.binding_alone: dict[str, tuple[PodInfo, str]] = {}
        self.evicting: dict[str, Eviction] = {}
        """Pods that are told to terminate and of which the server has not heard yet, by uid."""

    def _subscribe(self) -> None:
        def helps(_: object) -> None:
            """Everybody is looked at in every cycle here."""

        self.nodes.subscribe(feeds.NodeFeed(self.snapshot, helps, self.gangs.node_changed))
        self.queues.subscribe(feeds.queue_feed(Queues(self.cluster), VOLCANO_QUEUE, _nothing))
        self.claims.subscribe(feeds.claim_feed(self.snapshot, _nothing))
        for kind, store in self.groups.items():
            store.subscribe(feeds.GroupFeed(self.gangs, kind))
        self.pods.subscribe(self.pod_feed)
        self.pods.subscribe(feeds.MemberFeed(self.gangs))

    @contextmanager
    def _timed(self, kind: str, name: str) -> Iterator[None]:
        yield
        if kind == "action":
            self._looked()

    def _lost(self, job: Job, task: Task) -> None:
        self.decider.lost(job, task, self.now)

    # --- objects

    def _next(self) -> str:
        self._version += 1
        return str(self._version)

    def put_node(self, name: str, cpu: int, **given: Any) -> None:
        node = a_node(name, cpu=str(cpu), offers=CARDS, **given)
        metadata = msgspec.structs.replace(node.metadata, resource_version=self._next())
        self.nodes.put(msgspec.structs.replace(node, metadata=metadata))

    def remove_node(self, name: str) -> None:
        self.nodes.remove(Key("", name))

    def put_queue(self, name: str, **spec: Any) -> None:
        self.queues.put({"metadata": {"name": name, "resourceVersion": self._next()}, "spec": spec})

    def remove_queue(self, name: str) -> None:
        self.queues.remove(Key("", name))

    def put_group(self, kind: Kind, name: str, uid: str, phase: str = "", **spec: Any) -> None:
        metadata = {"name": name, "namespace": NAMESPACE, "uid": uid, "resourceVersion": self._next()}
        self.groups[kind].put({"metadata": metadata, "spec": spec, "status": {"phase": phase} if phase else {}})

    def remove_group(self, kind: Kind, name: str) -> None:
        self.groups[kind].remove(Key(NAMESPACE, name))

    def add_pod(self, name: str, scheduler: str, group: str, asks: dict[str, str], **given: Any) -> None:
        """`labels`, `owner`, `phase`; any other name is a field of the spec."""
        labels, owner, phase = given.pop("labels", {}), given.pop("owner", ""), given.pop("phase", "Pending")
        metadata: Json = {
            "name": name,
            "namespace": NAMESPACE,
            "uid": f"uid-{name}-{self._next()}",
            "labels": labels,
            "annotations": {},
            "ownerReferences": owned_by(owner),
        }
        mark(metadata, scheduler, group)
        container = {"name": "c", "resources": {"requests": asks}, "ports": given.pop("ports", [])}
        spec = {"schedulerName": scheduler, "containers": [container], **given}
        self._put_pod({"metadata": metadata, "spec": spec, "status": {"phase": phase}})

    def _put_pod(self, obj: Json) -> None:
        obj["metadata"]["resourceVersion"] = self._next()
        self.pods.put(msgspec.convert(obj, Pod))

    def change_pod(self, pod: Pod, change: Callable[[Json], None]) -> None:
        obj = msgspec.to_builtins(pod)
        change(obj)
        self._put_pod(obj)

    def delete_pod(self, pod: Pod) -> None:
        """Its deletion begins; the node has to end it first."""

        def begin(obj: Json) -> None:
            obj["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"

        self.change_pod(pod, begin)

    def remove_pod(self, pod: Pod) -> None:
        self.evicting.pop(pod.metadata.uid, None)
        self.pods.remove(pod.metadata.key)

    # --- deciding

    def cycle(self) -> None:
        """As a turn of the running scheduler: gangs first, then pods that are placed for themselves."""
        self.now += 1
        decisions = self.decider.decide(self.now)
        self.binding += decisions.commits
        self.evicting |= {one.task.uid: one for one in decisions.evictions}
        while (entry := self.queue.pop(self.now)) is not None:
            pod = entry.pod
            match schedule(pod, self.snapshot, self.placer, self.decider.closed_to(pod, self.now)):
                case Placed(node):
                    self.snapshot.add_pod(pod, node)
                    self.binding_alone[pod.uid] = (pod, node)
                case failed:
                    self.queue.rest(pod.uid, failed.refused_by, self.now)
                    found = preempt(pod, failed, self.snapshot) if failed.nodes else None
                    if isinstance(found, Preemption):
                        self.snapshot.nominated[pod.uid] = (pod, found.node)

    def evict(self, uid: str) -> None:
        """The server hears that a pod has to go."""
        eviction = self.evicting.pop(uid)
        pod = self.pods.get(eviction.task.pod.key)
        if pod is not None and pod.metadata.uid == uid:
            self.delete_pod(pod)

    # --- how bindings end

    def end_binding(self, commit: Commit, *, bound: bool) -> None:
        """All of a gang is bound, or none; the server refuses pods that are gone, going or bound already."""
        self.binding.remove(commit)
        if bound and all(self._may_be_bound(task.pod) for task in commit.tasks):
            for task in commit.tasks:
                self._bind(task.pod, task.node)
            return
        for task in commit.tasks:
            self.gangs.not_bound(task)
            latest = self.pods.get(task.pod.key)
            if latest is not None and latest.metadata.uid == task.uid:
                self.gangs.see(latest)

    def end_binding_alone(self, uid: str, *, bound: bool) -> None:
        pod, node = self.binding_alone.pop(uid)
        if bound and self._may_be_bound(pod):
            self._bind(pod, node)
            return
        self.snapshot.forget(uid, pod.claim_keys)
        self.queue.retry(uid, self.now)
        latest = self.pods.get(pod.key)
        if latest is not None and latest.metadata.uid == uid:
            self.pod_feed.added(latest)

    def _may_be_bound(self, info: PodInfo) -> bool:
        pod = self.pods.get(info.key)
        if pod is None or pod.metadata.uid != info.uid or pod.spec.node_name or pod.status.phase in FINISHED:
            return False
        return not pod.metadata.deletion_timestamp

    def _bind(self, info: PodInfo, node: str) -> None:
        pod = self.pods.get(info.key)
        assert pod is not None
        self.change_pod(pod, lambda obj: obj["spec"].update(nodeName=node))


def owned_by(owner: str) -> list[Json]:
    reference = {"apiVersion": "batch/v1", "kind": "Job", "name": owner, "uid": owner, "controller": True}
    return [reference] if owner else []


def mark(metadata: Json, scheduler: str, group: str) -> None:
    """Say of a pod's metadata which group it names, in the way of its scheduler; "" for none."""
    named = metadata.setdefault("labels" if scheduler.startswith("scheduler-plugins") else "annotations", {})
    name = GROUP_LABEL if scheduler.startswith("scheduler-plugins") else GROUP_ANNOTATION
    if group and scheduler in BY_SCHEDULER:
        named[name] = group
    else:
        named.pop(name, None)


def _nothing(*_: object) -> None:
    """Nobody waits for it."""
