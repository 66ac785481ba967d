"""Whether the API server would accept a package: IR is checked as a whole, a Workflow as when it is created."""

from windlass.apps.pipelines.ir.errors import InvalidPipeline
from windlass.apps.pipelines.ir.package import Package, inline_package
from windlass.apps.pipelines.names import IR_LABEL
from windlass.apps.pipelines.validation import workflow_problems
from windlass.kube.json import Object, dig, is_object


def checked(package: Package) -> Package:
    """The package, unless it is a Workflow that the API server would refuse. Raises InvalidPipeline."""
    workflow = package.workflow
    if workflow is None:
        return package
    metadata = workflow.get("metadata")
    for path in ((), ("labels",), ("annotations",)):
        found = dig(metadata, *path) if path else metadata
        if found is not None and not is_object(found):
            raise InvalidPipeline(f"{'.'.join(('metadata', *path))}: must be an object")
    if dig(metadata, "labels", IR_LABEL) is not None:
        raise InvalidPipeline(f"metadata.labels: {IR_LABEL} cannot be set")
    problems = workflow_problems(workflow)
    if problems:
        raise InvalidPipeline("; ".join(problems))
    return package


def spec_problem(pipeline_spec: Object, platform_spec: Object) -> str:
    """Why a PipelineVersion with these documents is refused; empty if it is not."""
    try:
        checked(inline_package({"pipeline_spec": pipeline_spec, "platform_spec": platform_spec}))
    except InvalidPipeline as error:
        return str(error)
    return ""
