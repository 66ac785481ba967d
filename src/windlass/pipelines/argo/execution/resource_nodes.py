"""Nodes that act on a Kubernetes object, and wait until its conditions hold."""

from datetime import timedelta

from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.pipelines.argo.execution.inputs import Inputs
from windlass.pipelines.argo.execution.turn import Call, Turn
from windlass.pipelines.argo.language.values import text_of
from windlass.pipelines.argo.nodes import ERROR, FAILED, PENDING, RUNNING, SUCCEEDED
from windlass.pipelines.argo.resources import BadResource, action_of, condition_holds, filtered_value, output_value

POLL_INTERVAL = timedelta(seconds=2)


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
            return turn.change(node, phase=RUNNING)
    return turn.finish(node, SUCCEEDED, outputs=_outputs(template, obj))


def _outputs(template: Object, obj: Object | None) -> Object:
    values: list[Object] = []
    for item in dig_list(template, "outputs", "parameters"):
        path, jq = dig(item, "valueFrom", "jsonPath"), dig(item, "valueFrom", "jqFilter")
        if path is not None or jq is not None:
            value = ""
            if obj is not None:
                value = output_value(str(path), obj) if path is not None else filtered_value(str(jq), obj)
            default = dig(item, "valueFrom", "default")
            values.append({**item, "value": text_of(default) if not value and default is not None else value})
        elif item.get("value") is not None:
            values.append({**item, "value": text_of(item["value"])})
    return {"parameters": values} if values else {}
