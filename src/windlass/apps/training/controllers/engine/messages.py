"""The messages of a job's conditions and events."""

from collections.abc import Sequence

from windlass.apis.core_v1 import Pod
from windlass.apis.reason_text import pod_wait_message
from windlass.apis.reasons import PodWait
from windlass.apps.training.controllers.engine.members import Member, Roster
from windlass.apps.training.controllers.engine.restarts import Failure, is_out_of_memory
from windlass.apps.training.job import Job
from windlass.apps.training.kinds.common import TrainingJob
from windlass.controllers.waiting_containers import waiting_container
from windlass.kube import refusals
from windlass.kube.conditions import find
from windlass.kube.json import dig_object
from windlass.kube.last_line import last_line
from windlass.kube.objects import declared_kind, key_of
from windlass.kube.plan import Event, Outcome


def subject(job: Job) -> str:
    name = f"{job.namespace}/{job.name}" if job.framework.messages_have_namespace(job) else job.name
    return f"{job.kind} {name}"


def created(job: Job) -> str:
    return f"{job.kind} {job.name} is created."


def running(job: Job) -> str:
    return f"{subject(job)} is running."


def succeeded(job: Job) -> str:
    return f"{subject(job)} successfully completed."


def restarting(job: Job, members: Sequence[Member]) -> str:
    return f"{subject(job)} is restarting because {_failed_replicas(members)}. {_details(members)}"


def failed(job: Job, failure: Failure) -> str:
    if failure.limit:
        why = f"Job {job.name} has failed because it has reached the specified backoff limit"
    else:
        why = f"{subject(job)} has failed because {_failed_replicas(failure.members)}"
    return f"{why}. {_details(failure.members)}".strip()


def too_long(job: Job) -> str:
    return f"Job {job.name} has failed because it was active longer than specified deadline"


def not_started(job: Job, seconds: int, waits: str) -> str:
    return f"Job {job.name} has failed because not all of its pods started within {seconds} s. {waits}".strip()


def _failed_replicas(members: Sequence[Member]) -> str:
    by_type: dict[str, int] = {}
    for member in members:
        by_type[member.replica.type] = by_type.get(member.replica.type, 0) + 1
    return ", ".join(f"{count} {name} replica(s) failed" for name, count in by_type.items())


def _details(members: Sequence[Member]) -> str:
    return detail(members[0]) if members else ""


def detail(member: Member) -> str:
    """Which pod and container, how it ended, and the last thing it said."""
    pod, end = member.pod, member.end or _last_end(member)
    if pod.status.reason:
        return f"Pod {member.name}: {pod.status.reason}: {pod.status.message}".rstrip(": ")
    if not end:
        return f"Pod {member.name} was deleted" if member.deleting else f"Pod {member.name} failed"
    code = f"exit code {end.get('exitCode')}"
    reason = end.get("reason") or "Error"
    how = f"{code} ({reason})" if reason not in ("Error", "Completed") or is_out_of_memory(member) else code
    line = last_line(str(end.get("message") or ""))
    said = f": {line}" if line else ""
    return f"Pod {member.name}, container {member.container}, {how}{said}"


def _last_end(member: Member) -> dict[str, object]:
    for status in member.pod.status.container_statuses:
        if status.name == member.container:
            return dig_object(status.last_state, "terminated")
    return {}


def first_wait(roster: Roster) -> PodWait | None:
    """The pod that keeps the job from running, and why; None if none is known to."""
    for name in roster.taken:
        return PodWait(name, "ErrResourceExists", "a pod or service of this name exists and is not the job's")
    waits = (pod_wait(member.pod) for member in roster if member.state == "waiting")
    return next((wait for wait in waits if wait is not None), None)


def pod_wait(pod: Pod) -> PodWait | None:
    """Why a pod does not start: a container of it cannot, or it has no node."""
    if (wait := waiting_container(pod)) is not None:
        return wait
    scheduled = find(pod.status.conditions, "PodScheduled")
    if scheduled is not None and scheduled.status == "False":
        return PodWait(pod.metadata.name, scheduled.reason, scheduled.message)
    return None


def pod_waits(wait: PodWait | None) -> Event | None:
    """The event about a pod that keeps the job from running."""
    return Event(reason=wait.reason, message=pod_wait_message(wait), warning=True) if wait is not None else None


def kept_running(job: Job, pods: Sequence[str]) -> Event:
    names = ", ".join(pods)
    return Event(
        reason="PodsKeptRunning",
        message=f"{len(pods)} pods of this finished job still run and hold resources: {names}. "
        "Set runPolicy.cleanPodPolicy to Running to stop them.",
        warning=True,
    )


def exited(job: Job, member: Member) -> Event:
    code = member.end.get("exitCode")
    return Event(reason="ExitedWithCode", message=f"Pod: {job.namespace}.{member.name} exited with code {code}")


def event_for_child(obj: TrainingJob, outcome: Outcome) -> Event | None:
    """The event about a child that was made, removed or refused."""
    kind = declared_kind(outcome.obj)
    name = (
        kind.name if kind is not None else str(dict(outcome.obj).get("kind")) if isinstance(outcome.obj, dict) else ""
    )
    key = key_of(outcome.obj).name
    if name == type(obj).__name__ and outcome.verb == "delete" and outcome.error is None:
        return Event(reason="SuccessfulDeleteJob", message=f"Deleted job: {key}")
    if name not in ("Pod", "Service", "PodGroup"):
        return None
    if outcome.error is not None:
        return Event(reason=f"{refusals.reason_of(outcome)}{name}", message=refusals.explain(outcome), warning=True)
    if outcome.verb not in ("create", "delete"):
        return None
    what = name.lower()
    done = "Created" if outcome.verb == "create" else "Deleted"
    return Event(reason=f"Successful{outcome.verb.capitalize()}{name}", message=f"{done} {what}: {key}")
