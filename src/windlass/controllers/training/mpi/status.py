"""How an MPIJob v2beta1 fares, as its launcher's Job and its workers tell."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec

from windlass.apis.core_v1 import Pod
from windlass.apis.reason_text import pod_wait_message
from windlass.apis.training.common import JobCondition, JobStatus, ReplicaStatus
from windlass.controllers.training.engine import waiting
from windlass.controllers.training.engine.conditions import (
    CREATED,
    FAILED,
    RUNNING,
    SUCCEEDED,
    SUSPENDED,
    newest,
    with_condition,
)
from windlass.controllers.training.engine.ends import START_DEADLINE
from windlass.controllers.training.engine.waiting import explained, gang_note
from windlass.controllers.training.engine.words import pod_wait
from windlass.controllers.training.mpi.job import LAUNCHER, WORKER
from windlass.controllers.training.mpi.look import Look, is_running
from windlass.kube.conditions import find, is_true
from windlass.kube.json import dig_object, timestamp
from windlass.kube.meta import parse_time
from windlass.kube.moments import moment_after
from windlass.kube.plan import Deed, Note

LONGEST_MESSAGE = 1024


@dataclass(frozen=True, slots=True)
class End:
    """Succeeded or Failed, the reason, and the sentence about it."""

    type: str
    reason: str
    message: str


def end_of(look: Look) -> End | None:
    """How the job has ended, if it has."""
    mpi = look.mpi
    if look.launcher_ended("Complete"):
        return End(SUCCEEDED, "MPIJobSucceeded", f"{mpi.subject} successfully completed.")
    if look.launcher_ended("Failed"):
        return _launcher_failed(look)
    evicted = [pod for pod in look.workers.values() if pod.status.phase == "Failed" and pod.status.reason == "Evicted"]
    if evicted and mpi.restart_policy(WORKER) == "Never":
        return End(FAILED, "MPIJobEvicted", f"{len(evicted)}/{len(mpi.workers)} workers are evicted")
    for moment, reason, message in _deadlines(look):
        if moment <= look.now:
            return End(FAILED, reason, message)
    return None


def _launcher_failed(look: Look) -> End:
    """With the Job's own reason; where its tries are used up, with how the last one ended too."""
    told = find(look.launcher.status.conditions, FAILED) if look.launcher is not None else None
    reason = (told.reason if told else "") or "MPIJobFailed"
    message = (told.message if told else "") or f"{look.mpi.subject} has failed"
    failed = [pod for pod in look.launcher_pods if pod.status.phase == "Failed"]
    if reason == "BackoffLimitExceeded" and failed:
        last = max(failed, key=lambda pod: pod.metadata.creation_timestamp or "")
        why, words = _failure(last)
        reason, message = f"{reason}/{why}" if why else reason, f"{message}: {words}" if words else message
    return End(FAILED, reason, message[:LONGEST_MESSAGE])


def _failure(pod: Pod) -> tuple[str, str]:
    """Why a pod failed: what is said of it as a whole, else of its first container that failed."""
    if pod.status.reason:
        return pod.status.reason, pod.status.message
    for status in pod.status.container_statuses:
        ended = dig_object(status.state, "terminated")
        if ended.get("exitCode"):
            lines = [line.strip() for line in str(ended.get("message") or "").splitlines() if line.strip()]
            said = f": {lines[-1]}" if lines else ""
            how = f"Pod {pod.metadata.name}, container {status.name}, exit code {ended['exitCode']}{said}"
            return str(ended.get("reason") or ""), how
    return "", ""


def _deadlines(look: Look) -> list[tuple[datetime, str, str]]:
    """When the job fails by the clock, with reason and message. The Job's own deadline runs only while it has a pod."""
    start = look.status.start_time
    if start is None:
        return []
    found: list[tuple[datetime, str, str]] = []
    if (seconds := look.mpi.policy.active_deadline_seconds) is not None:
        message = f"{look.mpi.subject} was active longer than specified deadline"
        found.append((moment_after(parse_time(start), seconds), "DeadlineExceeded", message))
    written = look.mpi.obj.metadata.annotations.get(START_DEADLINE, "")
    if written.isdecimal() and not _all_started(look):
        message = f"not all pods of {look.mpi.subject} started within {written} s. {waits(look)}".strip()
        found.append((moment_after(parse_time(start), int(written)), "MPIJobFailed", message))
    return found


def next_deadline(look: Look) -> timedelta | None:
    moments = [moment for moment, _, _ in _deadlines(look)]
    return max(min(moments) - look.now, timedelta()) if moments else None


def _all_started(look: Look) -> bool:
    pods = [*look.workers.values(), *look.launcher_pods]
    enough = len(look.workers) == len(look.mpi.workers) and bool(look.launcher_pods)
    return enough and all(pod.status.phase not in ("", "Pending") for pod in pods)


def waits(look: Look) -> str:
    """Which pod keeps the job from running, and why; empty if none is known to."""
    for pod in [*look.workers.values(), *look.launcher_pods]:
        if pod.status.phase in ("", "Pending") and (wait := pod_wait(pod)) is not None:
            return pod_wait_message(wait)
    return ""


def ended(look: Look, end: End) -> JobStatus:
    counts = _counts(look)
    if look.mpi.clean_pod_policy != "None":
        counts[WORKER] = ReplicaStatus()
    completed = look.launcher.status.completion_time if look.launcher is not None else None
    conditions = with_condition(look.status.conditions, end.type, end.reason, end.message, look.now)
    return msgspec.structs.replace(
        look.status,
        conditions=conditions,
        replica_statuses=counts,
        completion_time=completed or timestamp(look.now),
    )


def at_work(look: Look) -> tuple[JobStatus, list[Note]]:
    """The status of a job that goes on, or rests, and what there is to tell."""
    status, notes = _begun(look)
    conditions = status.conditions
    if look.suspended:
        conditions, notes = _resting(look, status, notes)
    elif any(map(is_running, look.launcher_pods)) and _workers_run(look):
        message = f"{look.mpi.subject} is running."
        conditions = with_condition(conditions, RUNNING, "MPIJobRunning", message, look.now)
        if not is_true(status.conditions, RUNNING):
            notes.append(Note(reason="MPIJobRunning", message=message))
    conditions, news = explained(conditions, _said(look, conditions), look.now)
    return msgspec.structs.replace(status, conditions=conditions, replica_statuses=_counts(look)), [*notes, *news]


def _said(look: Look, conditions: Sequence[JobCondition]) -> dict[str, tuple[str, Note | None]]:
    """What the conditions say, and why the job waits, if it does."""
    why = waits(look)
    pod = Note(reason="MPIJobWaiting", message=why, warning=True) if why else None
    if newest(conditions) == RUNNING and is_true(conditions, RUNNING):
        return {CREATED: (_created(look), None), RUNNING: (f"{look.mpi.subject} is running.", pod)}
    gang = gang_note(look.gang, look.mpi.job, look.seen) if not look.suspended else None
    return {CREATED: (_created(look), gang or (pod if newest(conditions) == CREATED else None))}


def _created(look: Look) -> str:
    return f"{look.mpi.subject} is created."


def refused(look: Look, status: JobStatus, why: Sequence[Deed]) -> JobStatus:
    """The status of a job of which a child was refused."""
    conditions = waiting.refused(look.status.conditions, status.conditions, _created(look), why, look.now)
    return msgspec.structs.replace(status, conditions=conditions)


def _begun(look: Look) -> tuple[JobStatus, list[Note]]:
    """Created is on record; so is the moment at which a job that may run began to, or began again."""
    old, now, notes = look.status, look.now, list[Note]()
    message = _created(look)
    conditions = with_condition(old.conditions, CREATED, "MPIJobCreated", message, now)
    if not old.conditions:
        notes.append(Note(reason="MPIJobCreated", message=message))
    start = old.start_time or (None if look.suspended else timestamp(now))
    if not look.suspended and is_true(conditions, SUSPENDED):
        conditions = with_condition(conditions, SUSPENDED, "MPIJobResumed", "MPIJob resumed", now, status="False")
        notes.append(Note(reason="MPIJobResumed", message="MPIJob resumed"))
        start = timestamp(now)
    return msgspec.structs.replace(old, conditions=conditions, start_time=start), notes


def _resting(look: Look, status: JobStatus, notes: list[Note]) -> tuple[list[JobCondition], list[Note]]:
    conditions, reason = status.conditions, "MPIJobSuspended"
    if is_true(conditions, RUNNING):
        message = f"{look.mpi.subject} is suspended."
        conditions = with_condition(conditions, RUNNING, reason, message, look.now, status="False")
    if not is_true(conditions, SUSPENDED):
        notes = [*notes, Note(reason=reason, message="MPIJob suspended")]
    return with_condition(conditions, SUSPENDED, reason, "MPIJob suspended", look.now), notes


def _workers_run(look: Look) -> bool:
    return all(name in look.workers and is_running(look.workers[name]) for name in look.mpi.workers)


def _counts(look: Look) -> dict[str, ReplicaStatus]:
    phases = [pod.status.phase for pod in look.workers.values()]
    launcher = ReplicaStatus(
        active=sum(map(is_running, look.launcher_pods)) if not look.launcher_ended("Complete") else 0,
        succeeded=1 if look.launcher_ended("Complete") else 0,
        failed=look.launcher.status.failed if look.launcher is not None else 0,
    )
    workers = ReplicaStatus(
        active=sum(map(is_running, look.workers.values())),
        succeeded=phases.count("Succeeded"),
        failed=phases.count("Failed"),
    )
    return {LAUNCHER: launcher, WORKER: workers}
