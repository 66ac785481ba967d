"""The workspace of a run: a claim that its tasks share, mounted in those that mention it."""

from typing import Any, cast

from windlass.apps.pipelines.artifacts.uris import WORKSPACE_METADATA, WORKSPACE_PATH
from windlass.apps.pipelines.executor.context import Json, TaskContext
from windlass.apps.pipelines.executor.placeholders import WORKSPACE
from windlass.apps.pipelines.executor.platform.volumes import Volumes
from windlass.apps.pipelines.executor.values import section
from windlass.apps.pipelines.model import Run

VOLUME = "kfp-workspace"


def workspace_claim_name(run: Run) -> str:
    return f"{run.resource_name}-kfp-workspace"


def add_workspace(context: TaskContext, volumes: Volumes) -> None:
    """Mount the workspace where the task uses it. Raises ValueError if the pipeline has none."""
    if uses_workspace(context):
        source = {"persistentVolumeClaim": {"claimName": workspace_claim_name(context.run)}}
        volumes.add(VOLUME, source, WORKSPACE_PATH, "workspace")


def uses_workspace(context: TaskContext) -> bool:
    """Whether the task mounts the workspace. Raises ValueError if it needs one and the pipeline has none."""
    container = section(context.executor, "container")
    artifacts = [artifact for many in context.artifacts.values() for artifact in many]
    needed = _mentions([container.get("command"), container.get("args")], WORKSPACE) or any(
        artifact.metadata.get(WORKSPACE_METADATA) is True for artifact in artifacts
    )
    if "workspace" in context.pipeline_config:
        defaults = [
            one.get("defaultValue") for one in section(context.component, "inputDefinitions", "parameters").values()
        ]
        values = [list(context.parameters.values()), defaults]
        return needed or _mentions(values, WORKSPACE_PATH) or _mentions(values, WORKSPACE)
    if needed:
        raise ValueError("pipelineConfig.workspace: the task uses the workspace, and the pipeline declares none")
    return False


def _mentions(value: Any, what: str) -> bool:
    if isinstance(value, str):
        return what in value
    if isinstance(value, dict):
        return any(_mentions(item, what) for item in cast(Json, value).values())
    return isinstance(value, list) and any(_mentions(item, what) for item in cast(list[Any], value))
