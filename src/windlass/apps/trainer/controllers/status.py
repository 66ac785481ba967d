"""What a TrainJob's status says: whether it is suspended, how it ended, and how its replicated jobs are.

A job that was never suspended has no condition until it ends: clients take that for running. So `Created` and
`Scheduled` are there only as long as they are False: while something of the job is refused, and while its gang waits.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from windlass.apis.gang_waits import GangWait
from windlass.apps.jobset.kinds import JobSet, ReplicatedJobStatus
from windlass.apps.trainer.kinds import JobStatus, TrainJob, TrainJobStatus
from windlass.controllers.waiting_gangs import says_the_same
from windlass.kube.conditions import find, is_true, with_condition, without_condition
from windlass.kube.json import timestamp
from windlass.kube.meta import Condition, parse_time
from windlass.kube.moments import moment_after, span

SUSPENDED, COMPLETE, FAILED = "Suspended", "Complete", "Failed"
CREATED, SCHEDULED = "Created", "Scheduled"
CREATION_FAILED = "TrainJobResourcesCreationFailed"
DEADLINE, UNSUPPORTED = "DeadlineExceeded", "TrainingRuntimeNotSupported"
ENDS = {"Completed": COMPLETE, "Failed": FAILED}
"""Conditions of a JobSet, and what they are called here."""


def is_finished(job: TrainJob) -> bool:
    return is_true(job.status.conditions, COMPLETE) or is_true(job.status.conditions, FAILED)


def failed(reason: str, message: str) -> Condition:
    return Condition(type=FAILED, status="True", reason=reason, message=message)


def status_of(job: TrainJob, job_set: JobSet | None, now: datetime, failure: Condition | None = None) -> TrainJobStatus:
    """The status as it should be; `failure` is what the job fails of, other than its JobSet."""
    settled = [one for one in job.status.conditions if one.type not in (CREATED, SCHEDULED)]
    conditions = _suspension(job, settled, now)
    known = find(conditions, FAILED)
    if known is not None and known.reason == UNSUPPORTED and failure is None:
        conditions = without_condition(conditions, FAILED)
    if failure is not None:
        conditions = with_condition(conditions, failure, now)
    if job_set is None:
        ended = find(conditions, FAILED)
        gone = ended is not None and ended.reason == DEADLINE
        left = [_over(one) for one in job.status.jobs_status] if gone else job.status.jobs_status
        return msgspec.structs.replace(job.status, conditions=conditions, jobs_status=left)
    for ended in job_set.status.conditions:
        if ended.type in ENDS and ended.status == "True" and find(conditions, ENDS[ended.type]) is None:
            conditions.append(
                Condition(
                    type=ENDS[ended.type],
                    status="True",
                    reason=ended.reason,
                    message=ended.message,
                    last_transition_time=ended.last_transition_time,
                )
            )
    counted = _counted(job_set.status.replicated_jobs_status)
    return msgspec.structs.replace(job.status, conditions=conditions, jobs_status=counted)


def not_created(job: TrainJob, status: TrainJobStatus, message: str, now: datetime) -> TrainJobStatus:
    """The status of a job of which something was refused, or could not be built."""
    return _with_false(job, status, CREATED, CREATION_FAILED, message, now)


def not_scheduled(job: TrainJob, status: TrainJobStatus, wait: GangWait, now: datetime) -> TrainJobStatus:
    """The status of a job whose gang waits."""
    return _with_false(job, status, SCHEDULED, wait.reason, wait.job_message, now)


def _with_false(
    job: TrainJob, status: TrainJobStatus, type: str, reason: str, message: str, now: datetime
) -> TrainJobStatus:
    """A condition that said the same before stays as it was."""
    old = find(job.status.conditions, type)
    since = old.last_transition_time if old is not None else timestamp(now)
    new = Condition(type=type, status="False", reason=reason, message=message, last_transition_time=since)
    if old is not None and old.reason == reason and says_the_same(old.message, message):
        new = old
    return msgspec.structs.replace(status, conditions=[*status.conditions, new])


def _suspension(job: TrainJob, conditions: list[Condition], now: datetime) -> list[Condition]:
    if job.spec.suspend:
        new = Condition(type=SUSPENDED, status="True", reason="Suspended", message="TrainJob is suspended")
    elif is_true(conditions, SUSPENDED):
        new = Condition(type=SUSPENDED, status="False", reason="Resumed", message="TrainJob is resumed")
    else:
        return conditions
    return with_condition(conditions, new, now)


def _counted(replicated: Sequence[ReplicatedJobStatus]) -> list[JobStatus]:
    return [
        JobStatus(
            name=one.name,
            ready=one.ready,
            succeeded=one.succeeded,
            failed=one.failed,
            active=one.active,
            suspended=one.suspended,
        )
        for one in replicated
    ]


def _over(status: JobStatus) -> JobStatus:
    """Of Jobs that went with their JobSet."""
    return msgspec.structs.replace(status, ready=0, active=0, suspended=0)


def time_left(job: TrainJob, now: datetime) -> timedelta | None:
    """Until the job's deadline, which restarts when it is resumed; None without one."""
    if job.spec.active_deadline_seconds is None or job.spec.suspend:
        return None
    suspended = find(job.status.conditions, SUSPENDED)
    if suspended is not None and suspended.status == "True":
        return span(job.spec.active_deadline_seconds)  # it is resumed this moment
    resumed = suspended.last_transition_time if suspended is not None else None
    began = resumed or job.metadata.creation_timestamp
    if began is None:
        return None
    return moment_after(parse_time(began), job.spec.active_deadline_seconds) - now
