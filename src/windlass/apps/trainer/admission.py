"""Admission of TrainJobs and training runtimes, with the messages of upstream's webhooks."""

from collections.abc import Iterable

from windlass.apis.admission import Facts, Mutation, Request, Rule, Validation, Verdict, default_path, refused
from windlass.apis.cause_texts import aggregated, formatted
from windlass.apis.core_v1 import ConfigMap
from windlass.apps.jobset.kinds import JobSet
from windlass.apps.trainer.defaults import with_times
from windlass.apps.trainer.kinds import GROUP, ClusterTrainingRuntime, TrainingRuntime, TrainJob
from windlass.apps.trainer.runtime_validation import DEPRECATION, is_deprecated, runtime_problems, runtime_warnings
from windlass.apps.trainer.snapshots import snapshot_name, snapshot_runtime
from windlass.apps.trainer.validation import NAMESPACED, Known, job_problems, reference, unsupported
from windlass.kube.errors import Cause
from windlass.kube.json import Object, dig
from windlass.kube.kind import KINDS

VALIDATOR, MUTATOR = f"validator.{GROUP}", f"defaulter.{GROUP}"


def _mutate_job(request: Request, facts: Facts) -> Object:
    return with_times(request.obj or {}, request.old, facts.now)


def _validate_job(request: Request, facts: Facts) -> Verdict:
    if request.keeps_spec:
        return Verdict()
    job = request.obj or {}
    problem = unsupported(job)
    if problem:
        return refused(problem)
    known = _known(request, job, facts)
    return refused(_listed(job_problems(job, request.old, known)), _deprecation(known.runtime))


def _known(request: Request, job: Object, facts: Facts) -> Known:
    """Look up the runtime and JobSet of a job. A job that has started keeps the snapshot of its runtime."""
    if request.old is None:
        return Known(runtime=_runtime(request, job, facts))
    kept = snapshot_runtime(facts.get(ConfigMap, snapshot_name(request.name), request.namespace))
    return Known(
        runtime=kept or _runtime(request, job, facts),
        job_set=facts.get(JobSet, request.name, request.namespace),
    )


def _runtime(request: Request, job: Object, facts: Facts) -> Object | None:
    _, kind, name = reference(job)
    if kind == NAMESPACED:
        return facts.get(TrainingRuntime, name, request.namespace)
    return facts.get(ClusterTrainingRuntime, name)


def _deprecation(runtime: Object | None) -> list[str]:
    if runtime is None or not is_deprecated(runtime):
        return []
    return [f'Referenced {runtime.get("kind")} "{dig(runtime, "metadata", "name")}" {DEPRECATION}']


def _validate_runtime(request: Request, facts: Facts) -> Verdict:
    if request.keeps_spec:
        return Verdict()
    runtime = request.obj or {}
    warnings = list(runtime_warnings(runtime)) if request.old is None else []
    return refused(_listed(runtime_problems(runtime)), warnings)


def _listed(causes: Iterable[Cause]) -> str:
    """Join the distinct messages of all causes."""
    return aggregated(list(dict.fromkeys(formatted(causes))))


def _validation(declared: type) -> Validation:
    kind = KINDS.of(declared)
    return Validation(
        kind=kind,
        name=f"validator.{kind.name.lower()}.{GROUP}",
        path=default_path("validate", kind),
        configuration=VALIDATOR,
        validate=_validate_job if declared is TrainJob else _validate_runtime,
    )


_JOB = KINDS.of(TrainJob)
RULES: tuple[Rule, ...] = (
    Mutation(
        kind=_JOB,
        name=f"defaulter.trainjob.{GROUP}",
        path=default_path("mutate", _JOB),
        configuration=MUTATOR,
        mutate=_mutate_job,
    ),
    _validation(TrainJob),
    _validation(TrainingRuntime),
    _validation(ClusterTrainingRuntime),
)
