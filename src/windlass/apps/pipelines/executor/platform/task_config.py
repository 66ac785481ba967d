"""What a pod is given by its component and platform spec, and which of it goes into the TASK_CONFIG input instead.

A component may pass settings on to what it starts, such as a training job: `taskConfigPassthroughs` lists the fields
that its TASK_CONFIG input has; they apply to the component's own pod only with `applyToTask`.
"""

from dataclasses import dataclass, replace

from windlass.apps.pipelines.executor.context import Json, TaskContext
from windlass.apps.pipelines.executor.placeholders import Scope
from windlass.apps.pipelines.executor.platform.environment import task_variables
from windlass.apps.pipelines.executor.platform.fields import items
from windlass.apps.pipelines.executor.platform.placement import affinity, node_selector, tolerations
from windlass.apps.pipelines.executor.platform.resources import resources
from windlass.apps.pipelines.executor.platform.volumes import Volumes, task_volumes
from windlass.apps.pipelines.executor.platform.workspace import add_workspace

FIELDS = {
    "RESOURCES": "resources",
    "ENV": "env",
    "KUBERNETES_AFFINITY": "affinity",
    "KUBERNETES_TOLERATIONS": "tolerations",
    "KUBERNETES_NODE_SELECTOR": "node_selector",
    "KUBERNETES_VOLUMES": "volumes",
}


@dataclass(frozen=True, kw_only=True)
class PodSettings:
    """Settings of a pod that a component may pass on."""

    resources: Json
    env: list[Json]
    affinity: Json
    tolerations: list[Json]
    node_selector: dict[str, str]
    volumes: Volumes


def pod_settings(context: TaskContext, scope: Scope) -> PodSettings:
    """Return what component and platform spec ask for. Raises ValueError with the field."""
    return PodSettings(
        resources=resources(context, scope),
        env=task_variables(context),
        affinity=affinity(context),
        tolerations=tolerations(context),
        node_selector=node_selector(context),
        volumes=_volumes(context),
    )


def _volumes(context: TaskContext) -> Volumes:
    volumes = Volumes()
    add_workspace(context, volumes)
    volumes.extend(task_volumes(context), "platform spec")
    return volumes


def own_settings(context: TaskContext, scope: Scope) -> PodSettings:
    """Return what applies to the task's own pod."""
    settings = pod_settings(context, scope)
    nothing = PodSettings(resources={}, env=[], affinity={}, tolerations=[], node_selector={}, volumes=Volumes())
    passed = [FIELDS[name] for name, applies in _passthroughs(context).items() if not applies]
    return replace(settings, **{name: getattr(nothing, name) for name in passed})


def task_config(context: TaskContext, scope: Scope) -> Json:
    """Return the value of the TASK_CONFIG input."""
    settings = pod_settings(context, scope)
    config: Json = {}
    for name in _passthroughs(context):
        if name == "KUBERNETES_VOLUMES":
            config |= {"volumes": settings.volumes.volumes, "volumeMounts": settings.volumes.mounts}
        elif name == "KUBERNETES_NODE_SELECTOR":
            config["nodeSelector"] = settings.node_selector
        else:
            config[FIELDS[name]] = getattr(settings, FIELDS[name])
    return {key: value for key, value in config.items() if value}


def _passthroughs(context: TaskContext) -> dict[str, bool]:
    """Return the fields that are passed on, each with whether it applies to the task's own pod too."""
    applied: dict[str, bool] = {}
    for where, item in items(context.component, "taskConfigPassthroughs"):
        name = str(item.get("field") or "")
        if name not in FIELDS:
            raise ValueError(f"{where}.field: {name!r} is none of {', '.join(FIELDS)}")
        applied[name] = item.get("applyToTask") is True
    return applied
