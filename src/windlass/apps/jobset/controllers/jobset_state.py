"""What is seen of a JobSet: its Jobs of this attempt by what has become of them, and those of attempts before."""

from dataclasses import dataclass, field
from datetime import datetime

from windlass.apis.batch_v1 import Job
from windlass.apps.jobset.kinds import JobSet, ReplicatedJob
from windlass.apps.jobset.names import JOB_INDEX, JOB_RESTART_ATTEMPT, REPLICATED_JOB_NAME, RESTART_ATTEMPT
from windlass.kube.conditions import is_true
from windlass.kube.controller import Observed

COMPLETE, FAILED = "Complete", "Failed"


@dataclass(frozen=True, slots=True)
class JobSetState:
    """`previous`: Jobs of an attempt before this one, which go."""

    jobset: JobSet
    now: datetime
    active: list[Job] = field(default_factory=list[Job])
    succeeded: list[Job] = field(default_factory=list[Job])
    failed: list[Job] = field(default_factory=list[Job])
    previous: list[Job] = field(default_factory=list[Job])

    @property
    def there(self) -> set[str]:
        """The names of all of them: another cannot be made before they have gone."""
        every = (*self.active, *self.succeeded, *self.failed, *self.previous)
        return {job.metadata.name for job in every}

    @property
    def suspended(self) -> bool:
        return bool(self.jobset.spec.suspend)

    def own_restarts(self, replicated: str, index: int) -> int:
        """How often a Job alone was recreated."""
        known = next((one for one in self.jobset.status.replicated_jobs_status if one.name == replicated), None)
        return known.job_restarts[index] if known is not None and index < len(known.job_restarts) else 0


def observe(jobset: JobSet, observed: Observed) -> JobSetState:
    current = JobSetState(jobset, observed.now)
    for job in observed.owned(Job):
        if _is_outdated(current, job):
            current.previous.append(job)
        elif is_true(job.status.conditions, FAILED):
            current.failed.append(job)
        elif is_true(job.status.conditions, COMPLETE):
            current.succeeded.append(job)
        else:
            current.active.append(job)
    return current


def replicated_job(job: Job) -> str:
    return job.metadata.labels.get(REPLICATED_JOB_NAME, "")


def index_of(job: Job) -> int:
    return _number(job, JOB_INDEX)


def of(replicated: ReplicatedJob, jobs: list[Job]) -> list[Job]:
    return [job for job in jobs if replicated_job(job) == replicated.name]


def _is_outdated(current: JobSetState, job: Job) -> bool:
    """A Job without the label of its attempt is recreated."""
    if _number(job, RESTART_ATTEMPT, unsaid=-1) < (current.jobset.status.restarts or 0):
        return True
    return _number(job, JOB_RESTART_ATTEMPT) < current.own_restarts(replicated_job(job), index_of(job))


def _number(job: Job, label: str, unsaid: int = 0) -> int:
    written = job.metadata.labels.get(label, "")
    return int(written) if written.isdecimal() else unsaid
