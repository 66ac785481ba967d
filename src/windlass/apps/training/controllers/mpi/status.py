"""The status of an MPIJob v2beta1, from its launcher's Job and its workers."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec

from windlass.apis.core_v1 import Pod
from windlass.apis.reason_text import pod_wait_message
from windlass.apps.training.controllers.engine import waiting
from windlass.apps.training.controllers.engine.completion import START_DEADLINE
from windlass.apps.training.controllers.engine.conditions import (
    CREATED,
    FAILED,
    RUNNING,
    SUCCEEDED,
    SUSPENDED,
    newest,
    with_condition,
)
from windlass.apps.training.controllers.engine.messages import pod_wait
from windlass.apps.training.controllers.engine.waiting import explained, gang_note
from windlass.apps.training.controllers.mpi.job import LAUNCHER, WORKER
from windlass.apps.training.controllers.mpi.mpi_state import MpiState, is_running
from windlass.apps.training.kinds.common import JobCondition, JobStatus, ReplicaStatus
from windlass.kube.conditions import find, is_true
from windlass.kube.json import dig_object, timestamp
from windlass.kube.last_line import last_line
from windlass.kube.meta import parse_time
from windlass.kube.moments import moment_after
from windlass.kube.plan import Event, Outcome

LONGEST_MESSAGE = 1024


@dataclass(frozen=True, slots=True)
class End:
    """Succeeded or Failed, the reason, and the sentence about it."""

    type: str
    reason: str
    message: str


def end_of(current: MpiState) -> End | None:
    """How the job has ended, if it has."""
    mpi = current.mpi
    if current.launcher_ended("Complete"):
        return End(SUCCEEDED, "MPIJobSucceeded", f"{mpi.subject} successfully completed.")
    if current.launcher_ended("Failed"):
        return _launcher_failed(current)
    evicted = [
        pod for pod in current.workers.values() if pod.status.phase == "Failed" and pod.status.reason == "Evicted"
    ]
    if evicted and mpi.restart_policy(WORKER) == "Never":
        return End(FAILED, "MPIJobEvicted", f"{len(evicted)}/{len(mpi.workers)} workers are evicted")
    for moment, reason, message in _deadlines(current):
        if moment <= current.now:
            return End(FAILED, reason, message)
    return None


def _launcher_failed(current: MpiState) -> End:
    """With the Job's own reason; where its tries are used up, with how the last one ended too."""
    told = find(current.launcher.status.conditions, FAILED) if current.launcher is not None else None
    reason = (told.reason if told else "") or "MPIJobFailed"
    message = (told.message if told else "") or f"{current.mpi.subject} has failed"
    failed = [pod for pod in current.launcher_pods if pod.status.phase == "Failed"]
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
            line = last_line(str(ended.get("message") or ""))
            said = f": {line}" if line else ""
            how = f"Pod {pod.metadata.name}, container {status.name}, exit code {ended['exitCode']}{said}"
            return str(ended.get("reason") or ""), how
    return "", ""


def _deadlines(current: MpiState) -> list[tuple[datetime, str, str]]:
    """When the job fails by the clock, with reason and message. The Job's own deadline runs only while it has a pod."""
    start = current.status.start_time
    if start is None:
        return []
    found: list[tuple[datetime, str, str]] = []
    if (seconds := current.mpi.policy.active_deadline_seconds) is not None:
        message = f"{current.mpi.subject} was active longer than specified deadline"
        found.append((moment_after(parse_time(start), seconds), "DeadlineExceeded", message))
    written = current.mpi.obj.metadata.annotations.get(START_DEADLINE, "")
    if written.isdecimal() and not _all_started(current):
        message = f"not all pods of {current.mpi.subject} started within {written} s. {waits(current)}".strip()
        found.append((moment_after(parse_time(start), int(written)), "MPIJobFailed", message))
    return found


def next_deadline(current: MpiState) -> timedelta | None:
    moments = [moment for moment, _, _ in _deadlines(current)]
    return max(min(moments) - current.now, timedelta()) if moments else None


def _all_started(current: MpiState) -> bool:
    pods = [*current.workers.values(), *current.launcher_pods]
    enough = len(current.workers) == len(current.mpi.workers) and bool(current.launcher_pods)
    return enough and all(pod.status.phase not in ("", "Pending") for pod in pods)


def waits(current: MpiState) -> str:
    """Which pod keeps the job from running, and why; empty if none is known to."""
    for pod in [*current.workers.values(), *current.launcher_pods]:
        if pod.status.phase in ("", "Pending") and (wait := pod_wait(pod)) is not None:
            return pod_wait_message(wait)
    return ""


def ended(current: MpiState, end: End) -> JobStatus:
    counts = _counts(current)
    if current.mpi.clean_pod_policy != "None":
        counts[WORKER] = ReplicaStatus()
    completed = current.launcher.status.completion_time if current.launcher is not None else None
    conditions = with_condition(current.status.conditions, end.type, end.reason, end.message, current.now)
    return msgspec.structs.replace(
        current.status,
        conditions=conditions,
        replica_statuses=counts,
        completion_time=completed or timestamp(current.now),
    )


def at_work(current: MpiState) -> tuple[JobStatus, list[Event]]:
    """The status of an unfinished job, running or suspended, and the events to record."""
    status, notes = _begun(current)
    conditions = status.conditions
    if current.suspended:
        conditions, notes = _resting(current, status, notes)
    elif any(map(is_running, current.launcher_pods)) and _workers_run(current):
        message = f"{current.mpi.subject} is running."
        conditions = with_condition(conditions, RUNNING, "MPIJobRunning", message, current.now)
        if not is_true(status.conditions, RUNNING):
            notes.append(Event(reason="MPIJobRunning", message=message))
    conditions, news = explained(conditions, _said(current, conditions), current.now)
    return msgspec.structs.replace(status, conditions=conditions, replica_statuses=_counts(current)), [*notes, *news]


def _said(current: MpiState, conditions: Sequence[JobCondition]) -> dict[str, tuple[str, Event | None]]:
    """What the conditions say, and why the job waits, if it does."""
    why = waits(current)
    pod = Event(reason="MPIJobWaiting", message=why, warning=True) if why else None
    if newest(conditions) == RUNNING and is_true(conditions, RUNNING):
        return {CREATED: (_created(current), None), RUNNING: (f"{current.mpi.subject} is running.", pod)}
    gang = gang_note(current.gang, current.mpi.job, current.observed) if not current.suspended else None
    return {CREATED: (_created(current), gang or (pod if newest(conditions) == CREATED else None))}


def _created(current: MpiState) -> str:
    return f"{current.mpi.subject} is created."


def refused(current: MpiState, status: JobStatus, why: Sequence[Outcome]) -> JobStatus:
    """The status of a job of which a child was refused."""
    conditions = waiting.refused(current.status.conditions, status.conditions, _created(current), why, current.now)
    return msgspec.structs.replace(status, conditions=conditions)


def _begun(current: MpiState) -> tuple[JobStatus, list[Event]]:
    """Created is on record; so is the moment at which a job that may run began to, or began again."""
    old, now, notes = current.status, current.now, list[Event]()
    message = _created(current)
    conditions = with_condition(old.conditions, CREATED, "MPIJobCreated", message, now)
    if not old.conditions:
        notes.append(Event(reason="MPIJobCreated", message=message))
    start = old.start_time or (None if current.suspended else timestamp(now))
    if not current.suspended and is_true(conditions, SUSPENDED):
        conditions = with_condition(conditions, SUSPENDED, "MPIJobResumed", "MPIJob resumed", now, status="False")
        notes.append(Event(reason="MPIJobResumed", message="MPIJob resumed"))
        start = timestamp(now)
    return msgspec.structs.replace(old, conditions=conditions, start_time=start), notes


def _resting(current: MpiState, status: JobStatus, notes: list[Event]) -> tuple[list[JobCondition], list[Event]]:
    conditions, reason = status.conditions, "MPIJobSuspended"
    if is_true(conditions, RUNNING):
        message = f"{current.mpi.subject} is suspended."
        conditions = with_condition(conditions, RUNNING, reason, message, current.now, status="False")
    if not is_true(conditions, SUSPENDED):
        notes = [*notes, Event(reason=reason, message="MPIJob suspended")]
    return with_condition(conditions, SUSPENDED, reason, "MPIJob suspended", current.now), notes


def _workers_run(current: MpiState) -> bool:
    return all(name in current.workers and is_running(current.workers[name]) for name in current.mpi.workers)


def _counts(current: MpiState) -> dict[str, ReplicaStatus]:
    phases = [pod.status.phase for pod in current.workers.values()]
    launcher = ReplicaStatus(
        active=sum(map(is_running, current.launcher_pods)) if not current.launcher_ended("Complete") else 0,
        succeeded=1 if current.launcher_ended("Complete") else 0,
        failed=current.launcher.status.failed if current.launcher is not None else 0,
    )
    workers = ReplicaStatus(
        active=sum(map(is_running, current.workers.values())),
        succeeded=phases.count("Succeeded"),
        failed=phases.count("Failed"),
    )
    return {LAUNCHER: launcher, WORKER: workers}
