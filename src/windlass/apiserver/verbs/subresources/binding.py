"""Binding of a pod to a node, once: POST of a Binding to a pod or to its namespace, and the parts that gangs share."""

from typing import Any

from windlass.apiserver.api import Api
from windlass.apiserver.call import Call, Path
from windlass.apiserver.connection import Response
from windlass.apiserver.verbs import write
from windlass.apiserver.verbs.answers import succeeded
from windlass.apiserver.verbs.subresources.admitted import admit, read_plain
from windlass.apiserver.verbs.update import Change, rewrite
from windlass.kube.errors import BadRequest, Cause, Conflict, Invalid, required
from windlass.kube.json import Object, dig, dig_list, dig_object


async def bind_by_body(api: Api, call: Call) -> Response:
    """Handle POST of a Binding to the namespace: the body names the pod."""
    name = dig(read_plain(call), "metadata", "name")
    if not isinstance(name, str) or not name:
        raise BadRequest("metadata.name must name the pod to bind")
    return await bind(api, binding_call(api, call, name))


async def bind(api: Api, call: Call) -> Response:
    """Handle POST of a Binding to the pod."""
    body = await admit(api, call, read_plain(call), "v1", "Binding")
    response = await rewrite(api, call, bound(call, body))
    return response if call.dry_run else succeeded(call)


def binding_call(api: Api, call: Call, name: str) -> Call:
    """The call that would bind the named pod by itself, from the same user and request."""
    pods = api.registry.find("", "v1", "pods")
    assert pods is not None
    path = Path("", "v1", "pods", call.path.namespace, name, "binding")
    return Call(call.request, call.user, "create", path, pods, call.query, call.warnings)


def bound(call: Call, binding: Object) -> Change:
    """Return the change to its pod that an admitted Binding makes; the change raises if the pod cannot be bound."""
    target, metadata = dig_object(binding, "target"), dig_object(binding, "metadata")
    node = target.get("name")
    if not isinstance(node, str) or not node:
        raise Invalid.of("Binding", "", call.path.name, [required("target.name")])
    if target.get("kind") not in (None, "", "Node"):
        cause = Cause("target.kind", f'Unsupported value: "{target["kind"]}": supported values: "Node", "<empty>"')
        raise Invalid.of("Binding", "", call.path.name, [cause])
    annotations = dig_object(metadata, "annotations")

    def change(pod: Object) -> Object:
        _check_bindable(call, pod, metadata)
        pod["spec"]["nodeName"] = node
        if annotations:
            pod["metadata"].setdefault("annotations", {}).update(annotations)
        _set_condition(pod, {"type": "PodScheduled", "status": "True", "lastTransitionTime": write.now()})
        pod["status"].pop("nominatedNodeName", None)
        return pod

    return change


def _check_bindable(call: Call, pod: Object, wanted: Object) -> None:
    name, found = call.path.name, pod["metadata"]
    if wanted.get("uid") and wanted["uid"] != found["uid"]:
        raise write.conflict(call, f"uid {wanted['uid']} does not match that of the pod")
    if wanted.get("resourceVersion") and wanted["resourceVersion"] != found["resourceVersion"]:
        raise write.conflict(call)
    why = ""
    if found.get("deletionTimestamp"):
        why = f"pod {name} is being deleted, cannot be assigned to a host"
    elif dig(pod, "spec", "nodeName"):
        why = f'pod {name} is already assigned to node "{pod["spec"]["nodeName"]}"'
    elif dig_list(pod, "spec", "schedulingGates"):
        why = f"pod {name} has non-empty .spec.schedulingGates"
    if why:
        raise Conflict(f'Operation cannot be fulfilled on pods/binding "{name}": {why}', kind="pods/binding", name=name)


def _set_condition(pod: Object, condition: Object) -> None:
    conditions: list[Any] = pod.setdefault("status", {}).setdefault("conditions", [])
    conditions[:] = [c for c in conditions if c.get("type") != condition["type"]] + [condition]
