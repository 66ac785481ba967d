"""Validation of runtime patches of a job, and when they may change."""

from collections.abc import Collection, Iterator

from windlass.apis.prefixed_paths import domain_prefixed_path
from windlass.apps.trainer.names import DATASET, MODEL, NODE
from windlass.apps.trainer.templates import POD, containers_of, jobs_of
from windlass.kube.errors import Cause, forbidden, invalid
from windlass.kube.json import Object, dig, dig_list, is_object

PATCHES = "spec.runtimePatches"
_TEMPLATE = ("trainingRuntimeSpec", "template", "spec", "replicatedJobs")
_RESERVED = (DATASET, MODEL, NODE)


def patch_problems(job: Object, runtime: Object) -> Iterator[Cause]:
    """Check that patched jobs and containers exist in the runtime, and that variables use the job's own fields."""
    patches, jobs = dig_list(job, "spec", "runtimePatches"), jobs_of(runtime)
    for patch in patches:
        yield from domain_prefixed_path(f"{PATCHES}.manager", str(dig(patch, "manager") or ""))
        for replicated in dig_list(patch, *_TEMPLATE):
            name = str(dig(replicated, "name"))
            if name not in jobs:
                yield invalid(
                    PATCHES, patches, "must not have replicated job that doesn't exist in the runtime job template"
                )
                continue
            known = containers_of(jobs[name]).keys()
            yield from (invalid(PATCHES, patches, why) for why in _container_problems(replicated, name, known))


def _container_problems(patch: Object, job: str, known: Collection[str]) -> Iterator[str]:
    pod = dig(patch, *POD)
    for part, word in (("initContainers", "initContainer"), ("containers", "container")):
        for container in dig_list(pod or {}, part):
            name = str(dig(container, "name"))
            if name not in known:
                yield f"must not have {word} that doesn't exist in the runtime job {job}"
            elif part == "containers" and name in _RESERVED and dig_list(container, "env"):
                yield f"must not have envs for the {', '.join(_RESERVED)} containers"


def change_problems(job: Object, old: Object, job_set: Object | None) -> Iterator[Cause]:
    """Allow changes of patches only while a job is suspended or changes to or from it, and no Job is active."""
    if dig(job, "spec", "runtimePatches") == dig(old, "spec", "runtimePatches"):
        return
    if dig(job, "spec", "suspend") is not True and dig(old, "spec", "suspend") is not True:
        when = "RuntimePatches can only be modified when the TrainJob is suspended before or after the update"
        yield forbidden(PATCHES, when)
        return
    for status in dig_list(job_set or {}, "status", "replicatedJobsStatus"):
        if is_object(status) and int(status.get("active") or 0) > 0:
            name = status.get("name")
            why = f"RuntimePatches cannot be modified when the JobSet's ReplicatedJob {name} is still active"
            yield forbidden(PATCHES, why)
