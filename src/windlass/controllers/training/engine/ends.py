"""When a job is over and how, and what is left of it afterwards."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec

from windlass.apis.core_v1 import Pod
from windlass.apis.training.common import ReplicaStatus
from windlass.apis.training.job import OURS
from windlass.controllers.training.engine import restarts, words
from windlass.controllers.training.engine.conditions import FAILED, RESTARTING, RUNNING, SUCCEEDED, with_condition
from windlass.controllers.training.engine.look import Look
from windlass.controllers.training.engine.waiting import gang_note
from windlass.kube.conditions import is_true
from windlass.kube.json import timestamp
from windlass.kube.meta import parse_time
from windlass.kube.moments import moment_after
from windlass.kube.objects import AnyObject
from windlass.kube.plan import Delete, Note, Plan

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


def end_of(look: Look) -> End | None:
    """How the job has ended, if it has."""
    job = look.job
    if has_succeeded(look):
        return End(SUCCEEDED, look.reason(SUCCEEDED), words.succeeded(job))
    failure = restarts.failure(job, look.restarts, look.roster)
    if failure is not None:
        reason = job.framework.failed_reason(job, [member.pod for member in failure.members])
        return End(FAILED, reason, words.failed(job, failure))
    if _is_over(deadline(look), look.now):
        return End(FAILED, look.reason(FAILED), words.too_long(job))
    if _is_over(start_deadline(look), look.now):
        why = words.not_started(job, _start_seconds(look) or 0, _why_not_started(look))
        return End(FAILED, look.reason(FAILED), why)
    return None


def has_succeeded(look: Look) -> bool:
    leading = look.job.framework.leading(look.job)
    members, wanted = look.roster.of(leading.type), look.job.count(leading.type)
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


def deadline(look: Look) -> datetime | None:
    """When the job fails if it still runs."""
    seconds, start = look.job.policy.active_deadline_seconds, look.status.start_time
    return moment_after(parse_time(start), seconds) if seconds is not None and start else None


def start_deadline(look: Look) -> datetime | None:
    """When the job fails if some pod has not started yet."""
    seconds = _start_seconds(look)
    begun = look.status.start_time or look.job.obj.metadata.creation_timestamp
    if seconds is None or begun is None or _all_started(look):
        return None
    return moment_after(parse_time(begun), seconds)


def next_deadline(look: Look) -> timedelta | None:
    moments = [moment for moment in (deadline(look), start_deadline(look)) if moment is not None]
    return max(min(moments) - look.now, timedelta()) if moments else None


def _start_seconds(look: Look) -> int | None:
    written = look.job.annotations.get(START_DEADLINE, "")
    return int(written) if written.isdecimal() else None


def _all_started(look: Look) -> bool:
    return len(look.roster.members) == look.job.total and all(member.state != "waiting" for member in look.roster)


def _is_over(moment: datetime | None, now: datetime) -> bool:
    return moment is not None and moment <= now


def _why_not_started(look: Look) -> str:
    gang = gang_note(look.gang, look.job, look.seen)
    note = words.pod_waits(words.first_wait(look.roster)) or gang
    return note.message if note is not None else ""


def ending(look: Look, end: End) -> Plan:
    """Write down that it is over. Nothing is cleaned up before that is written: a pod that is gone would be missed."""
    now = look.now
    counts = look.counts()
    if end.type == SUCCEEDED:
        counts = {name: _all_done(count) for name, count in counts.items()}
    conditions = look.status.conditions
    if _has_run(look):  # a short job may be over before it was ever seen to run
        conditions = with_condition(conditions, RUNNING, look.reason(RUNNING), words.running(look.job), now)
    conditions = with_condition(conditions, end.type, end.reason, end.message, now)
    status = msgspec.structs.replace(
        look.status, conditions=conditions, completion_time=timestamp(now), replica_statuses=counts
    )
    return Plan(status=status, events=[Note(reason=end.reason, message=end.message), *_kept(look)])


def _has_run(look: Look) -> bool:
    leading = look.job.framework.leading(look.job).type
    known = {condition.type for condition in look.status.conditions}
    return not known & {RUNNING, RESTARTING} and any(member.end for member in look.roster.of(leading))


def _all_done(count: ReplicaStatus) -> ReplicaStatus:
    return msgspec.structs.replace(count, active=0, succeeded=count.succeeded + count.active)


def _kept(look: Look) -> Sequence[Note]:
    if clean_pod_policy(look) != "None":
        return ()
    kept = [member.name for member in look.roster if member.state == "running"]
    return [words.kept_running(look.job, kept)] if kept else ()


def after(look: Look) -> Plan:
    """A job that is over: its pods are cleaned up as it says, and in the end it goes itself."""
    lingering = _lingering(look)
    gone = [*_to_clean(look), *(pod for pod, until in lingering if until <= look.now)]
    names = {pod.metadata.name for pod in gone}
    services = [service for name, service in look.roster.services.items() if name in names]
    delete: list[AnyObject] = [*gone, *services, *look.pod_groups()]
    moments = [until for _, until in lingering if until > look.now]
    ttl, ended = look.job.policy.ttl_seconds_after_finished, look.status.completion_time
    if ttl is not None and ended is not None:
        expiry = moment_after(parse_time(ended), ttl)
        if expiry <= look.now:
            return Plan([Delete(look.job.obj)])
        moments.append(expiry)
    return Plan([*map(Delete, delete)], again_in=min(moments) - look.now if moments else None)


def _to_clean(look: Look) -> list[Pod]:
    pods = [pod for pod in look.roster.pods if pod.metadata.deletion_timestamp is None]
    match clean_pod_policy(look):
        case "All":
            return pods
        case "Running":
            return [pod for pod in pods if pod.status.phase in ALIVE]
        case _:
            return []


def _lingering(look: Look) -> list[tuple[Pod, datetime]]:
    """Pods that are to be kept, but that only a sidecar keeps alive, and until when they may end by themselves."""
    if clean_pod_policy(look) != "None":
        return []
    return [
        (member.pod, parse_time(str(member.end.get("finishedAt") or timestamp(look.now))) + SIDECARS_END_WITHIN)
        for member in look.roster
        if member.state in ("succeeded", "failed") and member.pod.status.phase in ALIVE and not member.deleting
    ]


def clean_pod_policy(look: Look) -> str:
    """What the job says, but at least Running where others would wait in vain for the one that is done."""
    policy = look.job.policy.clean_pod_policy or look.job.options.clean_pod_policy
    if policy != "None":
        return policy
    elastic = look.job.framework.leading(look.job).success == "any"
    expired = is_true(look.status.conditions, FAILED) and _start_seconds(look) is not None and not _all_started(look)
    return "Running" if elastic or expired else policy
