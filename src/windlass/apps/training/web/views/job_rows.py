"""Rows of the table of training jobs. Pure; `windlass jobs` and these use the same state, counts and reasons."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from windlass.apps.training.frameworks import BY_KIND
from windlass.apps.training.jobs.state import train_job
from windlass.apps.training.jobs.state.job_state import job_state, roles, why
from windlass.apps.training.web.structs.jobs import GangSummary, JobRow, JobsView, MetricValue, RoleCount
from windlass.apps.training.web.views.pods_of_jobs import Belongings, is_volcano
from windlass.gateway.views.parts import State, Why
from windlass.gateway.views.reading import name_of, namespace_of, seconds_between, text, time_of, time_text, whole
from windlass.gateway.views.visibility import Visible
from windlass.gateway.views.whys import failed_why, gang_why, plain_why, pod_why
from windlass.kube.json import Object, dig, dig_list, dig_object, timestamp

VOLCANO_STATES: Mapping[str, State] = {
    "Pending": "Pending",
    "Inqueue": "Pending",
    "Aborting": "Suspended",
    "Aborted": "Suspended",
    "Running": "Running",
    "Restarting": "Restarting",
    "Completing": "Succeeded",
    "Completed": "Succeeded",
    "Terminating": "Failed",
    "Terminated": "Failed",
    "Failed": "Failed",
}
JOB_STATES: Mapping[str, State] = {
    "Pending": "Pending",
    "Created": "Pending",
    "Running": "Running",
    "Restarting": "Restarting",
    "Suspended": "Suspended",
    "Succeeded": "Succeeded",
    "Failed": "Failed",
}
FRAMEWORKS: Mapping[str, str] = {
    "TFJob": "TensorFlow",
    "PyTorchJob": "PyTorch",
    "MXJob": "MXNet",
    "XGBoostJob": "XGBoost",
    "MPIJob": "MPI",
    "PaddleJob": "PaddlePaddle",
    "JAXJob": "JAX",
    "ChainerJob": "Chainer",
}
ENDED = ("Succeeded", "Failed")


@dataclass(frozen=True)
class JobObjects:
    """What the table is computed from. Jobs have `kind` and `apiVersion`."""

    jobs: Sequence[Object]
    belongings: Belongings
    priorities: Mapping[str, int]
    """The value of each PriorityClass."""
    metrics: Mapping[str, MetricValue]
    """The newest value that each job has reported, by its uid."""
    kinds: Sequence[str]
    default_priority: int = 0


def jobs_view(objects: JobObjects, visible: Visible, now: datetime) -> JobsView:
    rows = [job_row(job, objects, visible, now) for job in objects.jobs if namespace_of(job) in visible]
    rows.sort(key=lambda row: (row.created, row.namespace, row.name), reverse=True)
    return JobsView(rows=tuple(rows), kinds=tuple(objects.kinds))


def job_row(job: Object, objects: JobObjects, visible: Visible, now: datetime) -> JobRow:
    pods, group = objects.belongings.pods_of(job), objects.belongings.group_of(job)
    steps = objects.belongings.batch_jobs_of(job)
    said = stated(job)
    reason = job_why(job, said, pods, group, visible)
    counts = role_counts(job, pods, steps, said)
    started, ended = times(job, steps, said)
    until = ended or (None if said in ENDED else now)
    priority_class = priority_class_of(job, group)
    return JobRow(
        kind=text(job.get("kind")),
        api_version=text(job.get("apiVersion")),
        namespace=namespace_of(job),
        name=name_of(job),
        uid=text(dig(job, "metadata", "uid")),
        framework=framework_of(job),
        state="Waiting" if said == "Pending" and reason is not None else said,
        why=reason,
        ready=sum(one.ready for one in counts),
        total=sum(one.total for one in counts),
        roles=counts,
        gang=gang_summary(group),
        queue=text(dig(group, "spec", "queue")) or ("default" if group is not None else ""),
        priority_class=priority_class,
        priority=objects.priorities.get(priority_class, objects.default_priority),
        created=time_text(dig(job, "metadata", "creationTimestamp")) or timestamp(now),
        started=timestamp(started) if started else None,
        ended=timestamp(ended) if ended else None,
        duration_seconds=seconds_between(started, until),
        metric=objects.metrics.get(text(dig(job, "metadata", "uid"))),
        restarts=sum(restarts(pod) for pod in pods),
    )


def stated(job: Object) -> State:
    """The state that the job's own status says."""
    if dig(job, "metadata", "deletionTimestamp"):
        return "Terminating"
    if is_volcano(job):
        return VOLCANO_STATES.get(text(dig(job, "status", "state", "phase")) or "Pending", "Unknown")
    return JOB_STATES.get(job_state(job), "Unknown")


def framework_of(job: Object) -> str:
    kind = text(job.get("kind"))
    if kind == train_job.KIND:
        return text(dig(job, "spec", "runtimeRef", "name"))
    return "" if is_volcano(job) else FRAMEWORKS.get(kind, kind.removesuffix("Job") if kind in BY_KIND else "")


def job_why(job: Object, said: State, pods: Iterable[Object], group: Object | None, visible: Visible) -> Why | None:
    """Why it waits or has failed. None for what runs, has succeeded or was suspended by someone."""
    if said == "Failed":
        return _failure(job, pods)
    if said == "Pending":
        return gang_why(group, visible) or _first_pod_why(pods)
    if said in ("Running", "Restarting"):
        return _first_pod_why(pod for pod in pods if dig(pod, "status", "phase") == "Pending")
    return None


def _failure(job: Object, pods: Iterable[Object]) -> Why:
    """The container that failed first says more than the job's condition."""
    failures = [(_ended_at(pod), found) for pod in pods if (found := failed_why(pod)) is not None]
    if failures:
        return min(failures, key=lambda failure: failure[0])[1]
    if is_volcano(job):
        state = dig_object(job, "status", "state")
        reason = text(state.get("reason")) or "JobFailed"
        return plain_why(reason, text(state.get("message")) or f"the job is {state.get('phase')}")
    return plain_why(_condition_reason(job, "Failed") or "JobFailed", why(job) or "the job failed")


def _ended_at(pod: Object) -> str:
    ends = [
        text(dig(status, "state", "terminated", "finishedAt"))
        for status in dig_list(pod, "status", "containerStatuses")
        if whole(dig(status, "state", "terminated", "exitCode"))
    ]
    return min((end for end in ends if end), default="9999")


def _condition_reason(job: Object, type_: str) -> str:
    for condition in reversed(dig_list(job, "status", "conditions")):
        if dig(condition, "type") == type_ and dig(condition, "status") == "True":
            return text(dig(condition, "reason"))
    return ""


def _first_pod_why(pods: Iterable[Object]) -> Why | None:
    return next((found for pod in pods if (found := pod_why(pod)) is not None), None)


def role_counts(job: Object, pods: Sequence[Object], steps: Sequence[Object], said: State) -> tuple[RoleCount, ...]:
    """Of each role, the replicas that run (of an ended job: that succeeded), that failed, and all."""
    if is_volcano(job):
        return _volcano_roles(job, said)
    if train_job.is_train_job(job):
        return tuple(_step_role(step, said) for step in steps) or _status_steps(job, said)
    statuses = dig_object(job, "status", "replicaStatuses")
    counted = "succeeded" if said in ENDED else "active"
    chainer = dig_object(job, "status") if job.get("kind") == "ChainerJob" else None
    return tuple(
        RoleCount(
            role=role,
            ready=min(total, whole(dig(chainer if chainer is not None else statuses.get(role), counted))),
            failed=whole(dig(statuses.get(role), "failed")),
            total=total,
        )
        for role, total in roles(job).items()
    )


def _step_role(step: Object, said: State) -> RoleCount:
    counted = "succeeded" if said in ENDED else "ready"
    parallelism = dig(step, "spec", "parallelism")
    return RoleCount(
        role=text(dig(step, "metadata", "labels", "jobset.sigs.k8s.io/replicatedjob-name")) or name_of(step),
        ready=whole(dig(step, "status", counted)),
        failed=whole(dig(step, "status", "failed")),
        total=1 if parallelism is None else whole(parallelism),
    )


def _status_steps(job: Object, said: State) -> tuple[RoleCount, ...]:
    counted = "succeeded" if said in ENDED else "ready"
    return tuple(
        RoleCount(
            role=text(dig(step, "name")),
            ready=whole(dig(step, counted)),
            failed=whole(dig(step, "failed")),
            total=1,
        )
        for step in dig_list(job, "status", "jobsStatus")
    )


def _volcano_roles(job: Object, said: State) -> tuple[RoleCount, ...]:
    counts = dig_object(job, "status", "taskStatusCount")
    counted = "Succeeded" if said in ENDED else "Running"
    return tuple(
        RoleCount(
            role=name,
            ready=whole(dig(counts.get(name), "phase", counted)),
            failed=whole(dig(counts.get(name), "phase", "Failed")),
            total=whole(dig(task, "replicas"), 1),
        )
        for index, task in enumerate(dig_list(job, "spec", "tasks"))
        for name in [text(dig(task, "name")) or f"default{index}"]
    )


def gang_summary(group: Object | None) -> GangSummary | None:
    if group is None:
        return None
    return GangSummary(
        name=name_of(group),
        min_member=whole(dig(group, "spec", "minMember")),
        phase=text(dig(group, "status", "phase")),
    )


def priority_class_of(job: Object, group: Object | None) -> str:
    return (
        text(dig(group, "spec", "priorityClassName"))
        or text(dig(job, "spec", "runPolicy", "schedulingPolicy", "priorityClass"))
        or text(dig(job, "spec", "priorityClassName"))
    )


def times(job: Object, steps: Iterable[Object], said: State) -> tuple[datetime | None, datetime | None]:
    """When it started and ended; None for what it has not, or does not say."""
    if is_volcano(job):
        return _volcano_times(job, said)
    started = time_of(dig(job, "status", "startTime")) or time_of(train_job.started(steps))
    if train_job.is_train_job(job):
        return started, time_of(train_job.ended(job))
    ended = time_of(dig(job, "status", "completionTime"))
    if ended is None and said in ENDED:
        ended = transition_time(job, said)
    return started, ended


def transition_time(job: Object, type_: str) -> datetime | None:
    """When a condition became true."""
    for condition in dig_list(job, "status", "conditions"):
        if dig(condition, "type") == type_ and dig(condition, "status") == "True":
            return time_of(dig(condition, "lastTransitionTime"))
    return None


def _volcano_times(job: Object, said: State) -> tuple[datetime | None, datetime | None]:
    at = [
        (text(dig(one, "status")), moment)
        for one in dig_list(job, "status", "conditions")
        if (moment := time_of(dig(one, "lastTransitionTime"))) is not None
    ]
    started = min((moment for phase, moment in at if phase == "Running"), default=None)
    ended = max((moment for phase, moment in at if VOLCANO_STATES.get(phase) == said), default=None)
    return started, ended if said in ENDED else None


def restarts(pod: Object) -> int:
    return sum(whole(dig(status, "restartCount")) for status in dig_list(pod, "status", "containerStatuses"))
