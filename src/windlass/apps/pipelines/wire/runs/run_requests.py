"""What a request for a run or a recurring run asks to execute: the package, its parameters and its owner."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from windlass.apps.pipelines.ir.errors import InvalidParameters
from windlass.apps.pipelines.ir.macros import expand_macros
from windlass.apps.pipelines.ir.package import Package
from windlass.apps.pipelines.ir.parameters import check_parameters
from windlass.apps.pipelines.ir.workflow_arguments import workflow_arguments
from windlass.apps.pipelines.model import Experiment
from windlass.apps.pipelines.wire.call import Call
from windlass.apps.pipelines.wire.errors import InvalidArgument, NotFound
from windlass.apps.pipelines.wire.packages import package_of_request, package_of_stored
from windlass.apps.pipelines.wire.pipelines.versions import find_version, latest_version
from windlass.apps.pipelines.wire.runs.experiments import default_experiment
from windlass.kube.json import Object


@dataclass(frozen=True, kw_only=True)
class Source:
    """The package of a run, and where it comes from."""

    package: Package
    pipeline_id: str = ""
    pipeline_version_id: str = ""

    @property
    def is_inline(self) -> bool:
        return not self.pipeline_version_id


async def experiment_of(call: Call, experiment_id: str) -> Experiment:
    """The experiment with that id; without one the default experiment of the caller's own namespace."""
    if not experiment_id:
        namespace = await call.namespace_or_own("", "A run without an experiment")
        return await default_experiment(call, namespace)
    experiment = await call.database.get(Experiment, experiment_id)
    if experiment is None:
        raise NotFound(f"Experiment {experiment_id} not found")
    return experiment


async def source_of(call: Call, body: Object) -> Source:
    """From the version that the request refers to, or from its specification."""
    reference: Object = body.get("pipeline_version_reference", {})
    pipeline_id = reference.get("pipeline_id", "")
    version_id = reference.get("pipeline_version_id") or body.get("pipeline_version_id", "")
    if "pipeline_spec" in body:
        if pipeline_id or version_id:
            raise InvalidArgument("pipeline_version_reference and pipeline_spec exclude each other")
        return Source(package=await package_of_request(body["pipeline_spec"]))
    if not pipeline_id and not version_id:
        raise InvalidArgument("a pipeline_version_reference or a pipeline_spec is required")
    if version_id:
        version = await find_version(call, version_id, "get")
        if pipeline_id and version.pipeline_id != pipeline_id:
            raise NotFound(f"Pipeline version {version_id} not found in pipeline {pipeline_id}")
    else:
        version = await latest_version(call, pipeline_id)
    return Source(
        package=package_of_stored(version.spec, version.platform_spec),
        pipeline_id=version.pipeline_id,
        pipeline_version_id=version.pipeline_version_id,
    )


def checked_parameters(package: Package, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters as the engine takes them. Raises InvalidArgument."""
    try:
        if package.workflow is not None:
            return workflow_arguments(package.workflow, given)
        return check_parameters(package.pipeline_spec, given)
    except InvalidParameters as error:
        raise InvalidArgument(f"runtime_config.parameters: {error}") from error


def expanded(parameters: Mapping[str, Any], run_id: str, now: float) -> dict[str, Any]:
    """The parameters with macros such as [[RunUUID]] replaced."""
    return {name: expand_macros(value, run_id=run_id, now=now) for name, value in parameters.items()}
