"""The state of a training job of any kind, read from the object and its pods. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from windlass.apis.wellknown import KUBEFLOW_GROUP
from windlass.apps.jobset.names import JOBSET_NAME
from windlass.apps.trainer.kinds import GROUP as TRAINER_GROUP
from windlass.apps.training.frameworks import BY_KIND
from windlass.apps.training.job import JOB_NAME, JOB_ROLE, REPLICA_INDEX, REPLICA_TYPE
from windlass.apps.training.jobs.state import train_job
from windlass.kube.json import dig, dig_list, dig_object, is_object

KINDS = (*BY_KIND, "ChainerJob", train_job.KIND)
GROUPS = {kind: TRAINER_GROUP if kind == train_job.KIND else KUBEFLOW_GROUP for kind in KINDS}
ENDED = ("Succeeded", "Failed")
CONDITION_STATES = {"Complete": "Succeeded"}
"""A ChainerJob and a TrainJob have the conditions of a batch Job."""
ACTIVE = ("Suspended", "Restarting", "Running")
CHAINER_NAME, CHAINER_ROLE = "chainerjob.kubeflow.org/name", "chainerjob.kubeflow.org/role"
Object = Mapping[str, Any]


def job_state(obj: Object) -> str:
    """Pending, Created, Running, Restarting, Suspended, Succeeded or Failed."""
    holds = {
        CONDITION_STATES.get(str(one.get("type")), str(one.get("type")))
        for one in dig_list(obj, "status", "conditions")
        if one.get("status") == "True"
    }
    for state in (*ENDED, *ACTIVE):
        if state in holds:
            return state
    if train_job.is_train_job(obj):
        return train_job.active_state(obj)
    if dig(obj, "status", "active"):
        return "Running"
    return "Created" if "Created" in holds else "Pending"


def has_ended(obj: Object) -> bool:
    return job_state(obj) in ENDED


def why(obj: Object) -> str:
    """The message of the condition that determines the state."""
    state = job_state(obj)
    for one in reversed(dig_list(obj, "status", "conditions")):
        if CONDITION_STATES.get(one.get("type"), one.get("type")) == state and one.get("status") == "True":
            return str(one.get("message") or "")
    return ""


def roles(obj: Object) -> dict[str, int]:
    """The requested number of replicas by replica type."""
    spec = dig_object(obj, "spec")
    if obj.get("kind") == "ChainerJob":
        sets = dig_object(spec, "workerSets")
        return {"master": 1, **{name: _count(one) for name, one in sets.items()}}
    specs = next((value for key, value in spec.items() if key.endswith("ReplicaSpecs") and value), None)
    if not is_object(specs):
        return {}
    return {
        role: _count(one, 0 if obj.get("kind") == "MPIJob" and role == "Worker" else 1) for role, one in specs.items()
    }


def replicas(obj: Object, jobs: Iterable[Object] = ()) -> tuple[int, int]:
    """Running (for an ended job: succeeded) replicas, and all. `jobs` are the batch Jobs of a TrainJob."""
    if train_job.is_train_job(obj):
        return train_job.replicas(obj, jobs, ended=has_ended(obj))
    counted = "succeeded" if has_ended(obj) else "active"
    status = dig_object(obj, "status")
    statuses = dig_object(status, "replicaStatuses").values()
    if obj.get("kind") == "ChainerJob":
        statuses = [status]
    return sum(int(one.get(counted) or 0) for one in statuses), sum(roles(obj).values())


def pod_names(obj: Object) -> Iterator[str]:
    """The names of a job's current and former pods, if they are deterministic: as many as its spec asks for."""
    name = str(dig(obj, "metadata", "name"))
    is_chainer = obj.get("kind") == "ChainerJob"
    for role, count in roles(obj).items():
        if is_chainer:
            yield from (f"{name}-workerset-{role}-{index}" for index in range(count if role != "master" else 0))
        elif role.lower() == "launcher":
            yield f"{name}-launcher"
        else:
            yield from (f"{name}-{role.lower()}-{index}" for index in range(count))


def replica_name(pod: Object) -> str:
    """The replica that a pod is: `worker-1`, `launcher`."""
    labels = dig_object(pod, "metadata", "labels")
    if step := train_job.replica_name(labels):
        return step
    job = labels.get(JOB_NAME) or labels.get(CHAINER_NAME) or ""
    role = labels.get(REPLICA_TYPE) or labels.get(JOB_ROLE) or ""
    index = labels.get(REPLICA_INDEX)
    if role == "launcher":
        return "launcher"
    if role and index is not None:
        return f"{role}-{index}"
    return short_name(str(dig(pod, "metadata", "name")), job) if job else str(dig(pod, "metadata", "name"))


def short_name(pod: str, job: str) -> str:
    """A pod's name without the prefix of its job."""
    return pod.removeprefix(f"{job}-")


def belongs(pod: Object, kind: str, job: str) -> bool:
    labels = dig_object(pod, "metadata", "labels")
    names = (JOBSET_NAME,) if kind == train_job.KIND else (JOB_NAME, CHAINER_NAME)
    return job in (labels.get(name) for name in names)


def _runs_on(pod: Object, job: Object) -> bool:
    """Whether a running pod belongs to a job and is not being deleted."""
    same_namespace = dig(pod, "metadata", "namespace") == dig(job, "metadata", "namespace")
    is_own = same_namespace and belongs(pod, str(job.get("kind")), str(dig(job, "metadata", "name")))
    return is_own and not dig(pod, "metadata", "deletionTimestamp")


def exit_code(obj: Object, pods: Iterable[Object]) -> int:
    """0 if the job succeeded; else the exit code of the container that failed first, or 1 if none is known."""
    if job_state(obj) == "Succeeded":
        return 0
    ends = [
        (str(end.get("finishedAt") or ""), int(end.get("exitCode") or 0))
        for pod in pods
        for status in dig_list(pod, "status", "containerStatuses")
        if (end := dig_object(status, "state", "terminated") or dig_object(status, "lastState", "terminated"))
    ]
    failures = sorted(end for end in ends if end[1] != 0)
    return failures[0][1] if failures else 1


@dataclass(frozen=True, kw_only=True)
class Row:
    """A job in the table of `windlass jobs`."""

    namespace: str
    kind: str
    name: str
    state: str
    ready: int
    total: int
    running: int
    """Running pods: `ready`, or for an ended job those that still run."""
    gang: str
    age: float
    duration: float | None


@dataclass(frozen=True, kw_only=True)
class RelatedObjects:
    """Other objects that the table needs.

    PodGroups by namespace and name (a job's group has the job's name), batch Jobs of TrainJobs, and running pods.
    """

    groups: Mapping[tuple[str, str], Object] = field(default_factory=dict[tuple[str, str], Object])
    jobs: Sequence[Object] = ()
    running_pods: Sequence[Object] = ()


def row(obj: Object, related: RelatedObjects, now: datetime) -> Row:
    namespace, name = str(dig(obj, "metadata", "namespace") or ""), str(dig(obj, "metadata", "name"))
    mine = train_job.jobs_of(obj, related.jobs) if train_job.is_train_job(obj) else []
    ready, total = replicas(obj, mine)
    running = ready
    if has_ended(obj):  # the operator counts replicas that still run as succeeded
        running = sum(_runs_on(pod, obj) for pod in related.running_pods)
        ready = min(ready, max(0, total - running))
    created = parse_time(dig(obj, "metadata", "creationTimestamp")) or now
    started = parse_time(dig(obj, "status", "startTime") or train_job.started(mine))
    ended = parse_time(train_job.ended(obj) if train_job.is_train_job(obj) else dig(obj, "status", "completionTime"))
    until = ended or (None if has_ended(obj) else now)
    return Row(
        namespace=namespace,
        kind=str(obj.get("kind")),
        name=name,
        state=job_state(obj),
        ready=ready,
        total=total,
        running=running,
        gang=gang(related.groups.get((namespace, name))),
        age=max(0.0, (now - created).total_seconds()),
        duration=max(0.0, (until - started).total_seconds()) if started and until else None,
    )


def gang(group: Object | None) -> str:
    """The number of pods that must start together, and the phase of the group."""
    if group is None:
        return "-"
    least = dig(group, "spec", "minMember") or 0
    phase = dig(group, "status", "phase")
    return f"{least} {phase}" if phase else str(least)


def parse_time(text: object) -> datetime | None:
    if not isinstance(text, str) or not text:
        return None
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC)


def _count(spec: Any, default: int = 1) -> int:
    replicas = dig(spec, "replicas")
    return default if replicas is None else int(replicas)
