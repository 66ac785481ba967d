"""Which replicated jobs may have their Jobs now: what they depend on, and the order in which they start."""

from dataclasses import dataclass

from windlass.apps.jobset.controllers.status import find_counts
from windlass.apps.jobset.kinds import DependsOn, JobSet, JobSetStatus, ReplicatedJob, ReplicatedJobStatus


@dataclass(frozen=True, slots=True)
class Turn:
    """`open`: those whose Jobs are there or are made now. `is_through`: none waits for its turn in the order."""

    open: list[ReplicatedJob]
    is_through: bool = True


def is_in_order(jobset: JobSet) -> bool:
    policy = jobset.spec.startup_policy
    return policy is not None and policy.startup_policy_order == "InOrder"


def turn_of(jobset: JobSet, status: JobSetStatus) -> Turn:
    """While the set rests the order does not count: nothing starts."""
    reached = [job for job in jobset.spec.replicated_jobs if _reached(jobset, job, status)]
    if jobset.spec.suspend or not is_in_order(jobset):
        return Turn(reached)
    waiting = next((job for job in reached if not _has_started(job, find_counts(status, job.name))), None)
    return Turn([waiting], is_through=False) if waiting is not None else Turn([])


def _reached(jobset: JobSet, job: ReplicatedJob, status: JobSetStatus) -> bool:
    return all(_has(jobset, dependency, status) for dependency in job.depends_on)


def _has(jobset: JobSet, dependency: DependsOn, status: JobSetStatus) -> bool:
    other = next((job for job in jobset.spec.replicated_jobs if job.name == dependency.name), None)
    counts = find_counts(status, dependency.name)
    if other is None or counts is None:
        return False
    return counts.succeeded == other.replicas if dependency.status == "Complete" else _has_started(other, counts)


def _has_started(job: ReplicatedJob, counts: ReplicatedJobStatus | None) -> bool:
    """All of its Jobs are ready, or were."""
    return counts is not None and counts.ready + counts.succeeded + counts.failed == job.replicas
