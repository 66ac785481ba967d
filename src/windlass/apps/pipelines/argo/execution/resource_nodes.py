"""Nodes that act on a Kubernetes object, and wait until its conditions hold."""

from datetime import timedelta

from windlass.apps.pipelines.argo.execution.turn import Call, Turn
from windlass.apps.pipelines.argo.inputs import Inputs
from windlass.apps.pipelines.argo.language.values import text_of
from windlass.apps.pipelines.argo.nodes import ERROR, FAILED, PENDING, RUNNING, SUCCEEDED
from windlass.apps.pipelines.argo.resources import (
    BadResource,
    action_of,
    as_if_bound,
    condition_holds,
    filtered_value,
    is_unbound_claim,
    output_value,
)
from windlass.apps.pipelines.argo.times import moment
from windlass.kube.json import Object, dig, dig_list, dig_object

POLL_INTERVAL = timedelta(seconds=2)
BINDING_INTERVAL = timedelta(milliseconds=500)
BINDING_WAIT = timedelta(seconds=5)
"""How long a claim may take to be bound. One that waits for its first consumer would be waited for for ever."""
MISSING = ("", "null")
"""The outputs of a JSONPath and of a filter of jq that find nothing."""
BINDING = "waiting for the claim to be bound"


def run_resource(turn: Turn, call: Call, template: Object, inputs: Inputs) -> Object | None:
    """Advance the node; `template` has its tags replaced."""
    node, resource = turn.node(call.name), dig_object(template, "resource")
    if node is None:
        if not turn.may_start(call, is_pod=True):
            return None
        node = turn.add(call, "Pod", PENDING, inputs=inputs.record)
    if turn.is_stopped(call):
        return turn.finish(node, FAILED, turn.stop_message)
    if call.deadline is not None and turn.now >= call.deadline:
        return turn.finish(node, FAILED, "Step exceeded its deadline")
    answer = turn.observation.resources.get(node["id"])
    try:
        if answer is None:
            is_started = node["phase"] == RUNNING
            turn.actions.append(
                action_of(resource, turn.owner(), node["id"], namespace=turn.namespace, is_started=is_started)
            )
            return node
        if answer.error:
            return turn.finish(node, ERROR, answer.error)
        if answer.is_pending:
            turn.wake(turn.now + POLL_INTERVAL)
            return turn.change(node, phase=RUNNING)
        return _judge(turn, node, template, resource, answer.obj)
    except BadResource as error:
        return turn.finish(node, ERROR, str(error))


def _judge(turn: Turn, node: Object, template: Object, resource: Object, obj: Object | None) -> Object:
    """End the node if a condition holds. The condition of failure counts first."""
    failure, success = str(resource.get("failureCondition") or ""), str(resource.get("successCondition") or "")
    if obj is not None and (failure or success):
        if failure and condition_holds(failure, obj):
            return turn.finish(node, FAILED, f"failure condition '{failure}' evaluated true")
        if not success or not condition_holds(success, obj):
            turn.wake(turn.now + POLL_INTERVAL)
            return turn.change(node, phase=RUNNING, message=f"waiting for the condition '{success or failure}'")
    elif obj is not None and _is_awaited(turn, node, template, obj):
        turn.wake(turn.now + BINDING_INTERVAL)
        return turn.change(node, phase=RUNNING, message=BINDING)
    return turn.finish(node, SUCCEEDED, outputs=_outputs(template, obj))


def _is_awaited(turn: Turn, node: Object, template: Object, obj: Object) -> bool:
    """Whether the object is a claim that may be bound soon, and the Workflow uses what only a bound claim has."""
    if not is_unbound_claim(obj) or turn.now >= moment(node["startedAt"]) + BINDING_WAIT:
        return False
    return any(
        item.get("value") in MISSING and turn.mentions(f".outputs.parameters.{item['name']}")
        for item in dig_list(_outputs(template, obj, expects_binding=False), "parameters")
    )


def _outputs(template: Object, obj: Object | None, *, expects_binding: bool = True) -> Object:
    """Output parameters. A claim that is not bound yet counts as having the capacity that it asks for."""
    values: list[Object] = []
    expected = as_if_bound(obj) if obj is not None and expects_binding else obj
    for item in dig_list(template, "outputs", "parameters"):
        path, jq = dig(item, "valueFrom", "jsonPath"), dig(item, "valueFrom", "jqFilter")
        if path is not None or jq is not None:
            value = ""
            if obj is not None:
                value = _value(path, jq, obj)
                value = value if value not in MISSING or expected is None else _value(path, jq, expected)
            default = dig(item, "valueFrom", "default")
            values.append({**item, "value": text_of(default) if not value and default is not None else value})
        elif item.get("value") is not None:
            values.append({**item, "value": text_of(item["value"])})
    return {"parameters": values} if values else {}


def _value(path: object, jq: object, obj: Object) -> str:
    return output_value(str(path), obj) if path is not None else filtered_value(str(jq), obj)
