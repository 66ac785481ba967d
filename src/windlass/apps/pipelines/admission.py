"""Admission of the pipelines family: Workflows and schedules are validated, versions belong to their pipeline."""

from collections.abc import Callable
from importlib import import_module

from windlass.apis.admission import Facts, Mutation, Request, Rule, Validation, Verdict, default_path, refused
from windlass.apis.wellknown import PIPELINES_GROUP
from windlass.apps.pipelines.kinds.argo import ClusterWorkflowTemplate, CronWorkflow, Workflow, WorkflowTemplate
from windlass.apps.pipelines.kinds.pipeline import Pipeline, PipelineVersion
from windlass.apps.pipelines.validation import cron_problems, template_problems, workflow_problems
from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.kind import KINDS
from windlass.kube.objects import owner_reference, uid_of

PIPELINE_ID_LABEL, PIPELINE_LABEL = f"{PIPELINES_GROUP}/pipeline-id", f"{PIPELINES_GROUP}/pipeline"
PIPELINE_CHECK = "windlass.apps.pipelines.ir.admitted"
"""The module with `spec_problem`. It is named and not imported, as a family's controllers are: only those that admit
PipelineVersions load it."""
_CONFIGURATION = f"validator.{PIPELINES_GROUP}"


def _refuses(problems: Callable[[Object], list[str]]) -> Callable[[Request, Facts], Verdict]:
    def validate(request: Request, facts: Facts) -> Verdict:
        del facts
        found = [] if request.keeps_spec else problems(request.obj or {})
        return refused("; ".join(found), forbidden=False)

    return validate


def _validation(declared: type, problems: Callable[[Object], list[str]]) -> Validation:
    kind = KINDS.of(declared)
    return Validation(
        kind=kind,
        name=f"{kind.name.lower()}.{_CONFIGURATION}",
        path=default_path("validate", kind),
        configuration=_CONFIGURATION,
        validate=_refuses(problems),
    )


def with_pipeline(version: Object, pipeline: Object | None) -> Object:
    """A PipelineVersion with its pipeline's labels, and owned by it."""
    if pipeline is None:
        return version
    metadata = dig_object(version, "metadata")
    labels = {
        **dig_object(metadata, "labels"),
        PIPELINE_ID_LABEL: uid_of(pipeline),
        PIPELINE_LABEL: pipeline["metadata"]["name"],
    }
    owners = [owner for owner in dig_list(metadata, "ownerReferences") if dig(owner, "uid") != uid_of(pipeline)]
    reference = owner_reference(pipeline, KINDS.of(Pipeline))
    owner = {
        "apiVersion": reference.api_version,
        "kind": reference.kind,
        "name": reference.name,
        "uid": reference.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {**version, "metadata": {**metadata, "labels": labels, "ownerReferences": [*owners, owner]}}


def _pipeline_of(request: Request, facts: Facts) -> Object | None:
    name = dig(request.obj, "spec", "pipelineName")
    return facts.get(Pipeline, str(name), request.namespace) if name else None


def _mutate_version(request: Request, facts: Facts) -> Object:
    return with_pipeline(request.obj or {}, _pipeline_of(request, facts))


def _validate_version(request: Request, facts: Facts) -> Verdict:
    if request.keeps_spec:
        return Verdict()
    spec = dig_object(request.obj, "spec")
    if not spec.get("pipelineName"):
        return refused("spec.pipelineName: Required value", forbidden=False)
    if not spec.get("pipelineSpec"):
        return refused("spec.pipelineSpec: Required value", forbidden=False)
    if request.old is None:
        if _pipeline_of(request, facts) is None:
            name = spec["pipelineName"]
            return refused(f"spec.pipelineName: Not found: {name!r}: no such Pipeline", forbidden=False)
        problem = import_module(PIPELINE_CHECK).spec_problem(spec["pipelineSpec"], dig_object(spec, "platformSpec"))
        return refused(f"spec.pipelineSpec: Invalid value: {problem}" if problem else "", forbidden=False)
    old = dig_object(request.old, "spec")
    changed = [name for name in ("pipelineName", "pipelineSpec", "platformSpec") if old.get(name) != spec.get(name)]
    return refused("; ".join(f"spec.{name}: Forbidden: field is immutable" for name in changed), forbidden=False)


_VERSION = KINDS.of(PipelineVersion)
RULES: tuple[Rule, ...] = (
    _validation(Workflow, workflow_problems),
    _validation(WorkflowTemplate, template_problems),
    _validation(ClusterWorkflowTemplate, template_problems),
    _validation(CronWorkflow, cron_problems),
    Mutation(
        kind=_VERSION,
        name=f"pipelineversion.defaulter.{PIPELINES_GROUP}",
        path=default_path("mutate", _VERSION),
        configuration=f"defaulter.{PIPELINES_GROUP}",
        mutate=_mutate_version,
    ),
    Validation(
        kind=_VERSION,
        name=f"pipelineversion.{_CONFIGURATION}",
        path=default_path("validate", _VERSION),
        configuration=_CONFIGURATION,
        validate=_validate_version,
    ),
)
