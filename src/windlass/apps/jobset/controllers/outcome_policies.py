"""When a JobSet has succeeded, and what its failure policy makes of a failed Job."""

from dataclasses import dataclass

import msgspec

from windlass.apis.batch_v1 import Job, JobCondition
from windlass.apps.jobset.controllers.jobset_state import FAILED as JOB_FAILED
from windlass.apps.jobset.controllers.jobset_state import JobSetState, index_of, replicated_job
from windlass.apps.jobset.controllers.status import FAILED, Word, with_conditions
from windlass.apps.jobset.kinds import (
    FailureAction,
    FailurePolicy,
    FailurePolicyRule,
    JobSet,
    JobSetStatus,
    ReplicatedJobStatus,
    SuccessPolicy,
)
from windlass.apps.jobset.patterns import is_found
from windlass.apps.jobset.policy_validation import SINGLE
from windlass.kube.conditions import find
from windlass.kube.plan import Event

_COUNTED = ("RestartJobSet", "RestartJob")
"""Actions that `maxRestarts` limits."""


def has_succeeded(current: JobSetState) -> bool:
    spec = current.jobset.spec
    policy = spec.success_policy or SuccessPolicy(operator="All")
    targets = policy.target_replicated_jobs or [job.name for job in spec.replicated_jobs]
    done = sum(replicated_job(job) in targets for job in current.succeeded)
    if policy.operator == "Any":
        return done > 0
    return done >= sum(job.replicas for job in spec.replicated_jobs if job.name in targets)


@dataclass(frozen=True, slots=True)
class Ruling:
    """What is done about a failure, and the Job that it is about."""

    action: FailureAction
    job: Job


def after_failure(current: JobSetState, status: JobSetStatus) -> tuple[JobSetStatus, list[Event]]:
    """The status that the failure policy asks for; the next reconcile acts on it."""
    policy = current.jobset.spec.failure_policy
    if policy is None:
        first = _earliest(current.failed)
        return _fails(current, status, "FailedJobs", "jobset failed due to one or more job failures", first)
    ruling = _ruling(policy, current.failed)
    if ruling.action == "FailJobSet":
        why = "applying FailJobSet failure policy action"
        return _fails(current, status, "FailJobSetFailurePolicyAction", why, ruling.job)
    if ruling.action in _COUNTED and _restarts(status) >= policy.max_restarts:
        why = "jobset failed due to reaching max number of restarts"
        return _fails(current, status, "ReachedMaxRestarts", why, ruling.job)
    restarted = (_with_job_restart if ruling.action in SINGLE else _with_set_restart)(current.jobset, status, ruling)
    message = _naming(f"applying {ruling.action} failure policy action", ruling.job)
    return restarted, [Event(reason=f"{ruling.action}FailurePolicyAction", message=message, warning=True)]


def _fails(
    current: JobSetState, status: JobSetStatus, reason: str, why: str, job: Job
) -> tuple[JobSetStatus, list[Event]]:
    failed, notes = with_conditions(current, status, [Word(FAILED, reason, _naming(why, job), warning=True)])
    return msgspec.structs.replace(failed, terminal_state=FAILED), notes


def _naming(why: str, job: Job) -> str:
    return f"{why} (first failed job: {job.metadata.name})"


def _restarts(status: JobSetStatus) -> int:
    """All that count, of the set and of single Jobs."""
    single = sum(sum(one.job_restarts_count_towards_max) for one in status.replicated_jobs_status)
    return status.restarts_count_towards_max + single


def _ruling(policy: FailurePolicy, failed: list[Job]) -> Ruling:
    """Of the first rule that any failure matches, and of the earliest failure that it matches."""
    for rule in policy.rules:
        matched = [job for job in failed if _applies(rule, job)]
        if matched:
            return Ruling(rule.action, _earliest(matched))
    return Ruling("RestartJobSet", _earliest(failed))


def _applies(rule: FailurePolicyRule, job: Job) -> bool:
    failure = _failure(job)
    reasons, patterns, targets = (
        rule.on_job_failure_reasons,
        rule.on_job_failure_message_patterns,
        rule.target_replicated_jobs,
    )
    return (
        (not reasons or failure.reason in reasons)
        and (not targets or replicated_job(job) in targets)
        and (not patterns or any(is_found(pattern, failure.message) for pattern in patterns))
    )


def _failure(job: Job) -> JobCondition:
    failure = find(job.status.conditions, JOB_FAILED)
    assert failure is not None, "it has failed"
    return failure


def _earliest(failed: list[Job]) -> Job:
    return min(failed, key=lambda job: _failure(job).last_transition_time or "")


def _with_set_restart(jobset: JobSet, status: JobSetStatus, ruling: Ruling) -> JobSetStatus:
    return msgspec.structs.replace(
        status,
        restarts=(status.restarts or 0) + 1,
        restarts_count_towards_max=status.restarts_count_towards_max + (ruling.action in _COUNTED),
    )


def _with_job_restart(jobset: JobSet, status: JobSetStatus, ruling: Ruling) -> JobSetStatus:
    name, index = replicated_job(ruling.job), index_of(ruling.job)
    replicas = next((job.replicas for job in jobset.spec.replicated_jobs if job.name == name), 0)
    counts = [
        _one_more(one, index, replicas, counts=ruling.action in _COUNTED) if one.name == name else one
        for one in status.replicated_jobs_status
    ]
    return msgspec.structs.replace(status, replicated_jobs_status=counts)


def _one_more(status: ReplicatedJobStatus, index: int, replicas: int, *, counts: bool) -> ReplicatedJobStatus:
    def raised(counters: list[int], by: int) -> list[int]:
        known = [*counters, *[0] * (replicas - len(counters))]
        return [count + by if at == index else count for at, count in enumerate(known)]

    return msgspec.structs.replace(
        status,
        job_restarts=raised(status.job_restarts, 1),
        job_restarts_count_towards_max=raised(status.job_restarts_count_towards_max, int(counts)),
    )
