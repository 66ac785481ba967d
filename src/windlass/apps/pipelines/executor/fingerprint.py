"""The key under which the outputs of a task are cached."""

import hashlib
import json
from typing import Any

from windlass.apps.pipelines.executor.context import Json, TaskContext
from windlass.apps.pipelines.executor.platform.fields import claim_names
from windlass.apps.pipelines.executor.platform.workspace import uses_workspace, workspace_claim_name
from windlass.apps.pipelines.executor.values import TASK_CONFIG, declared_inputs, input_values, section


def fingerprint(context: TaskContext, *, cache_key: str = "") -> str:
    """Return the SHA-256 of what a task's outputs depend on; `cache_key`, of `cachingOptions`, replaces its inputs.

    Variables, resources and the platform spec do not count, but for the claims that are mounted. Raises ValueError if
    the inputs are not valid.
    """
    if cache_key:
        return _digest({"cacheKey": cache_key, "component": context.component.get("executorLabel")})
    declared = section(context.component, "outputDefinitions")
    return _digest(
        {
            "inputArtifactNames": {
                name: {"artifactNames": [artifact.artifact_id for artifact in artifacts]}
                for name, artifacts in context.artifacts.items()
            },
            "inputParameterValues": _parameters(context),
            "outputArtifactsSpec": {
                name: {
                    "name": name,
                    "type": section(definition, "artifactType"),
                    "metadata": section(definition, "metadata"),
                }
                for name, definition in section(declared, "artifacts").items()
            },
            "outputParametersSpec": {
                name: definition.get("parameterType") for name, definition in section(declared, "parameters").items()
            },
            "containerSpec": _container(context),
        }
    )


def _parameters(context: TaskContext) -> Json:
    """Return the inputs that are values; the TASK_CONFIG is made of the platform spec, which does not count."""
    configs = {name for name, one in declared_inputs(context).items() if one.get("parameterType") == TASK_CONFIG}
    return {name: value for name, value in input_values(context).items() if name not in configs}


def _container(context: TaskContext) -> Json:
    """Return image, command and claims; placeholders are not resolved, since the inputs count by themselves."""
    container = section(context.executor, "container")
    claims = set(claim_names(context))
    if uses_workspace(context):
        claims.add(workspace_claim_name(context.run))
    return {
        "image": container.get("image", ""),
        "cmdArgs": [*container.get("command", []), *container.get("args", [])],
        "pvcNames": sorted(claims),
    }


def _digest(parts: dict[str, Any]) -> str:
    canonical = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
