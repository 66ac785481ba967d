"""The labels and annotations that identify a Job of a JobSet, and its pods."""

from hashlib import sha1

from windlass.apps.jobset import names
from windlass.apps.jobset.kinds import JobSet, ReplicatedJob
from windlass.kube.json import dig_object


def of_job(jobset: JobSet, job: ReplicatedJob, index: int, restarts: int, own_restarts: int) -> dict[str, str]:
    """The same as labels and as annotations, on the Job and on its pods."""
    metadata, jobs = jobset.metadata, jobset.spec.replicated_jobs
    group = [one for one in jobs if one.group_name == job.group_name]
    with_conditions = {
        names.JOBSET_NAME: metadata.name,
        names.JOBSET_UID: metadata.uid,
        names.REPLICATED_JOB_NAME: job.name,
        names.REPLICATED_JOB_REPLICAS: str(job.replicas),
        names.GLOBAL_REPLICAS: str(_count(jobs)),
        names.JOB_INDEX: str(index),
        names.JOB_GLOBAL_INDEX: str(_before(jobs, job) + index),
        names.JOB_KEY: _key(metadata.namespace, names.job_name(metadata.name, job.name, index)),
        names.RESTART_ATTEMPT: str(restarts),
        names.GROUP_NAME: job.group_name,
        names.GROUP_REPLICAS: str(_count(group)),
        names.JOB_GROUP_INDEX: str(_before(group, job) + index),
    }
    if own_restarts:
        with_conditions[names.JOB_RESTART_ATTEMPT] = str(own_restarts)
    if jobset.spec.coordinator is not None:
        with_conditions[names.COORDINATOR] = names.coordinator_endpoint(jobset)
    return with_conditions


def of_placement(jobset: JobSet, job: ReplicatedJob) -> dict[str, str]:
    """Annotations by which Jobs keep a topology domain to themselves; those of the replicated job count for more."""
    asked: dict[str, str] = {}
    for given in (jobset.metadata.annotations, dig_object(job.template, "metadata", "annotations")):
        if names.EXCLUSIVE_TOPOLOGY in given:
            kept = (names.EXCLUSIVE_TOPOLOGY, names.NODE_SELECTOR_STRATEGY)
            asked |= {name: given[name] for name in kept if name in given}
    return asked


def _count(jobs: list[ReplicatedJob]) -> int:
    return sum(job.replicas for job in jobs)


def _before(jobs: list[ReplicatedJob], job: ReplicatedJob) -> int:
    return _count(jobs[: [one.name for one in jobs].index(job.name)])


def _key(namespace: str, name: str) -> str:
    """Not for secrecy: a name of fixed length, which others compute too."""
    return sha1(f"{namespace}/{name}".encode(), usedforsecurity=False).hexdigest()
