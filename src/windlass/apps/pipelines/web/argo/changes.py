"""What the verbs of Argo Server change of a Workflow, as merge patches, and the Workflows that they create. Pure."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from windlass.apps.pipelines.kinds.argo import GROUP_VERSION
from windlass.apps.pipelines.names import RETRIES_ANNOTATION
from windlass.kube.errors import BadRequest
from windlass.kube.json import Object, dig, dig_list, dig_object, encode, is_list, is_object, parse

RESUBMITTED_LABEL = "workflows.argoproj.io/resubmitted-from-workflow"
TEMPLATE_LABELS: Mapping[str, str] = {
    "WorkflowTemplate": "workflows.argoproj.io/workflow-template",
    "ClusterWorkflowTemplate": "workflows.argoproj.io/cluster-workflow-template",
    "CronWorkflow": "workflows.argoproj.io/cron-workflow",
}
FAILED, SUCCEEDED = ("Failed", "Error"), "Succeeded"
SUBMITTED_FIELDS: Mapping[str, str] = {
    "entryPoint": "entrypoint",
    "serviceAccount": "serviceAccountName",
    "podPriorityClassName": "podPriorityClassName",
    "priority": "priority",
}
"""Options of a submission, and the fields of the Workflow's spec that they set."""
SET_PHASES = (SUCCEEDED, *FAILED, "Skipped")
"""Phases that a user may give a pause."""
SELECTED_FIELDS = ("id", "name", "displayName", "templateName", "phase")


def text_field(body: Object, name: str) -> str:
    """A text of a request's body; empty if it is not given. Raises BadRequest."""
    value = body.get(name)
    if value is not None and not isinstance(value, str):
        raise BadRequest(f"{name}: must be a string")
    return value or ""


def list_field(body: Object, name: str) -> list[Any]:
    """A list of a request's body; empty if it is not given. Raises BadRequest."""
    value = body.get(name)
    if value is not None and not is_list(value):
        raise BadRequest(f"{name}: must be a list")
    return value or []


def _refuse(body: Object, *names: str) -> None:
    """Refuse options that would otherwise have no effect. Raises BadRequest."""
    for name in names:
        if body.get(name):
            raise BadRequest(f"{name}: is not supported")


def suspended(workflow: Object, body: Object) -> Object:
    del workflow, body
    return {"spec": {"suspend": True}}


def resumed(workflow: Object, body: Object) -> Object:
    """Continue a suspended Workflow, and end the pauses that the selector names; without one, all of them."""
    return {"spec": {"suspend": None}, **_ended_pauses(workflow, text_field(body, "nodeFieldSelector"), SUCCEEDED)}


def stopped(workflow: Object, body: Object) -> Object:
    """Stop the Workflow; with a selector, fail the pauses that it names."""
    selector = text_field(body, "nodeFieldSelector")
    if not selector:
        return {"spec": {"shutdown": "Stop"}}
    return _ended_pauses(workflow, selector, "Failed", text_field(body, "message"))


def terminated(workflow: Object, body: Object) -> Object:
    del workflow, body
    return {"spec": {"shutdown": "Terminate"}}


def retried(workflow: Object, body: Object) -> Object:
    """Run again what has failed, perhaps with other parameters. Raises BadRequest of a Workflow that has not failed."""
    _refuse(body, "restartSuccessful", "nodeFieldSelector")
    phase = dig(workflow, "status", "phase")
    if phase not in FAILED:
        raise BadRequest(f"workflow must be Failed/Error to retry, it is {phase or 'Pending'}")
    count = str(dig(workflow, "metadata", "annotations", RETRIES_ANNOTATION) or "0")
    annotations = {RETRIES_ANNOTATION: str(int(count) + 1 if count.isdecimal() else 1)}
    spec: Object = {"shutdown": None}
    if parameters := list_field(body, "parameters"):
        spec["arguments"] = _with_parameters(dig_object(workflow, "spec"), parameters)["arguments"]
    return {"metadata": {"annotations": annotations}, "spec": spec}


def changed_nodes(workflow: Object, body: Object) -> Object:
    """Give outputs, a phase or a message to pauses. Raises BadRequest."""
    selector, phase = text_field(body, "nodeFieldSelector"), text_field(body, "phase")
    if not selector:
        raise BadRequest("nodeFieldSelector is required")
    if phase and phase not in SET_PHASES:
        raise BadRequest(f"phase: {phase!r} is none of {', '.join(SET_PHASES)}")
    given: Object = {"phase": phase, "message": text_field(body, "message")}
    change: Object = {name: value for name, value in given.items() if value}
    values = _values(body.get("outputParameters"))
    nodes: Object = {
        id: {**change, **({"outputs": {"parameters": _supplied(node, values)}} if values else {})}
        for id, node in _pauses(workflow, selector)
    }
    if not nodes:
        raise BadRequest(f"no suspended node matches {selector!r}")
    return {"status": {"nodes": nodes}}


def _supplied(node: Object, values: Mapping[str, str]) -> list[Object]:
    """Output parameters of a pause with the values that a user gives. Raises BadRequest."""
    parameters = [parameter for parameter in dig_list(node, "outputs", "parameters") if is_object(parameter)]
    unknown = sorted(set(values) - {str(parameter.get("name")) for parameter in parameters})
    if unknown:
        raise BadRequest(f"outputParameters: the node {node.get('displayName')} has no parameter {', '.join(unknown)}")
    return [
        {**parameter, "value": values[parameter["name"]]} if parameter.get("name") in values else parameter
        for parameter in parameters
    ]


VERBS: Mapping[str, Callable[[Object, Object], Object]] = {
    "suspend": suspended,
    "resume": resumed,
    "stop": stopped,
    "terminate": terminated,
    "retry": retried,
    "set": changed_nodes,
}


def _values(given: object) -> dict[str, str]:
    """Output parameters as Argo's clients send them: the text of a JSON object."""
    try:
        found: Any = parse(given) if isinstance(given, str) and given else Object()
    except ValueError:
        found = None
    if not is_object(found):
        raise BadRequest("outputParameters must be the text of a JSON object")
    return {str(name): value if isinstance(value, str) else encode(value).decode() for name, value in found.items()}


def _ended_pauses(workflow: Object, selector: str, phase: str, message: str = "") -> Object:
    change: Object = {"phase": phase, **({"message": message} if message else {})}
    nodes = {id: change for id, _ in _pauses(workflow, selector)}
    if selector and not nodes:
        raise BadRequest(f"no suspended node matches {selector!r}")
    return {"status": {"nodes": nodes}} if nodes else {}


def _pauses(workflow: Object, selector: str) -> Iterator[tuple[str, Object]]:
    """Nodes that wait for a user, by their id."""
    wanted = dict(_requirements(selector))
    for id, node in dig_object(workflow, "status", "nodes").items():
        is_pause = dig(node, "type") == "Suspend" and dig(node, "phase") == "Running"
        if is_pause and all(str(dig(node, name)) == value for name, value in wanted.items()):
            yield id, node


def _requirements(selector: str) -> Iterator[tuple[str, str]]:
    for part in selector.split(",") if selector else ():
        name, _, value = part.partition("=")
        if name.strip() not in SELECTED_FIELDS:
            raise BadRequest(f"nodeFieldSelector: {name!r} is none of {', '.join(SELECTED_FIELDS)}")
        yield name.strip(), value.lstrip("=").strip()


def resubmitted(workflow: Object, body: Object) -> Object:
    """A new Workflow with the same spec. Raises BadRequest."""
    _refuse(body, "memoized")
    metadata = dig_object(workflow, "metadata")
    name = str(metadata.get("name") or "")
    labels = {
        key: value for key, value in dig_object(metadata, "labels").items() if "workflows.argoproj.io/" not in key
    }
    spec = {key: value for key, value in dig_object(workflow, "spec").items() if key not in ("shutdown", "suspend")}
    return {
        "apiVersion": GROUP_VERSION,
        "kind": "Workflow",
        "metadata": {
            "namespace": metadata.get("namespace"),
            "generateName": metadata.get("generateName") or f"{name}-",
            "labels": {**labels, RESUBMITTED_LABEL: name},
            "annotations": {
                key: value for key, value in dig_object(metadata, "annotations").items() if key != RETRIES_ANNOTATION
            },
        },
        "spec": _with_parameters(spec, list_field(body, "parameters")),
    }


def submitted(kind: str, source: Object, options: Object, namespace: str) -> Object:
    """The Workflow of a WorkflowTemplate, ClusterWorkflowTemplate or CronWorkflow. Raises BadRequest."""
    name = str(dig(source, "metadata", "name") or "")
    if kind == "CronWorkflow":
        spec = dig_object(source, "spec", "workflowSpec")
    else:
        reference: Object = {"name": name, **({"clusterScope": True} if kind == "ClusterWorkflowTemplate" else {})}
        spec = {"workflowTemplateRef": reference}
    metadata: Object = {"namespace": namespace, "labels": {TEMPLATE_LABELS[kind]: name, **_pairs(options, "labels")}}
    if annotations := _pairs(options, "annotations"):
        metadata["annotations"] = annotations
    if own_name := text_field(options, "name"):
        metadata["name"] = own_name
    else:
        metadata["generateName"] = text_field(options, "generateName") or f"{name}-"
    if options.get("ownerReference") is not None:
        metadata["ownerReferences"] = [options["ownerReference"]]
    spec = _with_parameters(spec, list_field(options, "parameters"))
    for option, field in SUBMITTED_FIELDS.items():
        if options.get(option):
            spec[field] = options[option]
    return {"apiVersion": GROUP_VERSION, "kind": "Workflow", "metadata": metadata, "spec": spec}


def _pairs(options: Object, name: str) -> dict[str, str]:
    """`a=b,c=d` as a mapping. Raises BadRequest."""
    parts = [part.partition("=") for part in text_field(options, name).split(",") if part]
    for key, separator, _ in parts:
        if not key or not separator:
            raise BadRequest(f"{name}: {key!r} is not name=value")
    return {key: value for key, _, value in parts}


def _with_parameters(spec: Object, parameters: list[Any]) -> Object:
    """The spec with values for its arguments, given as `name=value`. Raises BadRequest."""
    if not parameters:
        return dict(spec)
    values: dict[str, str] = {}
    for parameter in parameters:
        name, separator, value = str(parameter).partition("=")
        if not separator:
            raise BadRequest(f"parameters: {parameter!r} is not name=value")
        values[name] = value
    declared = [item for item in dig_list(spec, "arguments", "parameters") if dig(item, "name") not in values]
    given: list[Object] = [{"name": name, "value": value} for name, value in values.items()]
    return {**spec, "arguments": {**dig_object(spec, "arguments"), "parameters": [*declared, *given]}}
