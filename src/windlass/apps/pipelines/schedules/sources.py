"""What the ScheduledWorkflow of a user names as its pipeline and parameters. Pure."""

from collections.abc import Iterable
from typing import Any

from windlass.apps.pipelines.ir.admitted import checked
from windlass.apps.pipelines.ir.errors import InvalidParameters, InvalidPipeline
from windlass.apps.pipelines.ir.package import Package, inline_package, read_package
from windlass.apps.pipelines.ir.parameters import check_parameters
from windlass.apps.pipelines.ir.reading import read_spec
from windlass.apps.pipelines.ir.workflow_arguments import workflow_arguments
from windlass.apps.pipelines.kinds.scheduled_workflow import ScheduledParameter, ScheduledWorkflow
from windlass.kube.json import Object, is_object, parse

SPEC_FIELD, PARAMETERS_FIELD = "spec.workflow.spec", "spec.workflow.parameters"


def inline_source(schedule: ScheduledWorkflow) -> Package | None:
    """The pipeline in `spec.workflow.spec`: IR or a Workflow as text or object, or the spec of a Workflow.

    Raises ValueError.
    """
    written = schedule.spec.workflow.spec if schedule.spec.workflow is not None else None
    if not written:
        return None
    try:
        if isinstance(written, str):
            return checked(read_package(written))
        if not is_object(written):
            raise InvalidPipeline("must be an object or a text")
        return checked(inline_package(_workflow(schedule, written) if "entrypoint" in written else written))
    except InvalidPipeline as error:
        raise ValueError(f"{SPEC_FIELD}: {error}") from error


def _workflow(schedule: ScheduledWorkflow, spec: Object) -> Object:
    metadata = {"generateName": f"{schedule.metadata.name}-"}
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "metadata": metadata, "spec": spec}


def parameters_of(schedule: ScheduledWorkflow, package: Package) -> dict[str, Any]:
    """The values by name, of the types that the pipeline declares. Raises ValueError."""
    given = schedule.spec.workflow.parameters if schedule.spec.workflow is not None else []
    try:
        if package.workflow is not None:
            return workflow_arguments(package.workflow, {parameter.name: parameter.value for parameter in given})
        return check_parameters(package.pipeline_spec, _typed(package.pipeline_spec, given))
    except InvalidParameters as error:
        raise ValueError(f"{PARAMETERS_FIELD}: {error}") from error


def _typed(spec: Object, given: Iterable[ScheduledParameter]) -> dict[str, Any]:
    """Texts stay as they are where the pipeline declares texts; all other values are JSON."""
    declared = read_spec(spec).root.input_definitions.parameters
    values: dict[str, Any] = {}
    for parameter in given:
        definition = declared.get(parameter.name)
        values[parameter.name] = parameter.value
        if definition is not None and definition.parameter_type != "STRING":
            try:
                values[parameter.name] = parse(parameter.value.encode())
            except ValueError:
                continue  # the check of its type refuses the text
    return values
