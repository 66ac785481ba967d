"""The `pipeline_spec` and references of v1's runs and jobs, to and from v2's fields."""

from collections.abc import Mapping
from typing import Any

from windlass.apps.pipelines.wire.errors import InvalidArgument
from windlass.apps.pipelines.wire.packages import package_of_file
from windlass.apps.pipelines.wire.v1.pipelines import text_of
from windlass.apps.pipelines.wire.v1.references import reference, referred
from windlass.kube.json import Object, encode


async def request_of(body: Object) -> Object:
    """What a v1 run or job asks for, as v2's request says it."""
    references: list[Object] = body.get("resource_references", [])
    spec: Object = body.get("pipeline_spec", {})
    request: Object = {
        "display_name": body.get("name", ""),
        "description": body.get("description", ""),
        "experiment_id": referred(references, "EXPERIMENT"),
        "service_account": body.get("service_account", ""),
        "runtime_config": runtime_config(spec),
    }
    manifest = spec.get("workflow_manifest") or spec.get("pipeline_manifest")
    version_id = referred(references, "PIPELINE_VERSION")
    if manifest:
        return request | {"pipeline_spec": await inline_spec(manifest)}
    pipeline_id = spec.get("pipeline_id") or referred(references, "PIPELINE")
    return request | {"pipeline_version_reference": {"pipeline_id": pipeline_id, "pipeline_version_id": version_id}}


def runtime_config(spec: Object) -> Object:
    """Parameters are a list of texts, or of v2 pipelines a `runtime_config`."""
    config: Object = spec.get("runtime_config", {})
    listed: list[Object] = spec.get("parameters", [])
    if listed and config.get("parameters"):
        raise InvalidArgument("pipeline_spec: parameters and runtime_config.parameters exclude each other")
    named = {str(each.get("name", "")): each.get("value", "") for each in listed}
    return {**config, "parameters": config.get("parameters") or named}


async def inline_spec(manifest: str) -> Object:
    """A Workflow or IR, in JSON or YAML, as v2's `pipeline_spec`."""
    package = await package_of_file(manifest.encode("utf-8", "replace"))
    if package.workflow is not None:
        return package.workflow
    return {"pipeline_spec": package.pipeline_spec, "platform_spec": package.platform_spec}


def shown_spec(
    spec: Object, platform: Object, *, is_argo: bool, pipeline_id: str, name: str, parameters: Mapping[str, Any]
) -> Object:
    shown: Object = {"pipeline_id": pipeline_id, "pipeline_name": name}
    if is_argo:
        listed = [{"name": each, "value": text_of(value)} for each, value in parameters.items()]
        return shown | {"workflow_manifest": encode(spec).decode(), "parameters": listed}
    manifest = {"pipeline_spec": spec, "platform_spec": platform} if platform else spec
    return shown | {"pipeline_manifest": encode(manifest).decode(), "runtime_config": {"parameters": parameters}}


def references_of(experiment_id: str, version_id: str, recurring_run_id: str = "") -> list[Object]:
    references = [reference("EXPERIMENT", experiment_id)]
    if version_id:
        references.append(reference("PIPELINE_VERSION", version_id, "CREATOR"))
    if recurring_run_id:
        references.append(reference("JOB", recurring_run_id, "CREATOR"))
    return references
