"""What later nodes may refer to of a node: its outputs, its status, and those of all iterations together."""

from collections.abc import Iterable
from typing import Any

from windlass.apps.pipelines.argo.language.scope import Scope
from windlass.apps.pipelines.argo.nodes import OMITTED, SKIPPED, SUCCEEDED
from windlass.kube.json import Object, dig, dig_list, dig_object, encode, parse


def result_scope(prefix: str, node: Object) -> Scope:
    """Values under a prefix such as `tasks.train`. Outputs of a node that did not run are empty."""
    outputs = dig_object(node, "outputs")
    values: dict[str, Any] = {
        f"{prefix}.id": node["id"],
        f"{prefix}.status": node["phase"],
        f"{prefix}.startedAt": node.get("startedAt", ""),
        f"{prefix}.finishedAt": node.get("finishedAt", ""),
        f"{prefix}.hostNodeName": node.get("hostNodeName", ""),
    }
    if node.get("podIP"):
        values[f"{prefix}.ip"] = node["podIP"]
    if "exitCode" in outputs:
        values[f"{prefix}.exitCode"] = outputs["exitCode"]
    if outputs.get("result") is not None:
        values[f"{prefix}.outputs.result"] = outputs["result"]
    for parameter in dig_list(outputs, "parameters"):
        if "value" in parameter:
            values[f"{prefix}.outputs.parameters.{parameter['name']}"] = parameter["value"]
    if outputs.get("allParameters") is not None:
        values[f"{prefix}.outputs.parameters"] = outputs["allParameters"]
    artifacts: dict[str, Object] = {}
    for artifact in dig_list(outputs, "artifacts"):
        name = f"{prefix}.outputs.artifacts.{artifact['name']}"
        artifacts[name] = artifact
        values[name] = f"{{{{{name}}}}}"  # an artifact is resolved where it is used
    is_empty = node["phase"] in (SKIPPED, OMITTED)
    return Scope(values, artifacts, (f"{prefix}.outputs.",) if is_empty else ())


def aggregated(children: Iterable[Object]) -> Object:
    """Outputs of a loop: of each parameter the JSON list of its values, in the order of the items."""
    parameters: dict[str, list[Any]] = {}
    everything: list[Object] = []
    results: list[Any] = []
    for child in children:
        if child["phase"] != SUCCEEDED:
            continue
        values = {item["name"]: item.get("value", "") for item in dig_list(child, "outputs", "parameters")}
        for name, value in values.items():
            parameters.setdefault(name, []).append(value)
        if values:
            everything.append(values)
        if (result := dig(child, "outputs", "result")) is not None:
            results.append(_item(str(result)))
    outputs: Object = {}
    if parameters:
        outputs["parameters"] = [{"name": n, "value": encode(v).decode()} for n, v in parameters.items()]
        outputs["allParameters"] = encode(everything).decode()
    if results:
        outputs["result"] = encode(results).decode()
    return outputs


def _item(text: str) -> Any:
    """A result that is JSON is an item of that type; any other is a string."""
    try:
        return parse(text)
    except ValueError:
        return text
