"""A running system, read once: objects of the API as the scheduler would know them. Nothing is written.

What explains why a job waits, and what foretells when one would start, decide from the same as the running scheduler.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from windlass.apis.core_v1 import Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod, ResourceQuota
from windlass.apis.policy_v1 import PodDisruptionBudget
from windlass.apis.scheduling_v1 import PriorityClass
from windlass.kube.json import Object as Json
from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.kube.objects import key_of
from windlass.scheduler.model import updates
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.gangs import Gangs
from windlass.scheduler.model.hyper_nodes import resolve
from windlass.scheduler.model.jobs import Job
from windlass.scheduler.model.pod_groups import BY_SCHEDULER, is_alone
from windlass.scheduler.model.pod_info import FINISHED, PodInfo
from windlass.scheduler.model.queues import KUBE_BATCH, VOLCANO, Queues


@dataclass(frozen=True)
class Observed:
    """Objects of a running system."""

    nodes: Sequence[Json] = ()
    pods: Sequence[Json] = ()
    groups: Sequence[tuple[Kind, Json]] = ()
    queues: Sequence[Json] = ()
    kube_batch_queues: Sequence[Json] = ()
    priority_classes: Sequence[Json] = ()
    quotas: Sequence[Json] = ()
    hyper_nodes: Sequence[Json] = ()
    claims: Sequence[Json] = ()
    volumes: Sequence[Json] = ()
    storage_classes: Sequence[Json] = ()
    namespaces: Sequence[Json] = ()
    budgets: Sequence[Json] = ()
    conf: str | None = None
    """The volcano-scheduler.conf that its ConfigMap has, if there is one."""

    @property
    def priorities(self) -> dict[str, int]:
        """Values of the classes; "" is that of what names none."""
        found = {key_of(one).name: int(one.get("value") or 0) for one in self.priority_classes}
        default = next((one for one in self.priority_classes if one.get("globalDefault")), {})
        return {"": int(default.get("value") or 0), **found}


@dataclass
class System:
    """The same as the scheduler knows it."""

    cluster: Cluster
    gangs: Gangs
    pods: dict[Key, Pod] = field(default_factory=dict[Key, Pod])
    alone: dict[str, PodInfo] = field(default_factory=dict[str, PodInfo])
    """Pods that are placed for themselves and have not ended, by uid."""

    def job_of(self, pod: Pod) -> Job | None:
        """The job that a pod is a task of."""
        uid = pod.metadata.uid
        return next((job for job in self.cluster.jobs.values() if uid in job.tasks), None)


def system_of(observed: Observed, *, default_queue: str = "default") -> System:
    cluster = Cluster()
    classes = {key_of(one).name: msgspec.convert(one, PriorityClass) for one in observed.priority_classes}
    gangs = Gangs(cluster, classes, default_queue)
    system = System(cluster, gangs)
    _put_what_is_read(observed, cluster)
    for obj in observed.nodes:
        cluster.snapshot.put_node(msgspec.convert(obj, Node))
    labels = {node.name: node.labels for node in cluster.snapshot.nodes}
    cluster.hyper_nodes = resolve(observed.hyper_nodes, labels)
    queues = Queues(cluster)
    for kind, listed in ((VOLCANO, observed.queues), (KUBE_BATCH, observed.kube_batch_queues)):
        for obj in listed:
            queues.put(kind, obj)
    for kind, obj in observed.groups:
        gangs.put(kind, obj)
    for obj in observed.pods:
        _put_pod(system, msgspec.convert(obj, Pod))
    return system


def _put_what_is_read(observed: Observed, cluster: Cluster) -> None:
    """Put the objects that predicates read beside nodes and pods."""
    for obj in observed.namespaces:
        updates.put_namespace(cluster, msgspec.convert(obj, Namespace))
    for obj in observed.volumes:
        updates.put_volume(cluster, msgspec.convert(obj, PersistentVolume))
    for obj in observed.claims:
        updates.put_claim(cluster, msgspec.convert(obj, PersistentVolumeClaim))
    for obj in observed.budgets:
        updates.put_budget(cluster, msgspec.convert(obj, PodDisruptionBudget))
    for obj in observed.quotas:
        updates.put_quota(cluster, msgspec.convert(obj, ResourceQuota))
    for obj in observed.storage_classes:
        updates.put_storage_class(cluster, obj)


def _put_pod(system: System, pod: Pod) -> None:
    system.pods[pod.metadata.key] = pod
    info, snapshot = PodInfo(pod), system.cluster.snapshot
    is_there = pod.status.phase not in FINISHED
    if is_there and pod.spec.node_name:
        snapshot.add_pod(info, pod.spec.node_name)
    if pod.spec.scheduler_name in BY_SCHEDULER and not is_alone(pod):
        system.gangs.see(pod, info)
    elif is_there:
        system.alone[info.uid] = info
        if pod.status.nominated_node_name and not pod.spec.node_name:
            snapshot.nominated[info.uid] = (info, pod.status.nominated_node_name)
