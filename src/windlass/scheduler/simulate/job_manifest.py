"""A job that is not there yet, read from its manifest: as the pods that its controller would make, and their gang."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from windlass.apis.core_v1 import Pod
from windlass.apis.wellknown import QUEUE_NAME_ANNOTATION, VOLCANO_BATCH_GROUP
from windlass.kube.json import Object as Json
from windlass.kube.json import dig, dig_list, dig_object
from windlass.scheduler.model.columns import vector
from windlass.scheduler.model.jobs import Job, Task
from windlass.scheduler.model.parsing import ESTIMATE, duration_of, job_of
from windlass.scheduler.model.pod_groups import GROUP_KINDS, PodGroup, role_of
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.simulate.yaml_positions import BadDescription

UID = "added"
MAX_PODS = 10_000
"""Of a job that is added: a number that is a slip of the keyboard must not fill the memory."""
Priorities = Mapping[str, int]
"""Values of priority classes; "" is the default's."""


@dataclass(frozen=True)
class Replicas:
    """Pods from one template."""

    role: str
    count: int
    template: Json
    least: int = 0


@dataclass(frozen=True)
class Added:
    job: Job
    tasks: list[Task]


def read_added(documents: Sequence[Json], namespace: str, priorities: Priorities, now: float) -> Added:
    """A Volcano Job, a training job, a batch Job; or a PodGroup with its pods. Raises BadDescription."""
    try:
        return _read(documents, namespace, priorities, now)
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        if isinstance(error, BadDescription):
            raise
        raise BadDescription(f"a field has a value that cannot be read: {error}") from error


def _read(documents: Sequence[Json], namespace: str, priorities: Priorities, now: float) -> Added:
    documents = [one for one in documents if one]
    groups = [one for one in documents if one.get("kind") == "PodGroup"]
    pods = [one for one in documents if one.get("kind") == "Pod"]
    jobs = [one for one in documents if one.get("kind") not in ("PodGroup", "Pod")]
    if pods and not jobs and len(groups) <= 1:
        return _pods_and_group(pods, groups, namespace, priorities, now)
    if len(jobs) != 1 or groups or pods:
        raise BadDescription("it must be one job, or one PodGroup with its pods")
    return _job(jobs[0], namespace, priorities, now)


def _job(obj: Json, namespace: str, priorities: Priorities, now: float) -> Added:
    replicas, least, spec = _replicas(obj)
    name = str(dig(obj, "metadata", "name") or dig(obj, "metadata", "generateName") or "added")
    where = str(dig(obj, "metadata", "namespace") or namespace)
    policy = dig_object(spec, "runPolicy", "schedulingPolicy")
    told = spec.get("priorityClassName") or policy.get("priorityClass")
    annotations = dig_object(obj, "metadata", "annotations")
    tasks = [
        _task(one, number, name, where, priorities, now) for one in replicas for number in range(max(0, one.count))
    ]
    if not tasks:
        raise BadDescription(f"{obj.get('kind')} {name} has no pods")
    topology = _as_group(name, where, spec, policy)
    job = Job(
        UID,
        where,
        name,
        queue=str(spec.get("queue") or policy.get("queue") or annotations.get(QUEUE_NAME_ANNOTATION) or "default"),
        priority=_value(str(told or ""), priorities),
        min_member=least,
        min_tasks={one.role: one.least for one in replicas if one.least},
        min_resources=minimum(tasks, least),
        created=now,
        annotations=annotations,
        topology=topology.topology,
        estimate=duration_of(str(annotations.get(ESTIMATE) or spec.get("runningEstimate") or "")),
    )
    return Added(job, tasks)


def _as_group(name: str, namespace: str, spec: Json, policy: Json) -> Job:
    """What of the job's spec a PodGroup would say, read as that."""
    given = {"networkTopology": spec.get("networkTopology") or policy.get("networkTopology")}
    return job_of(PodGroup.of(GROUP_KINDS[0], {"metadata": {"name": name, "namespace": namespace}, "spec": given}))


def minimum(tasks: Sequence[Task], least: int) -> Any:
    """What the first `least` of the tasks ask for."""
    return sum((task.request for task in tasks[:least]), start=vector({}))


# --- pods of each kind of job


def _replicas(obj: Json) -> tuple[list[Replicas], int, Json]:
    kind, spec, group = str(obj.get("kind")), dig_object(obj, "spec"), str(obj.get("apiVersion") or "").split("/")[0]
    specs = next((value for key, value in spec.items() if key.endswith("ReplicaSpecs")), None)
    if group == VOLCANO_BATCH_GROUP and kind == "Job":
        found = [_volcano_task(at, one) for at, one in enumerate(dig_list(spec, "tasks"))]
        least = spec.get("minAvailable") or sum(one.least for one in found)
    elif isinstance(specs, dict):
        found = [_replica(kind, str(role), one) for role, one in specs.items() if isinstance(one, dict)]
        least = dig(spec, "runPolicy", "schedulingPolicy", "minAvailable") or sum(one.count for one in found)
    elif group == "batch" and kind == "Job":
        found = [Replicas("", _count(spec.get("parallelism"), "spec.parallelism"), dig_object(spec, "template"))]
        least = 1
    else:
        what = (
            f"{kind} of {obj.get('apiVersion')}"
            if kind and obj.get("apiVersion")
            else "what has no kind and apiVersion"
        )
        raise BadDescription(
            f"{what} is no job that can be added: it must be a Volcano Job, a training job, "
            "a JobSet, a batch Job, or a PodGroup with its pods"
        )
    pods = sum(one.count for one in found)
    if pods > MAX_PODS:
        raise BadDescription(f"it has {pods} pods; at most {MAX_PODS} can be simulated")
    if not isinstance(least, int) or not 0 <= least <= pods:
        raise BadDescription(f"minAvailable: {least!r} is not between 0 and the {pods} pods that the job has")
    return found, least, spec


def _volcano_task(at: int, given: Json) -> Replicas:
    count = _count(given.get("replicas"), f"spec.tasks[{at}].replicas")
    least = given.get("minAvailable")
    name = str(given.get("name") or f"default{at}")
    return Replicas(name, count, dig_object(given, "template"), count if least is None else int(least))


def _replica(kind: str, role: str, given: Json) -> Replicas:
    count = _count(given.get("replicas"), f"{role}.replicas")
    return Replicas(role.lower(), count, dig_object(given, "template"))


def _count(given: Any, field: str) -> int:
    if given is None:
        return 1
    if not isinstance(given, int) or given < 0:
        raise BadDescription(f"{field}: {given!r} is no number of pods")
    return given


def _task(one: Replicas, number: int, job: str, namespace: str, priorities: Priorities, now: float) -> Task:
    name = f"{job}-{one.role}-{number}" if one.role else f"{job}-{number}"
    metadata = {**dig_object(one.template, "metadata"), "name": name, "namespace": namespace, "uid": f"{UID}-{name}"}
    pod = pod_of({**one.template, "metadata": metadata}, priorities)
    return Task(PodInfo(pod), one.role, index=number, created=now)


# --- a group and its pods


def _pods_and_group(
    pods: Sequence[Json], groups: Sequence[Json], namespace: str, priorities: Priorities, now: float
) -> Added:
    tasks: list[Task] = []
    for number, obj in enumerate(pods):
        metadata = dig_object(obj, "metadata")
        named = {"namespace": namespace, **metadata, "uid": f"{UID}-{number}"}
        pod = pod_of({**obj, "metadata": named}, priorities)
        tasks.append(Task(PodInfo(pod), role_of(pod), index=number, created=now))
    if not groups:
        first = tasks[0].pod.key
        job = Job(UID, first.namespace, first.name, min_member=1, created=now, phase="Inqueue")
        job.priority = tasks[0].pod.priority
        return Added(job, tasks)
    obj = groups[0]
    kind = next((one for one in GROUP_KINDS if one.api_version == obj.get("apiVersion")), None)
    if kind is None:
        raise BadDescription(f"PodGroup of {obj.get('apiVersion')}: nobody schedules such groups")
    metadata = {"namespace": namespace, **dig_object(obj, "metadata"), "uid": UID}
    priority = _value(str(dig(obj, "spec", "priorityClassName") or ""), priorities)
    job = job_of(PodGroup.of(kind, {**obj, "metadata": metadata, "status": {}}), priority)
    job.created = now
    return Added(job, tasks)


def pod_of(obj: Json, priorities: Priorities) -> Pod:
    """As the server would have it: limits are requests where none are said, and its class has a value."""
    spec = dig_object(obj, "spec")
    containers = [_with_requests(one) for one in dig_list(spec, "containers")]
    told = {"priority": _value(str(spec.get("priorityClassName") or ""), priorities)}
    try:
        return msgspec.convert({**obj, "spec": {**told, **spec, "containers": containers}}, Pod)
    except msgspec.ValidationError as error:
        raise BadDescription(f"pod {dig(obj, 'metadata', 'name')}: {error}") from error


def _with_requests(container: Json) -> Json:
    resources = dig_object(container, "resources")
    requests = {**dig_object(resources, "limits"), **dig_object(resources, "requests")}
    return {**container, "resources": {**resources, "requests": requests}}


def _value(name: str, priorities: Priorities) -> int:
    if name and name not in priorities:
        raise BadDescription(f"there is no PriorityClass {name}")
    return priorities.get(name, 0)
