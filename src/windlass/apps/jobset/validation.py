"""Validation of new JobSets, with the messages of upstream's webhook. The object has passed schema validation."""

from collections.abc import Iterator

from windlass.apis.bounds import MAX_INDEXED_PODS, TOO_MANY
from windlass.apis.cause_texts import formatted
from windlass.apis.prefixed_paths import domain_prefixed_path
from windlass.apps.jobset.claim_validation import ClaimOf, claim_problems
from windlass.apps.jobset.kinds import JobSet, JobSetSpec, ReplicatedJob
from windlass.apps.jobset.names import job_name, pod_host
from windlass.apps.jobset.policy_validation import coordinator_problems, failure_policy_problems
from windlass.kube.errors import Cause, invalid, too_long
from windlass.kube.json import dig
from windlass.kube.names import dns1035_label_errors, dns_subdomain_errors

MAX_INT32 = 2**31 - 1
LONGEST_MANAGER = 63
_LONG_JOB = "JobSet name is too long, job names generated for this JobSet will exceed 63 characters"
_LONG_POD = "JobSet name is too long, pod names generated for this JobSet will exceed 63 characters"
_LONG_GROUP = ".spec.replicatedJob[].groupName is too long, must be less than 63 characters"
_LONG_SUBDOMAIN = ".spec.network.subdomain is too long, must be less than 63 characters"
_MANAGER = "spec.managedBy"


def creation_problems(jobset: JobSet, claim: ClaimOf) -> list[str]:
    """Return all validation errors; `claim` finds a claim of the set's namespace by name."""
    spec = jobset.spec
    names = {job.name for job in spec.replicated_jobs}
    return [
        *_strategy(spec),
        *_first(spec),
        *formatted(_subdomain(jobset)),
        *formatted(_manager(spec.managed_by)),
        *_replicated_jobs(jobset),
        *_success_targets(spec, names),
        *failure_policy_problems(spec, names),
        *coordinator_problems(jobset),
        *formatted(claim_problems(jobset, claim)),
    ]


def _strategy(spec: JobSetSpec) -> Iterator[str]:
    if spec.failure_policy is not None and spec.failure_policy.restart_strategy == "InPlaceRestart":
        yield "InPlaceRestart restart strategy cannot be set when InPlaceRestart feature gate is disabled"


def _first(spec: JobSetSpec) -> Iterator[str]:
    if spec.replicated_jobs and spec.replicated_jobs[0].depends_on:
        yield "DependsOn can't be set for the first ReplicatedJob"


def _subdomain(jobset: JobSet) -> Iterator[Cause]:
    given = jobset.spec.network.subdomain if jobset.spec.network is not None else ""
    if not given:
        return
    at = "spec.network.subdomain"
    yield from (invalid(at, given, why) for why in dns_subdomain_errors(given))
    yield from _label(at, given, given, _LONG_SUBDOMAIN)


def _label(at: str, checked: str, shown: str, when_long: str) -> Iterator[Cause]:
    yield from (invalid(at, shown, why) for why in dns1035_label_errors(checked, when_long))


def _manager(manager: str | None) -> list[Cause]:
    if manager is None:
        return []
    long = [too_long(_MANAGER, LONGEST_MANAGER)] if len(manager) > LONGEST_MANAGER else []
    return [*domain_prefixed_path(_MANAGER, manager), *long]


def _replicated_jobs(jobset: JobSet) -> Iterator[str]:
    earlier: set[str] = set()
    for at, job in enumerate(jobset.spec.replicated_jobs):
        where = f"spec.replicatedJobs[{at}]"
        parallelism = int(dig(job.template, "spec", "parallelism") or 1)
        if parallelism * job.replicas > MAX_INT32:
            limit = f"the product of replicas and parallelism must not exceed {MAX_INT32}"
            yield f"{limit} for replicatedJob '{job.name}'"
        if job.replicas < 0:
            yield from formatted([invalid(f"{where}.replicas", job.replicas, "must be greater than or equal to 0")])
        if job.replicas > MAX_INDEXED_PODS:
            yield from formatted([invalid(f"{where}.replicas", job.replicas, TOO_MANY)])
        yield from formatted(_label(f"{where}.groupName", job.group_name, job.group_name, _LONG_GROUP))
        yield from formatted(_names(jobset.metadata.name, job, f"{where}.name"))
        for other in job.depends_on:
            if other.name not in earlier:
                yield f"replicatedJob: {job.name} cannot depend on replicatedJob: {other.name}"
        earlier.add(job.name)


def _names(jobset: str, job: ReplicatedJob, at: str) -> Iterator[Cause]:
    """Check the names of the last Job and its last pod, which are the longest; pods also have a random suffix."""
    last = max(job.replicas - 1, 0)
    longest = job_name(jobset, job.name, last)
    yield from _label(at, longest, longest, _LONG_JOB)
    completions = dig(job.template, "spec", "completions")
    if dig(job.template, "spec", "completionMode") == "Indexed" and completions is not None:
        pod = f"{pod_host(jobset, job.name, last, max(int(completions) - 1, 0))}-abcde"
        yield from _label(at, pod, longest, _LONG_POD)


def _success_targets(spec: JobSetSpec, names: set[str]) -> Iterator[str]:
    for target in spec.success_policy.target_replicated_jobs if spec.success_policy is not None else ():
        if target not in names:
            yield f"invalid replicatedJob name '{target}' does not appear in .spec.ReplicatedJobs"
