"""Validation of TrainJobs, with the messages of upstream's webhook. The object has passed schema validation."""

from collections.abc import Iterator
from dataclasses import dataclass

from windlass.apis.bounds import MAX_INDEXED_PODS, TOO_MANY
from windlass.apps.trainer.kinds import GROUP
from windlass.apps.trainer.names import DATASET, INITIALIZER_VOLUME, LAUNCHER, MODEL, NODE
from windlass.apps.trainer.patch_validation import change_problems, patch_problems
from windlass.apps.trainer.policies import POLICIES, mpi, torch, torchtune
from windlass.apps.trainer.policies.policy import Policy
from windlass.apps.trainer.templates import containers_of, jobs_of
from windlass.apps.trainer.torchtune_validation import torchtune_problems
from windlass.kube.errors import Cause, forbidden, invalid
from windlass.kube.json import Object, dig, dig_list, dig_object, is_object

CLUSTER_WIDE, NAMESPACED = "ClusterTrainingRuntime", "TrainingRuntime"
_CONFIGS = {DATASET: ("dataset", "datasetConfig"), MODEL: ("model", "modelConfig")}


@dataclass(frozen=True)
class Known:
    """Objects in the cluster that validation needs: the job's runtime, and the JobSet created for the job."""

    runtime: Object | None = None
    job_set: Object | None = None


def reference(job: Object) -> tuple[str, str, str]:
    """Return the group, kind and name of the runtime."""
    ref = dig_object(job, "spec", "runtimeRef")
    return str(ref.get("apiGroup", GROUP)), str(ref.get("kind", CLUSTER_WIDE)), str(ref.get("name") or "")


def unsupported(job: Object) -> str:
    """Why the kind of the runtime is not supported; empty if it is."""
    group, kind, _ = reference(job)
    if group == GROUP and kind in (CLUSTER_WIDE, NAMESPACED):
        return ""
    return f"unsupported runtime: {kind}.{group}" if group else f"unsupported runtime: {kind}"


def job_problems(job: Object, old: Object | None, known: Known) -> list[Cause]:
    """Return all validation errors. A job that was accepted earlier can always be labelled, suspended and deleted."""
    changes = list(change_problems(job, old, known.job_set)) if old is not None else []
    if known.runtime is None:
        as_before = old is not None and dig(job, "spec", "runtimePatches") == dig(old, "spec", "runtimePatches")
        return changes if as_before else [*changes, _missing(job)]
    return [
        *_initializers(job, known.runtime),
        *changes,
        *patch_problems(job, known.runtime),
        *_numbers(job),
        *_policy(job, known.runtime),
    ]


def _missing(job: Object) -> Cause:
    _, kind, name = reference(job)
    field, word = (
        ("spec.RuntimeRef", "clusterTrainingRuntime")
        if kind == CLUSTER_WIDE
        else ("spec.runtimeRef", "trainingRuntime")
    )
    why = f'{kind}.{GROUP} "{name}" not found: specified {word} must be created before the TrainJob is created'
    return invalid(field, dig_object(job, "spec", "runtimeRef"), why)


def _initializers(job: Object, runtime: Object) -> Iterator[Cause]:
    jobs = jobs_of(runtime)
    for step, (part, config) in _CONFIGS.items():
        if dig(job, "spec", "initializer", part) is None:
            continue
        replicated = jobs.get(step)
        container = containers_of(replicated).get(step) if replicated is not None else None
        mounts = [dig(mount, "name") for mount in dig_list(container or {}, "volumeMounts")]
        if replicated is None:
            why = f"must have {step} job when trainJob is configured with input {config}"
        elif container is None:
            why = f"must have container with name - {step} in the {step} job"
        elif INITIALIZER_VOLUME not in mounts:
            why = f"must have volumeMount with name - {INITIALIZER_VOLUME} in container {step} of the {step} job"
        else:
            continue
        yield invalid("spec.runtimeRef", dig_object(job, "spec", "runtimeRef"), why)


def _numbers(job: Object) -> Iterator[Cause]:
    for name in ("numNodes", "numProcPerNode"):
        value = dig(job, "spec", "trainer", name)
        if isinstance(value, int) and value < 1:
            yield invalid(f"spec.trainer.{name}", value, "must be greater than or equal to 1")
        if isinstance(value, int) and value > MAX_INDEXED_PODS:
            yield invalid(f"spec.trainer.{name}", value, TOO_MANY)


# --- what single policies ask


def _policy(job: Object, runtime: Object) -> Iterator[Cause]:
    settings = dig_object(runtime, "spec", "mlPolicy")
    policy = next((one for one in POLICIES if settings.get(one.name) is not None), None)
    if policy is None or dig(job, "spec", "trainer") is None:
        return
    yield from _reserved(job, policy)
    if policy is torch.POLICY and dig(job, "spec", "trainer", "command") == torchtune.ENTRYPOINT:
        yield from torchtune_problems(job, runtime)
    if policy is mpi.POLICY:
        yield from _launcher(job, runtime)


def _reserved(job: Object, policy: Policy) -> Iterator[Cause]:
    variables = [variable for variable in dig_list(job, "spec", "trainer", "env") if is_object(variable)]
    at = "spec.trainer.env"
    if policy is torch.POLICY:
        reserved = sorted({str(variable["name"]) for variable in variables if variable.get("name") in policy.reserved})
        if reserved:
            yield invalid(
                at, variables, f"must not have reserved envs, invalid envs configured: [{' '.join(reserved)}]"
            )
        return
    for index, variable in enumerate(variables):
        if variable.get("name") in policy.reserved:
            yield forbidden(f"{at}[{index}]", f"{variable['name']} is reserved for the {policy.title} runtime")


def _launcher(job: Object, runtime: Object) -> Iterator[Cause]:
    nodes = dig(job, "spec", "trainer", "numNodes")
    if not isinstance(nodes, int) or nodes < 2 or not dig(runtime, "spec", "mlPolicy", "mpi", "runLauncherAsNode"):
        return
    if not {LAUNCHER, NODE} <= jobs_of(runtime).keys():
        why = (
            "must have 1 when MPI trainingRuntime with enabled runLauncherAsNode does not have either launcher and node"
        )
        yield invalid("spec.trainer.numNodes", nodes, why)
