"""The gang of a job whose runtime has a `podGroupPolicy`: its PodGroup, and the marks on its pods.

Pods that do not run at the same time cannot start together. So jobs that others wait for to be complete (initializers)
are no part of the gang, and those that are only made once others are ready (MPI's launcher) are no part of its minimum,
though room is asked for them too.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from windlass.apis import scheduling_coscheduling_v1alpha1 as coscheduling
from windlass.apis import scheduling_volcano_v1beta1 as volcano
from windlass.apis.core_v1 import Container, Pod, ResourceList
from windlass.apis.quota_usage import pod_amounts
from windlass.apis.scheduling_volcano_v1beta1 import VOLCANO_SCHEDULER
from windlass.apis.wellknown import POD_GROUP_NAME_ANNOTATION, QUEUE_NAME_ANNOTATION
from windlass.apps.trainer.blueprint import Blueprint, pod_metadata, pod_spec, pods
from windlass.apps.trainer.building import CannotBuild
from windlass.kube.json import Object, dig_list, dig_object
from windlass.kube.kind import KINDS
from windlass.kube.quantity import Quantity

COMPLETE = "Complete"
GROUP_KINDS = (volcano.PodGroup, coscheduling.PodGroup)


@dataclass(frozen=True)
class Gangs:
    """What a server has of gangs.

    `served`: the PodGroups, by their apiVersion. `coscheduler`: who knows those of scheduler-plugins; empty where that
    may be the cluster's default scheduler, with that plug-in.
    """

    served: frozenset[str] = frozenset(KINDS.of(kind).api_version for kind in GROUP_KINDS)
    coscheduler: str = ""


ALL_GANGS = Gangs()
EMBEDDED_GANGS = Gangs(coscheduler="scheduler-plugins-scheduler")
"""Those of the embedded server, whose scheduler knows coscheduling's groups by that name."""


def join(plan: Blueprint, gangs: Gangs = ALL_GANGS) -> Object | None:
    """Mark the pods of the gang, and send those that name no scheduler to one that knows it.

    The PodGroup, or None where nobody asks for one. Raises CannotBuild where there are none of its kind.
    """
    policy = plan.runtime.pod_group_policy
    members = gang_of(plan.replicated_jobs)
    if policy is None or not members:
        return None
    if policy.volcano is not None:
        for one in members:
            _annotate(one, POD_GROUP_NAME_ANNOTATION, plan.job.metadata.name)
            _schedule_by(one, VOLCANO_SCHEDULER)
        return _group(plan, gangs, volcano.GROUP_VERSION, _volcano_spec(plan, members))
    if policy.coscheduling is not None:
        for one in members:
            metadata = pod_metadata(one)
            metadata["labels"] = {**dig_object(metadata, "labels"), coscheduling.LABEL: plan.job.metadata.name}
            _schedule_by(one, gangs.coscheduler)
        seconds = policy.coscheduling.schedule_timeout_seconds
        spec = {**_least(members), "scheduleTimeoutSeconds": seconds}
        return _group(plan, gangs, coscheduling.GROUP_VERSION, spec)
    return None


def gang_of(replicated: Iterable[Object]) -> list[Object]:
    """Those that are not over before others begin."""
    every = list(replicated)
    awaited = {name for one in every for name, status in _depends_on(one) if status == COMPLETE}
    return [one for one in every if one.get("name") not in awaited]


def _least(members: list[Object]) -> Object:
    """How many must start together, and what all of them need."""
    named = {one.get("name") for one in members}
    first = [one for one in members if not any(name in named for name, _ in _depends_on(one))]
    spec: Object = {"minMember": sum(map(pods, first))}
    needed = total_requests(members)
    if needed:
        spec["minResources"] = needed
    return spec


def _volcano_spec(plan: Blueprint, members: list[Object]) -> Object:
    spec = _least(members)
    # The annotation of the job wins over those of the runtime's template and its patches.
    queue = plan.job.metadata.annotations.get(QUEUE_NAME_ANNOTATION) or plan.annotations.get(QUEUE_NAME_ANNOTATION)
    if queue:
        spec["queue"] = queue
    classes = [name for one in members if (name := pod_spec(one).get("priorityClassName"))]
    if classes:
        spec["priorityClassName"] = classes[-1]
    policy = plan.runtime.pod_group_policy
    topology = policy.volcano.network_topology if policy is not None and policy.volcano is not None else None
    if topology is not None:
        spec["networkTopology"] = {"mode": topology.mode, **msgspec.to_builtins(topology)}
    return spec


def _group(plan: Blueprint, gangs: Gangs, api_version: str, spec: Object) -> Object:
    if api_version not in gangs.served:
        raise CannotBuild(f"podGroupPolicy: there are no PodGroups of {api_version} on this cluster")
    metadata = {"name": plan.job.metadata.name, "namespace": plan.job.metadata.namespace}
    return {"apiVersion": api_version, "kind": "PodGroup", "metadata": metadata, "spec": spec}


def _depends_on(replicated: Object) -> list[tuple[str, str]]:
    return [(str(one.get("name")), str(one.get("status"))) for one in dig_list(replicated, "dependsOn")]


def _annotate(replicated: Object, name: str, value: str) -> None:
    metadata = pod_metadata(replicated)
    metadata["annotations"] = {**dig_object(metadata, "annotations"), name: value}


def _schedule_by(replicated: Object, scheduler: str) -> None:
    if scheduler:
        pod_spec(replicated).setdefault("schedulerName", scheduler)


def total_requests(members: Iterable[Object]) -> dict[str, str]:
    """Of all their pods; a limit counts where no request is said, as it will in the pods."""
    total: dict[str, Quantity] = {}
    for one in members:
        pod = msgspec.convert({"metadata": {}, "spec": pod_spec(one)}, Pod)
        for name, amount in pod_amounts(pod, _asked).items():
            needed = amount * pods(one)
            total[name] = total[name] + needed if name in total else needed
    return {name: str(amount) for name, amount in total.items()}


def _asked(container: Container) -> ResourceList:
    return {**container.resources.limits, **container.resources.requests}
