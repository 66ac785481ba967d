"""Gangs: the PodGroup of a job, and the marks by which a scheduler knows the pods that start together or not at all.

Three families of schedulers have each their own PodGroup; `gang_for` chooses by the configured name.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from windlass.apis.scheduling_coscheduling_v1alpha1 import LABEL
from windlass.apis.scheduling_v1 import PriorityClass
from windlass.apis.scheduling_volcano_v1beta1 import VOLCANO_SCHEDULER, Queue
from windlass.apis.wellknown import (
    POD_GROUP_NAME_ANNOTATION,
    TASK_SPEC_ANNOTATION,
    VOLCANO_SCHEDULING_GROUP,
)
from windlass.apps.training.job import Job, Replica
from windlass.kube.controller import Concerns, Failing, Observed, Source
from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.kind import Kind
from windlass.kube.plan import Patch
from windlass.kube.quantity import Quantity
from windlass.kube.view import View, untyped

KUBE_BATCH = "kube-batch"


def _pod_groups(group: str, version: str) -> View[Object]:
    return untyped(Kind(group=group, version=version, name="PodGroup", plural="podgroups"))


@dataclass(frozen=True, kw_only=True)
class Gang:
    """How the gangs of one scheduler are declared."""

    scheduler: str
    groups: View[Object]
    delays_pods: bool = False
    """Whether no pod is created before the scheduler has admitted the group."""

    @property
    def watches(self) -> list[tuple[Source, Concerns]]:
        """What a controller of such jobs reads besides, and what may lift the refusal of a group."""
        queues: list[tuple[Source, Concerns]] = [(Queue, Failing(lambda queue: queue.status.state))]
        return [(PriorityClass, lambda changed: ()), *(queues if self.scheduler == VOLCANO_SCHEDULER else [])]

    def mark(self, job: Job, replica: Replica, pod: Object) -> None:
        """Make a pod one of the gang."""
        spec, metadata = pod["spec"], pod["metadata"]
        spec.setdefault("schedulerName", self.scheduler)
        if self.scheduler in (VOLCANO_SCHEDULER, KUBE_BATCH):
            marks = {POD_GROUP_NAME_ANNOTATION: job.name} | (
                {TASK_SPEC_ANNOTATION: replica.label} if self.scheduler == VOLCANO_SCHEDULER else {}
            )
            metadata["annotations"] = {**dig_object(metadata, "annotations"), **marks}
        else:
            metadata["labels"] = {**metadata["labels"], LABEL: job.name}

    def group(self, job: Job, observed: Observed) -> Object:
        """The job's PodGroup as it should be; one that is there already keeps its queue."""
        policy = job.scheduling
        known = observed.one(self.groups, job.name)
        least = job.framework.min_member(job) if policy.min_available is None else policy.min_available
        spec: Object = {"minMember": least}
        if self.scheduler in (VOLCANO_SCHEDULER, KUBE_BATCH):
            spec["queue"] = policy.queue or str(dig(known, "spec", "queue") or "") or "default"
            if policy.priority_class:
                spec["priorityClassName"] = policy.priority_class
        elif policy.schedule_timeout_seconds is not None:
            spec["scheduleTimeoutSeconds"] = policy.schedule_timeout_seconds
        if self.scheduler != KUBE_BATCH:
            resources = policy.min_resources or least_resources(job, least, priorities(observed))
            if resources:
                spec["minResources"] = resources
        metadata: Object = {"name": job.name, "namespace": job.namespace}
        if job.annotations:
            metadata["annotations"] = {k: v for k, v in job.annotations.items() if "last-applied" not in k}
        kind = self.groups.kind
        return {"apiVersion": kind.api_version, "kind": kind.name, "metadata": metadata, "spec": spec}

    def lets_start(self, job: Job, observed: Observed) -> bool:
        """Whether pods may be made now."""
        if not self.delays_pods:
            return True
        group = observed.one(self.groups, job.name)
        return dig(group, "status", "phase") not in (None, "", "Pending")

    def requested_again(self, job: Job, observed: Observed) -> list[Patch]:
        """The patch of a group that a user created and that was admitted before the job's requests were known.

        Both at once: a group with requests must never be visible as admitted.
        """
        group = observed.one(self.groups, job.name)
        if not self.delays_pods or dig(group, "status", "phase") != "Inqueue" or dig(group, "spec", "minResources"):
            return []
        needed = dig_object(self.group(job, observed), "spec", "minResources")
        if not group or not needed:
            return []
        return [Patch(group, {"spec": {"minResources": needed}, "status": {"phase": "Pending"}})]

    def present(self, job: Job, observed: Observed) -> list[Object]:
        group = observed.one(self.groups, job.name)
        return [group] if group is not None and not dig(group, "metadata", "deletionTimestamp") else []


def gang_for(scheduler: str) -> Gang | None:
    """What a configured `--gang-scheduler-name` means; None without one."""
    match scheduler:
        case "" | "none":
            return None
        case "volcano":
            groups = _pod_groups(VOLCANO_SCHEDULING_GROUP, "v1beta1")
            return Gang(scheduler=VOLCANO_SCHEDULER, groups=groups, delays_pods=True)
        case "kube-batch":
            return Gang(scheduler=KUBE_BATCH, groups=_pod_groups("scheduling.incubator.k8s.io", "v1alpha1"))
        case other:
            return Gang(scheduler=other, groups=_pod_groups("scheduling.x-k8s.io", "v1alpha1"))


def priorities(observed: Observed) -> dict[str, int]:
    return {one.metadata.name: one.value for one in observed.all(PriorityClass)}


def least_resources(job: Job, members: int, values: dict[str, int]) -> dict[str, str]:
    """What the first `members` pods ask for together, roles of a higher priority first."""

    def priority(replica: Replica) -> int:
        return values.get(str(dig(replica.template, "spec", "priorityClassName") or ""), 0)

    ranked = sorted(job.replicas.values(), key=priority, reverse=True)
    pods = [replica.template for replica in ranked for _ in range(replica.count)][:members]
    total: dict[str, Quantity] = {}
    for template in pods:
        for container in dig_list(template, "spec", "containers"):
            for name, amount in _asked(container).items():
                asked = Quantity.parse(amount)
                total[name] = total[name] + asked if name in total else asked
    return {name: str(amount) for name, amount in total.items()}


def _asked(container: Any) -> Object:
    """A container that asks for nothing counts its limits."""
    return dig_object(container, "resources", "requests") or dig_object(container, "resources", "limits")


def odd_schedulers(job: Job, gang: Gang) -> Sequence[str]:
    """Schedulers that templates name and that will not know the gang."""
    named = {str(dig(replica.template, "spec", "schedulerName") or "") for replica in job.replicas.values()}
    return sorted(named - {"", gang.scheduler})
