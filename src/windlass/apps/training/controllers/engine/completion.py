"""When a job is over and how, and what is left of it afterwards."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec

from windlass.apis.core_v1 import Pod
from windlass.apps.training.controllers.engine import messages, restarts
from windlass.apps.training.controllers.engine.conditions import (
    FAILED,
    RESTARTING,
    RUNNING,
    SUCCEEDED,
    with_condition,
)
from windlass.apps.training.controllers.engine.training_state import TrainingState
from windlass.apps.training.controllers.engine.waiting import gang_note
from windlass.apps.training.job import OURS
from windlass.apps.training.kinds.common import ReplicaStatus
from windlass.kube.conditions import is_true
from windlass.kube.json import timestamp
from windlass.kube.meta import parse_time
from windlass.kube.moments import moment_after
from windlass.kube.objects import AnyObject
from windlass.kube.plan import Delete, Event, Plan

START_DEADLINE = f"{OURS}start-deadline-seconds"
ALIVE = ("Running", "Pending", "")
SIDECARS_END_WITHIN = timedelta(seconds=60)
"""A node that knows of the container that trains stops the others with it; elsewhere the pod is deleted then."""


@dataclass(frozen=True, slots=True)
class End:
    """Succeeded or Failed, the reason, and the sentence about it."""

    type: str
    reason: str
    message: str


def end_of(current: TrainingState) -> End | None:
    """How the job has ended, if it has."""
    job = current.job
    if has_succeeded(current):
        return End(SUCCEEDED, current.reason(SUCCEEDED), messages.succeeded(job))
    failure = restarts.failure(job, current.restarts, current.roster)
    if failure is not None:
        reason = job.framework.failed_reason(job, [member.pod for member in failure.members])
        return End(FAILED, reason, messages.failed(job, failure))
    if _is_over(deadline(current), current.now):
        return End(FAILED, current.reason(FAILED), messages.too_long(job))
    if _is_over(start_deadline(current), current.now):
        why = messages.not_started(job, _start_seconds(current) or 0, _why_not_started(current))
        return End(FAILED, current.reason(FAILED), why)
    return None


def has_succeeded(current: TrainingState) -> bool:
    leading = current.job.framework.leading(current.job)
    members, wanted = current.roster.of(leading.type), current.job.count(leading.type)
    done = [member for member in members if member.state == "succeeded"]
    if not done:
        return False
    match leading.success:
        case "any":
            return True
        case "first":
            return any(member.index == 0 for member in done) or len(done) == wanted
        case "all":
            return len(done) == wanted


def deadline(current: TrainingState) -> datetime | None:
    """When the job fails if it still runs."""
    seconds, start = current.job.policy.active_deadline_seconds, current.status.start_time
    return moment_after(parse_time(start), seconds) if seconds is not None and start else None


def start_deadline(current: TrainingState) -> datetime | None:
    """When the job fails if some pod has not started yet."""
    seconds = _start_seconds(current)
    begun = current.status.start_time or current.job.obj.metadata.creation_timestamp
    if seconds is None or begun is None or _all_started(current):
        return None
    return moment_after(parse_time(begun), seconds)


def next_deadline(current: TrainingState) -> timedelta | None:
    moments = [moment for moment in (deadline(current), start_deadline(current)) if moment is not None]
    return max(min(moments) - current.now, timedelta()) if moments else None


def _start_seconds(current: TrainingState) -> int | None:
    written = current.job.annotations.get(START_DEADLINE, "")
    return int(written) if written.isdecimal() else None


def _all_started(current: TrainingState) -> bool:
    return len(current.roster.members) == current.job.total and all(
        member.state != "waiting" for member in current.roster
    )


def _is_over(moment: datetime | None, now: datetime) -> bool:
    return moment is not None and moment <= now


def _why_not_started(current: TrainingState) -> str:
    gang = gang_note(current.gang, current.job, current.observed)
    note = messages.pod_waits(messages.first_wait(current.roster)) or gang
    return note.message if note is not None else ""


def ending(current: TrainingState, end: End) -> Plan:
    """Write down that it is over. Nothing is cleaned up before that is written: a pod that is gone would be missed."""
    now = current.now
    counts = current.counts()
    if end.type == SUCCEEDED:
        counts = {name: _all_done(count) for name, count in counts.items()}
    conditions = current.status.conditions
    if _has_run(current):  # a short job may be over before it was ever seen to run
        conditions = with_condition(conditions, RUNNING, current.reason(RUNNING), messages.running(current.job), now)
    conditions = with_condition(conditions, end.type, end.reason, end.message, now)
    status = msgspec.structs.replace(
        current.status, conditions=conditions, completion_time=timestamp(now), replica_statuses=counts
    )
    return Plan(status=status, events=[Event(reason=end.reason, message=end.message), *_kept(current)])


def _has_run(current: TrainingState) -> bool:
    leading = current.job.framework.leading(current.job).type
    known = {condition.type for condition in current.status.conditions}
    return not known & {RUNNING, RESTARTING} and any(member.end for member in current.roster.of(leading))


def _all_done(count: ReplicaStatus) -> ReplicaStatus:
    return msgspec.structs.replace(count, active=0, succeeded=count.succeeded + count.active)


def _kept(current: TrainingState) -> Sequence[Event]:
    if clean_pod_policy(current) != "None":
        return ()
    kept = [member.name for member in current.roster if member.state == "running"]
    return [messages.kept_running(current.job, kept)] if kept else ()


def after(current: TrainingState) -> Plan:
    """A job that is over: its pods are cleaned up as it says, and in the end it goes itself."""
    lingering = _lingering(current)
    gone = [*_to_clean(current), *(pod for pod, until in lingering if until <= current.now)]
    names = {pod.metadata.name for pod in gone}
    services = [service for name, service in current.roster.services.items() if name in names]
    delete: list[AnyObject] = [*gone, *services, *current.pod_groups()]
    moments = [until for _, until in lingering if until > current.now]
    ttl, ended = current.job.policy.ttl_seconds_after_finished, current.status.completion_time
    if ttl is not None and ended is not None:
        expiry = moment_after(parse_time(ended), ttl)
        if expiry <= current.now:
            return Plan([Delete(current.job.obj)])
        moments.append(expiry)
    return Plan([*map(Delete, delete)], again_in=min(moments) - current.now if moments else None)


def _to_clean(current: TrainingState) -> list[Pod]:
    pods = [pod for pod in current.roster.pods if pod.metadata.deletion_timestamp is None]
    match clean_pod_policy(current):
        case "All":
            return pods
        case "Running":
            return [pod for pod in pods if pod.status.phase in ALIVE]
        case _:
            return []


def _lingering(current: TrainingState) -> list[tuple[Pod, datetime]]:
    """Pods that are to be kept, but that only a sidecar keeps alive, and until when they may end by themselves."""
    if clean_pod_policy(current) != "None":
        return []
    return [
        (member.pod, parse_time(str(member.end.get("finishedAt") or timestamp(current.now))) + SIDECARS_END_WITHIN)
        for member in current.roster
        if member.state in ("succeeded", "failed") and member.pod.status.phase in ALIVE and not member.deleting
    ]


def clean_pod_policy(current: TrainingState) -> str:
    """The job's policy, but at least Running where others would wait for ever for the one that is done."""
    policy = current.job.policy.clean_pod_policy or current.job.options.clean_pod_policy
    if policy != "None":
        return policy
    elastic = current.job.framework.leading(current.job).success == "any"
    expired = (
        is_true(current.status.conditions, FAILED) and _start_seconds(current) is not None and not _all_started(current)
    )
    return "Running" if elastic or expired else policy
