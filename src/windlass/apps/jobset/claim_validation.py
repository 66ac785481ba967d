"""Validation of the claims of a JobSet."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from windlass.apps.jobset.claims import mounts, name_of
from windlass.apps.jobset.kinds import JobSet, ReplicatedJob, VolumeClaimPolicy
from windlass.apps.jobset.names import claim_name
from windlass.kube.errors import Cause, invalid
from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.names import dns_subdomain_errors

LONGEST_CLAIM = 63
ClaimOf: TypeAlias = Callable[[str], Object | None]
"""Returns the claim with a name, if it exists."""


def claim_problems(jobset: JobSet, claim: ClaimOf) -> Iterator[Cause]:
    names: set[str] = set()
    for at, policy in enumerate(jobset.spec.volume_claim_policies):
        for place, template in enumerate(policy.templates):
            name = name_of(template)
            where = f"spec.volumeClaimPolicies[{at}].template[{place}]"
            if name in names:
                yield invalid(f"{where}.name", name, "names must be unique for VolumeClaimPolicies template")
            names.add(name)
            yield from (invalid(f"{where}.name", name, why) for why in dns_subdomain_errors(name))
            if len(claim_name(jobset.metadata.name, name)) > LONGEST_CLAIM:
                yield invalid(f"{where}.name", name, "VolumeClaimPolicies template name is too long")
            yield from _mounts(jobset.spec.replicated_jobs, name)
            there = claim(claim_name(jobset.metadata.name, name))
            if there is not None:
                yield from _existing(jobset, policy, template, there, (f"spec.volumeClaimPolicies[{at}]", where))


def _mounts(jobs: list[ReplicatedJob], name: str) -> Iterator[Cause]:
    for at, job in enumerate(jobs):
        for place, volume in enumerate(dig_list(job.template, "spec", "template", "spec", "volumes")):
            if volume.get("name") == name:
                where = f"spec.replicatedJobs[{at}].template.spec.template.spec.volumes[{place}].name"
                yield invalid(where, name, f"volume name conflicts with VolumeClaimPolicy template name: {name}")
    pods = [dig_object(job.template, "spec", "template", "spec") for job in jobs]
    if not any(mounts(pod, name) for pod in pods):
        why = f"replicatedJob containers don't have a matching volumeMount: {name} from VolumeClaimPolicies"
        yield invalid("spec.replicatedJobs", [job.name for job in jobs], why)


def _existing(
    jobset: JobSet, policy: VolumeClaimPolicy, template: Object, claim: Object, where: tuple[str, str]
) -> Iterator[Cause]:
    """Check an existing claim: it must match the template, and the policy must retain it."""
    of_policy, of_template = where
    name, wanted = str(dig(claim, "metadata", "name")), dig_object(template, "spec")
    if not _matches(wanted, dig_object(claim, "spec")):
        why = f"spec does not match existing PVC {name} in namespace {jobset.metadata.namespace}"
        yield invalid(f"{of_template}.spec", wanted, why)
    if policy.retention_policy is None or policy.retention_policy.when_deleted != "Retain":
        at = f"{of_policy}.retentionPolicy.whenDeleted"
        yield invalid(at, "Delete", "retentionPolicy must be retain when PVC exists")


def _matches(wanted: Object, actual: Object) -> bool:
    """Whether a claim has all fields of its template; others, such as the bound volume, may differ."""
    return all(actual.get(name) == value for name, value in wanted.items())
