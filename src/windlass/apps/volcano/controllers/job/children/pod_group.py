"""The PodGroup of a job: how many of its pods must start together, and what the first of them ask for."""

from collections.abc import Mapping, Sequence

import msgspec

from windlass.apis.core_v1 import Pod
from windlass.apis.quota_usage import Usage, add, is_extended, pod_usage
from windlass.apis.scheduling_volcano_v1beta1 import GROUP_VERSION, PodGroup
from windlass.apis.wellknown import LAST_APPLIED_ANNOTATION, TASK_SPEC_ANNOTATION
from windlass.apps.volcano import names
from windlass.apps.volcano.controllers.job.tasks import Task, group_name, min_available, tasks_of
from windlass.apps.volcano.controllers.names import DEFAULT_QUEUE
from windlass.apps.volcano.kinds.batch import Job
from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.objects import without_nulls

REQUESTS = "requests."


def pod_group(job: Job, priorities: Mapping[str, int]) -> Object:
    """The desired group. Its version identifies a group that was made before the job was killed."""
    annotations = {key: value for key, value in job.metadata.annotations.items() if key != LAST_APPLIED_ANNOTATION}
    metadata: Object = {
        "name": group_name(job),
        "namespace": job.metadata.namespace,
        "annotations": {**annotations, names.JOB_VERSION: str(job.status.version)},
    }
    if job.metadata.labels:
        metadata["labels"] = job.metadata.labels
    tasks = tasks_of(job)
    spec: Object = {
        "minMember": min_available(job),
        "minTaskMember": {task.name: task.min_available for task in tasks},
        "queue": job.spec.queue or DEFAULT_QUEUE,
        "minResources": min_resources(tasks, min_available(job), priorities),
    }
    if job.spec.priority_class_name:
        spec["priorityClassName"] = job.spec.priority_class_name
    if job.spec.network_topology is not None:
        spec["networkTopology"] = msgspec.to_builtins(job.spec.network_topology)
    subgroups = [policy for task in tasks if (policy := _subgroups(task)) is not None]
    if subgroups:
        spec["subGroupPolicy"] = subgroups
    return {"apiVersion": GROUP_VERSION, "kind": "PodGroup", "metadata": metadata, "spec": spec}


def _subgroups(task: Task) -> Object | None:
    """Each partition of a task is a gang within the gang."""
    policy = task.partition_policy
    if policy is None:
        return None
    made: Object = {
        "name": task.name,
        "subGroupSize": policy.partition_size,
        "labelSelector": {"matchLabels": {TASK_SPEC_ANNOTATION: task.name}},
        "matchLabelKeys": [names.PARTITION],
    }
    if policy.min_partitions:
        made["minSubGroups"] = policy.min_partitions
    if policy.network_topology is not None:
        made["networkTopology"] = msgspec.to_builtins(policy.network_topology)
    return made


def version_of_group(group: PodGroup) -> int:
    written = group.metadata.annotations.get(names.JOB_VERSION, "")
    return int(written) if written.isdecimal() else 0


def lets_start(group: PodGroup | None) -> bool:
    """Whether the scheduler has admitted the group, so that pods may be created."""
    return group is not None and group.status.phase not in (None, "Pending")


def min_resources(tasks: Sequence[Task], members: int, priorities: Mapping[str, int]) -> dict[str, str]:
    """What the first `members` pods use, as a quota counts it: each task's minimum, then up to the job's."""

    def priority(task: Task) -> int:
        return priorities.get(str(dig(task.template, "spec", "priorityClassName") or ""), 0)

    ranked = sorted(tasks, key=priority, reverse=True)
    chosen = dict.fromkeys((task.name for task in ranked), 0)
    for enough in (lambda task: task.min_available, lambda task: task.replicas):
        for task in ranked:
            more = min(enough(task) - chosen[task.name], members - sum(chosen.values()))
            chosen[task.name] += max(0, more)
    total: Usage = {}
    for task in ranked:
        each = task_usage(task)
        for name, amount in each.items():
            add(total, {name: amount * chosen[task.name]})
    return {name: str(amount) for name, amount in total.items() if amount}


def task_usage(task: Task) -> Usage:
    """What one pod uses: the names of quotas, and what devices are called without them."""
    usage = pod_usage(msgspec.convert(without_nulls({"spec": _requesting(task.template)}), Pod))
    bare = {name.removeprefix(REQUESTS): amount for name, amount in usage.items() if name.startswith(REQUESTS)}
    return usage | {name: amount for name, amount in bare.items() if is_extended(name)}


def _requesting(template: Object) -> Object:
    """The pod's spec, where a limit without a request is the request, as with pods that the server has taken."""
    spec = dict(dig_object(template, "spec"))
    for field in ("containers", "initContainers"):
        spec[field] = [_requests_limits(container) for container in dig_list(spec, field)]
    return spec


def _requests_limits(container: Object) -> Object:
    resources = dig_object(container, "resources")
    requests = {**dig_object(resources, "limits"), **dig_object(resources, "requests")}
    return {**container, "resources": {**resources, "requests": requests}}
