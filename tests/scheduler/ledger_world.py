"""The scheduler's bookkeeping, kept by the core of the running one, beside the objects that it was told of.

There is no server and no clock: a test says which event comes next, and how each binding ends.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
from prometheus_client import CollectorRegistry

from tests.scheduler.builders import a_node, a_pod
from windlass.apis.core_v1 import Node, PersistentVolumeClaim, Pod
from windlass.apis.scheduling_v1 import PriorityClass
from windlass.apis.wellknown import POD_GROUP_NAME_ANNOTATION
from windlass.kube.cache import Store
from windlass.kube.faults import Faults
from windlass.kube.json import Object as Json
from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.kube.view import typed, untyped
from windlass.scheduler.framework.conf import Conf
from windlass.scheduler.framework.decisions import Commit
from windlass.scheduler.live.core.effects import BindGang, BindPod, Clock, Condition, EvictPod
from windlass.scheduler.live.core.events import Event, GangBound, GangNotBound, PodBound, PodNotBound, Wakeup
from windlass.scheduler.live.core.scheduler_core import SchedulerCore
from windlass.scheduler.live.metrics import SchedulerMetrics
from windlass.scheduler.live.options import Options
from windlass.scheduler.live.service import Subscription
from windlass.scheduler.model.jobs import Task
from windlass.scheduler.model.pod_groups import BY_SCHEDULER, GROUP_KINDS, GROUP_LABEL
from windlass.scheduler.model.pod_info import FINISHED, PodInfo
from windlass.scheduler.model.queues import VOLCANO as VOLCANO_QUEUE

NAMESPACE = "default"
CARDS = {"volcano.sh/gpu-number": "2", "volcano.sh/gpu-memory": "64"}
"""What each node has of devices that pods share."""
CLASSES = {
    "low": PriorityClass(value=1),
    "high": PriorityClass(value=1000),
}


class Checking(SchedulerMetrics):
    """Calls `looked` after each action of a cycle, in the middle of it."""

    def __init__(self, looked: Callable[[], None]) -> None:
        super().__init__(CollectorRegistry())
        self._looked = looked

    @contextmanager
    def timed(self, kind: str, name: str) -> Iterator[None]:
        yield
        if kind == "action":
            self._looked()


class Raising(Faults):
    """Nothing that the scheduler meets here is a reason to leave an object out."""

    def report(self, place: str, error: BaseException, *rest: Any, **given: Any) -> None:
        raise error


class LedgerWorld:
    """`looked` is called after each action of a cycle, in the middle of it."""

    def __init__(self, conf: Conf, looked: Callable[[], None] = lambda: None) -> None:
        self.now, self._version = 1000.0, 0
        self._clock = Clock(lambda: self.now, lambda: self.now)
        self.core = SchedulerCore(Options(conf=conf), Checking(looked), Raising())
        state = self.core.state
        state.classes.update(CLASSES)
        self.cluster, self.snapshot, self.queue, self.gangs = state.cluster, state.snapshot, state.queue, state.gangs
        self.placer, self.decider = state.placer, state.decider
        self.sizes = [a_pod(f"size-{cpu}", cpu=cpu) for cpu in ("1", "2")]
        """Pods that are never there, to ask for the best node for."""
        self.pods: Store[Pod] = Store()
        self.nodes: Store[Node] = Store()
        self.claims: Store[PersistentVolumeClaim] = Store()
        self.queues: Store[Json] = Store()
        self.groups: dict[Kind, Store[Json]] = {kind: Store() for kind in GROUP_KINDS}
        self._subscribe()
        self.binding: list[Commit] = []
        """Decided, and of no effect yet as far as the server goes."""
        self.binding_alone: dict[str, tuple[PodInfo, str]] = {}
        self.evicting: dict[str, Task] = {}
        """Pods that are told to terminate and of which the server has not heard yet, by uid."""

    def _subscribe(self) -> None:
        stores: dict[Any, Store[Any]] = {
            typed(Pod): self.pods,
            typed(Node): self.nodes,
            typed(PersistentVolumeClaim): self.claims,
            untyped(VOLCANO_QUEUE): self.queues,
            **{untyped(kind): store for kind, store in self.groups.items()},
        }
        for name, feed in self.core.feeds.items():
            if feed.view in stores:
                stores[feed.view].subscribe(Subscription(name, self._deliver))

    def _deliver(self, *events: Event) -> None:
        """Pass the core what happened, and keep what it wants done."""
        for effect in self.core.turn(events, self._clock):
            match effect:
                case BindGang(commit):
                    self.binding.append(commit)
                case BindPod(pod, node):
                    self.binding_alone[pod.uid] = (pod, node)
                case EvictPod(pod, (Condition("Ready"), _)):  # of a cycle; victims of single pods stay here
                    job = next(job for job in self.cluster.jobs.values() if pod.uid in job.tasks)
                    self.evicting[pod.uid] = job.tasks[pod.uid]
                case _:
                    pass

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
        self.core.state.gangs_are_due = True
        self._deliver(Wakeup())

    def evict(self, uid: str) -> None:
        """The server hears that a pod has to go."""
        task = self.evicting.pop(uid)
        pod = self.pods.get(task.pod.key)
        if pod is not None and pod.metadata.uid == uid:
            self.delete_pod(pod)

    # --- how bindings end

    def end_binding(self, commit: Commit, *, bound: bool) -> None:
        """All of a gang is bound, or none; the server refuses pods that are gone, going or bound already."""
        self.binding.remove(commit)
        if bound and all(self._may_be_bound(task.pod) for task in commit.tasks):
            for task in commit.tasks:
                self._bind(task.pod, task.node)
            self._deliver(GangBound(commit))
            return
        found = {task.uid: self.pods.get(task.pod.key) for task in commit.tasks}
        latest = {uid: pod for uid, pod in found.items() if pod is not None and pod.metadata.uid == uid}
        self._deliver(GangNotBound(commit, {}, latest))

    def end_binding_alone(self, uid: str, *, bound: bool) -> None:
        pod, node = self.binding_alone.pop(uid)
        if bound and self._may_be_bound(pod):
            self._bind(pod, node)
            self._deliver(PodBound(pod, node))
            return
        self._deliver(PodNotBound(pod, "", self.pods.get(pod.key)))

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
    name = GROUP_LABEL if scheduler.startswith("scheduler-plugins") else POD_GROUP_NAME_ANNOTATION
    if group and scheduler in BY_SCHEDULER:
        named[name] = group
    else:
        named.pop(name, None)
