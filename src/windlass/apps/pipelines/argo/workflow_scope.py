"""Values of a Workflow that all its templates may refer to: `workflow.name`, `workflow.parameters.x` and others."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from windlass.apps.pipelines.argo.config_maps import ConfigMaps
from windlass.apps.pipelines.argo.inputs import content_of, referenced_value
from windlass.apps.pipelines.argo.language.scope import Scope
from windlass.apps.pipelines.argo.language.values import text_of
from windlass.apps.pipelines.argo.times import moment
from windlass.apps.pipelines.names import RUN_ID_LABEL
from windlass.kube.json import Object, dig, dig_list, dig_object, timestamp

OF_NODE = ("globalName", "path", "valueFrom")
"""Fields of an output of a node that say nothing of the same output of its Workflow."""


def workflow_scope(workflow: Object, spec: Object, config_maps: ConfigMaps, now: datetime) -> Scope:
    """In a run of Kubeflow, `workflow.uid` is the id of the run. Raises Awaited and BadConfigMap."""
    metadata = dig_object(workflow, "metadata")
    created = moment(metadata.get("creationTimestamp"))
    started = moment(dig(workflow, "status", "startedAt") or timestamp(now))
    values: dict[str, Any] = {
        "workflow.name": metadata.get("name", ""),
        "workflow.namespace": metadata.get("namespace", ""),
        "workflow.uid": dig(metadata, "labels", RUN_ID_LABEL) or metadata.get("uid", ""),
        "workflow.serviceAccountName": spec.get("serviceAccountName") or "default",
        "workflow.mainEntrypoint": spec.get("entrypoint", ""),
        "workflow.duration": f"{max((now - started).total_seconds(), 0):.6f}",
        "workflow.creationTimestamp": timestamp(created),
        "workflow.creationTimestamp.RFC3339": timestamp(created),
        "workflow.creationTimestamp.s": str(int(created.timestamp())),
    }
    values |= {f"workflow.creationTimestamp.{letter}": created.strftime(f"%{letter}") for letter in "YymdHMSAaBbjIpc"}
    for group in ("labels", "annotations"):
        values |= {f"workflow.{group}.{name}": value for name, value in dig_object(metadata, group).items()}
    parameters = workflow_parameters(spec, config_maps)
    values |= {f"workflow.parameters.{name}": value for name, value in parameters.items()}
    values["workflow.parameters"] = text_of([{"name": name, "value": value} for name, value in parameters.items()])
    artifacts: dict[str, Object] = {}
    for node in dig_object(workflow, "status", "nodes").values():
        exported = global_outputs(node)
        values |= exported.values
        artifacts |= exported.artifacts
    for item in dig_list(spec, "arguments", "artifacts"):
        content = content_of(item, Scope())
        if content is not None:
            artifacts[f"workflow.artifacts.{item['name']}"] = content
            values[f"workflow.artifacts.{item['name']}"] = f"{{{{workflow.artifacts.{item['name']}}}}}"
    return Scope(values, artifacts)


def global_outputs(node: Object) -> Scope:
    """Outputs of a node that have a name for the whole Workflow."""
    values: dict[str, Any] = {}
    artifacts: dict[str, Object] = {}
    for item in dig_list(node, "outputs", "parameters"):
        if item.get("globalName") and "value" in item:
            values[f"workflow.outputs.parameters.{item['globalName']}"] = item["value"]
    for item in dig_list(node, "outputs", "artifacts"):
        if item.get("globalName"):
            name = f"workflow.outputs.artifacts.{item['globalName']}"
            artifacts[name], values[name] = item, f"{{{{{name}}}}}"
    return Scope(values, artifacts)


def workflow_outputs(root: Object, nodes: Iterable[Object]) -> Object:
    """Outputs of a Workflow: those of its first node, and those of any node with a name for the whole Workflow."""
    outputs = dict(dig_object(root, "outputs"))
    for group in ("parameters", "artifacts"):
        exported = {
            str(item["globalName"]): {key: item[key] for key in item if key not in OF_NODE}
            | {"name": item["globalName"]}
            for node in nodes
            for item in dig_list(node, "outputs", group)
            if item.get("globalName") and (group == "artifacts" or "value" in item)
        }
        listed = [item for item in dig_list(outputs, group) if item.get("name") not in exported]
        if exported:
            outputs[group] = [*listed, *exported.values()]
    return outputs


def workflow_parameters(spec: Object, config_maps: ConfigMaps) -> dict[str, str]:
    """Arguments of the Workflow, by name. Raises Awaited and BadConfigMap."""
    return {
        str(item["name"]): text_of(_argument(item, config_maps)) for item in dig_list(spec, "arguments", "parameters")
    }


def _argument(item: Object, config_maps: ConfigMaps) -> Any:
    if item.get("value") is not None:
        return item["value"]
    value = referenced_value(item, config_maps)
    return value if value is not None else item.get("default")
