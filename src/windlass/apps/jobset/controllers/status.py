"""What a JobSet's status says: how many Jobs are where, and what has happened to the whole."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from windlass.apis.batch_v1 import Job
from windlass.apps.jobset.controllers.jobset_state import JobSetState, of
from windlass.apps.jobset.kinds import JobSetCondition, JobSetStatus, ReplicatedJob, ReplicatedJobStatus
from windlass.kube.conditions import find, is_true
from windlass.kube.json import timestamp
from windlass.kube.plan import Event

COMPLETED, FAILED, SUSPENDED = "Completed", "Failed", "Suspended"
STARTING, STARTED = "StartupPolicyInProgress", "StartupPolicyCompleted"
_EXCLUSIVE = {STARTING: STARTED, STARTED: STARTING}


@dataclass(frozen=True, slots=True)
class Word:
    """A condition that is to hold or not, and the event that reports it."""

    type: str
    reason: str
    message: str
    status: Literal["True", "False"] = "True"
    warning: bool = False


COMPLETION = Word(COMPLETED, "AllJobsCompleted", "jobset completed successfully")
REST = Word(SUSPENDED, "SuspendedJobs", "jobset is suspended")
RESUMPTION = Word(SUSPENDED, "ResumeJobs", "jobset is resumed", "False")
START = Word(STARTING, "InOrderStartupPolicyInProgress", "in order startup policy is in progress")
STARTUP_DONE = Word(STARTED, "InOrderStartupPolicyCompleted", "in order startup policy has completed")


def is_finished(status: JobSetStatus) -> bool:
    return is_true(status.conditions, COMPLETED) or is_true(status.conditions, FAILED)


def counted(current: JobSetState) -> JobSetStatus:
    """The status with the counts of this moment; nothing else has changed yet."""
    old = current.jobset.status
    counts = [_counts(current, job) for job in current.jobset.spec.replicated_jobs]
    return msgspec.structs.replace(old, restarts=old.restarts or 0, replicated_jobs_status=counts)


def _counts(current: JobSetState, replicated: ReplicatedJob) -> ReplicatedJobStatus:
    active = of(replicated, current.active)
    known = find_counts(current.jobset.status, replicated.name)
    return ReplicatedJobStatus(
        name=replicated.name,
        ready=sum(map(_is_ready, active)),
        succeeded=len(of(replicated, current.succeeded)),
        failed=len(of(replicated, current.failed)),
        active=sum(job.status.active > 0 for job in active),
        suspended=sum(bool(job.spec.suspend) for job in active),
        job_restarts=known.job_restarts if known is not None else [],
        job_restarts_count_towards_max=known.job_restarts_count_towards_max if known is not None else [],
    )


def find_counts(status: JobSetStatus, replicated: str) -> ReplicatedJobStatus | None:
    return next((one for one in status.replicated_jobs_status if one.name == replicated), None)


def _is_ready(job: Job) -> bool:
    """All pods that the Job has at once are ready or have succeeded; of one that rests, counts are yet to be taken."""
    if job.spec.suspend:
        return False
    parallelism = job.spec.parallelism if job.spec.parallelism is not None else 1
    pods = parallelism if job.spec.completions is None else min(parallelism, job.spec.completions)
    return job.status.succeeded + (job.status.ready or 0) >= pods


def with_conditions(
    current: JobSetState, status: JobSetStatus, words: Sequence[Word]
) -> tuple[JobSetStatus, list[Event]]:
    """The status with these conditions, and the events of those that are new."""
    notes: list[Event] = []
    conditions = list(status.conditions)
    for word in words:
        changed = _with(conditions, word, timestamp(current.now))
        if changed != conditions:
            notes.append(Event(reason=word.reason, message=word.message, warning=word.warning))
        conditions = changed
    return msgspec.structs.replace(status, conditions=conditions), notes


def _with(conditions: list[JobSetCondition], word: Word, now: str) -> list[JobSetCondition]:
    """A condition turns False only after it has held; the two of the startup exclude each other."""
    new = JobSetCondition(
        type=word.type, status=word.status, reason=word.reason, message=word.message, last_transition_time=now
    )
    old = find(conditions, word.type)
    if old is None and word.status == "False":
        return conditions
    other = _EXCLUSIVE.get(word.type)
    changed = [
        _ended(one, now) if one.type == other and one.status == "True" and word.status == "True" else one
        for one in conditions
    ]
    if old is None:
        return [*changed, new]
    return [new if one is old and old.status != word.status else one for one in changed]


def _ended(condition: JobSetCondition, now: str) -> JobSetCondition:
    return msgspec.structs.replace(condition, status="False", last_transition_time=now)
