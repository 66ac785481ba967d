"""What the verbs of Argo Server change of a Workflow, as merge patches, and the Workflows that they create. Pure."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from windlass.apis.argoproj_v1alpha1 import GROUP_VERSION
from windlass.apis.pipelines.names import RETRIES_ANNOTATION
from windlass.kube.errors import BadRequest
from windlass.kube.json import Object, decode, dig, dig_list, dig_object, is_object

RESUBMITTED_LABEL = "workflows.argoproj.io/resubmitted-from-workflow"
TEMPLATE_LABELS: Mapping[str, str] = {
    "WorkflowTemplate": "workflows.argoproj.io/workflow-template",
    "ClusterWorkflowTemplate": "workflows.argoproj.io/cluster-workflow-template",
    "CronWorkflow": "workflows.argoproj.io/cron-workflow",
}
FAILED, SUCCEEDED = ("Failed", "Error"), "Succeeded"
SELECTED_FIELDS = ("id", "name", "displayName", "templateName", "phase")


def suspended(workflow: Object, body: Object) -> Object:
    del workflow, body
    return {"spec": {"suspend": True}}


def resumed(workflow: Object, body: Object) -> Object:
    """Continue a suspended Workflow, and end the pauses that the selector names; without one, all of them."""
    return {"spec": {"suspend": None}, **_ended_pauses(workflow, str(body.get("nodeFieldSelector") or ""), SUCCEEDED)}


def stopped(workflow: Object, body: Object) -> Object:
    """Stop the Workflow; with a selector, fail the pauses that it names."""
    selector = str(body.get("nodeFieldSelector") or "")
    if not selector:
        return {"spec": {"shutdown": "Stop"}}
    return _ended_pauses(workflow, selector, "Failed", str(body.get("message") or ""))


def terminated(workflow: Object, body: Object) -> Object:
    del workflow, body
    return {"spec": {"shutdown": "Terminate"}}


def retried(workflow: Object, body: Object) -> Object:
    """Run again what has failed. Raises BadRequest of a Workflow that has not."""
    del body
    phase = dig(workflow, "status", "phase")
    if phase not in FAILED:
        raise BadRequest(f"workflow must be Failed/Error to retry, it is {phase or 'Pending'}")
    count = str(dig(workflow, "metadata", "annotations", RETRIES_ANNOTATION) or "0")
    annotations = {RETRIES_ANNOTATION: str(int(count) + 1 if count.isdecimal() else 1)}
    return {"metadata": {"annotations": annotations}, "spec": {"shutdown": None}}


def changed_nodes(workflow: Object, body: Object) -> Object:
    """Give outputs, a phase or a message to pauses. Raises BadRequest."""
    selector = str(body.get("nodeFieldSelector") or "")
    if not selector:
        raise BadRequest("nodeFieldSelector is required")
    values = _values(body.get("outputParameters"))
    nodes: Object = {}
    for node in _pauses(workflow, selector):
        change: Object = {name: body[name] for name in ("phase", "message") if body.get(name)}
        if values:
            parameters = dig_list(node, "outputs", "parameters")
            given = [
                {**parameter, "value": values[parameter["name"]]} if parameter.get("name") in values else parameter
                for parameter in parameters
            ]
            unknown = sorted(set(values) - {str(parameter.get("name")) for parameter in parameters})
            if unknown:
                raise BadRequest(f"the node {node.get('displayName')} has no output parameter {', '.join(unknown)}")
            change["outputs"] = {"parameters": given}
        nodes[str(node["id"])] = change
    return {"status": {"nodes": nodes}}


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
        found: Any = decode(given) if isinstance(given, str) and given else Object()
    except ValueError:
        found = None
    if not is_object(found):
        raise BadRequest("outputParameters must be the text of a JSON object")
    return {str(name): value if isinstance(value, str) else str(value) for name, value in found.items()}


def _ended_pauses(workflow: Object, selector: str, phase: str, message: str = "") -> Object:
    change: Object = {"phase": phase, **({"message": message} if message else {})}
    nodes = {str(node["id"]): change for node in _pauses(workflow, selector)}
    if selector and not nodes:
        raise BadRequest(f"no suspended node matches {selector!r}")
    return {"status": {"nodes": nodes}} if nodes else {}


def _pauses(workflow: Object, selector: str) -> Iterator[Object]:
    wanted = dict(_requirements(selector))
    for node in dig_object(workflow, "status", "nodes").values():
        is_pause = dig(node, "type") == "Suspend" and dig(node, "phase") == "Running"
        if is_pause and all(str(dig(node, name)) == value for name, value in wanted.items()):
            yield node


def _requirements(selector: str) -> Iterator[tuple[str, str]]:
    for part in selector.split(",") if selector else ():
        name, _, value = part.partition("=")
        if name.strip() not in SELECTED_FIELDS:
            raise BadRequest(f"nodeFieldSelector: {name!r} is none of {', '.join(SELECTED_FIELDS)}")
        yield name.strip(), value.lstrip("=").strip()


def resubmitted(workflow: Object, body: Object) -> Object:
    """A new Workflow with the same spec."""
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
        "spec": _with_parameters(spec, dig_list(body, "parameters")),
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
    if options.get("annotations"):
        metadata["annotations"] = _pairs(options, "annotations")
    if options.get("name"):
        metadata["name"] = str(options["name"])
    else:
        metadata["generateName"] = str(options.get("generateName") or f"{name}-")
    spec = _with_parameters(spec, dig_list(options, "parameters"))
    for option, field in (("entryPoint", "entrypoint"), ("serviceAccount", "serviceAccountName")):
        if options.get(option):
            spec[field] = options[option]
    return {"apiVersion": GROUP_VERSION, "kind": "Workflow", "metadata": metadata, "spec": spec}


def _pairs(options: Object, name: str) -> dict[str, str]:
    """`a=b,c=d` as a mapping."""
    text = str(options.get(name) or "")
    return {key: value for key, _, value in (part.partition("=") for part in text.split(",") if part)}


def _with_parameters(spec: Object, parameters: list[object]) -> Object:
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
