"""Executes templates: each call becomes a node, and is advanced as far as it can be."""

from dataclasses import replace
from datetime import timedelta

from windlass.apps.pipelines.argo.config_maps import Awaited
from windlass.apps.pipelines.argo.execution import retrying
from windlass.apps.pipelines.argo.execution.calls import Frame
from windlass.apps.pipelines.argo.execution.daemons import stop_daemons
from windlass.apps.pipelines.argo.execution.data_nodes import run_data
from windlass.apps.pipelines.argo.execution.graph import Graph
from windlass.apps.pipelines.argo.execution.locking import has_locks
from windlass.apps.pipelines.argo.execution.memoizing import remember, remembered
from windlass.apps.pipelines.argo.execution.pod_nodes import name_of_pod, run_pod
from windlass.apps.pipelines.argo.execution.resource_nodes import run_resource
from windlass.apps.pipelines.argo.execution.steps import StepsRun
from windlass.apps.pipelines.argo.execution.turn import MAX_DEPTH, Call, Turn
from windlass.apps.pipelines.argo.http_requests import as_script
from windlass.apps.pipelines.argo.inputs import BadInput, Inputs, content_of, resolve_inputs
from windlass.apps.pipelines.argo.language.expressions import ExpressionError, evaluate
from windlass.apps.pipelines.argo.language.scope import Scope, Unresolved
from windlass.apps.pipelines.argo.language.tags import TagError, substitute, substitute_text, tag_name
from windlass.apps.pipelines.argo.language.values import text_of
from windlass.apps.pipelines.argo.naming import node_id
from windlass.apps.pipelines.argo.nodes import ERROR, FAILED, FAILURES, RUNNING, SUCCEEDED, is_final
from windlass.apps.pipelines.argo.templates import LOCAL, NoTemplate, template_type
from windlass.apps.pipelines.argo.times import moment, seconds_of
from windlass.apps.pipelines.depends import BadDepends
from windlass.kube.json import Object, dig, dig_list, dig_object, timestamp
from windlass.kube.moments import moment_after

GROUPS = ("dag", "steps")
TYPES = {"dag": "DAG", "steps": "Steps", "suspend": "Suspend"}


def execute(turn: Turn, call: Call) -> Object | None:
    """Advance the node of a call. Returns the node; None if it may not start yet."""
    node = turn.node(call.name)
    if is_final(node):
        return node
    if call.depth > MAX_DEPTH:
        return _error(turn, call, node, f"templates call each other more than {MAX_DEPTH} levels deep")
    try:
        declared = substitute({"inputs": call.template.get("inputs") or {}}, turn.globals, allow_unresolved=True)
        inputs = resolve_inputs(declared, call.arguments, call.scope, turn.config_maps)
        scope = turn.globals.merged(inputs.scope)
        if call.attempt is None and not _may_proceed(turn, call, scope):
            return node
        if call.attempt is None and call.template.get("memoize"):
            return _memoized(turn, call, inputs, scope)
        return _run(turn, call, inputs, scope)
    except Awaited:
        return turn.node(call.name)
    except (BadInput, TagError, NoTemplate, BadDepends, ValueError) as error:
        return _error(turn, call, turn.node(call.name), str(error))


def _memoized(turn: Turn, call: Call, inputs: Inputs, scope: Scope) -> Object | None:
    """Run the node unless its outputs are known, and keep them for others when it succeeds."""
    kind = template_type(call.template)
    if turn.node(call.name) is None:
        if not turn.may_start(call, is_pod=kind not in GROUPS):
            return None
        if found := remembered(turn, call, scope, TYPES.get(kind, "Pod")):
            return found
    node = _run(turn, call, inputs, scope)
    if node is not None and is_final(node) and node["phase"] == SUCCEEDED:
        remember(turn, call, scope, node)
    return node


def _run(turn: Turn, call: Call, inputs: Inputs, scope: Scope) -> Object | None:
    if call.template.get("retryStrategy") and call.attempt is None:
        return _retry(turn, call, inputs, scope)
    return _by_type(turn, _with_deadline(turn, call, turn.node(call.name), scope), inputs, scope)


def _may_proceed(turn: Turn, call: Call, scope: Scope) -> bool:
    """Whether the node has its locks. One that could not start anyway does not ask for them."""
    synchronization = call.template.get("synchronization")
    if not synchronization or turn.is_stopped(call):
        return True
    if turn.node(call.name) is None and not turn.may_start(call, is_pod=template_type(call.template) not in GROUPS):
        return False
    return has_locks(turn, node_id(turn.name, call.name), substitute(synchronization, scope))


def _error(turn: Turn, call: Call, node: Object | None, message: str) -> Object:
    return turn.add(call, "Skipped", ERROR, message) if node is None else turn.finish(node, ERROR, message)


def _with_deadline(turn: Turn, call: Call, node: Object | None, scope: Scope) -> Call:
    timeout = call.template.get("timeout")
    if not timeout:
        return call
    started = moment(node.get("startedAt")) if node is not None else turn.now
    at = moment_after(started, seconds_of(substitute_text(str(timeout), scope)))
    return replace(call, deadline=at if call.deadline is None else min(at, call.deadline))


def _by_type(turn: Turn, call: Call, inputs: Inputs, scope: Scope) -> Object | None:
    kind = template_type(call.template)
    if kind in ("dag", "steps"):
        # Tags of the tasks are replaced when the tasks start.
        return _run_group(turn, call, inputs, scope, kind)
    local = scope.with_values(_local_values(turn, call, kind, scope))
    body = {name: value for name, value in call.template.items() if name not in ("inputs", "retryStrategy", "metadata")}
    template: Object = substitute(body, local)
    # Annotations may hold the text of a component, with tags that mean nothing here.
    template["metadata"] = substitute(dig_object(call.template, "metadata"), local, allow_unresolved=True)
    match kind:
        case "suspend":
            return _run_suspend(turn, call, template, inputs)
        case "resource":
            return run_resource(turn, call, template, inputs)
        case "http":
            return run_pod(turn, call, as_script(template), inputs)
        case "data":
            return run_data(turn, call, template, inputs)
        case _:
            return run_pod(turn, call, template, inputs)


def _local_values(turn: Turn, call: Call, kind: str, scope: Scope) -> dict[str, str]:
    """Values that only one node has."""
    values = {
        "pod.name": name_of_pod(turn, call) if kind not in ("resource", "suspend", "data") else "",
        "node.name": call.name,
        "retries": str(call.attempt or 0),
    }
    for group in ("parameters", "artifacts"):
        for item in dig_list(call.template, "outputs", group):
            path = item.get("path") if group == "artifacts" else dig(item, "valueFrom", "path")
            if path:
                values[f"outputs.{group}.{item['name']}.path"] = substitute_text(str(path), scope)
    return values


# --- graphs and steps


def _run_group(turn: Turn, call: Call, inputs: Inputs, scope: Scope, kind: str) -> Object | None:
    node = turn.node(call.name)
    if node is None:
        if not turn.may_start(call):
            return None
        node = turn.add(call, TYPES[kind], RUNNING, inputs=inputs.record)
    limit = call.template.get("parallelism")
    frame = Frame(
        turn=turn,
        execute=execute,
        parent=call,
        node=node,
        parallelism=limit if isinstance(limit, int) and limit > 0 else 0,
    )
    if call.template.get("failFast") and _has_failed_child(turn, node):
        turn.halted.add(node["id"])
    message = ""
    runner: Graph | StepsRun
    if kind == "dag":
        runner = Graph(frame, call.template, scope)
        phase, after = runner.advance(), runner.scope()
    else:
        runner = StepsRun(frame, call.template, scope)
        phase, message = runner.advance()
        after = runner.scope
    if not phase:
        return node
    turn.change(node, outboundNodes=runner.outbound())
    stop_daemons(turn, node["id"])
    if phase in FAILURES:
        return turn.finish(node, phase, turn.stop_message if turn.is_stopped(call) else message)
    try:
        return turn.finish(node, SUCCEEDED, outputs=_group_outputs(call.template, after))
    except (TagError, ExpressionError, Unresolved) as error:
        return turn.finish(node, ERROR, f"outputs: {error}")


def _has_failed_child(turn: Turn, node: Object) -> bool:
    return any(
        child.get("boundaryID") == node["id"] and child["phase"] in FAILURES and child["type"] != "Retry"
        for child in turn.nodes.values()
    )


def _group_outputs(template: Object, scope: Scope) -> Object:
    """Outputs of a graph or of steps, taken from its nodes. Raises TagError, ExpressionError and Unresolved."""
    made: Object = {}
    for item in dig_list(template, "outputs", "parameters"):
        value = _group_parameter(item, scope)
        made.setdefault("parameters", []).append({**_exported(item), "value": value})
    for item in dig_list(template, "outputs", "artifacts"):
        content = content_of(item, scope)
        if content is not None:
            made.setdefault("artifacts", []).append({**_exported(item), **content})
        elif not item.get("optional"):
            raise TagError(f"the artifact {item['name']} does not exist")
    return made


def _exported(item: Object) -> Object:
    return {field: item[field] for field in ("name", "globalName") if item.get(field)}


def _group_parameter(item: Object, scope: Scope) -> str:
    source = dig_object(item, "valueFrom")
    try:
        if source.get("expression"):
            return text_of(evaluate(str(source["expression"]), scope))
        if source.get("parameter"):
            if source.get("default") is not None and scope.is_empty(tag_name(str(source["parameter"]))):
                return text_of(source["default"])
            return substitute_text(str(source["parameter"]), scope)
        return substitute_text(text_of(item.get("value")), scope)
    except (TagError, Unresolved, ExpressionError):
        if source.get("default") is not None:
            return text_of(source["default"])
        raise


# --- attempts


def _retry(turn: Turn, call: Call, inputs: Inputs, scope: Scope) -> Object | None:
    """A node for all attempts, and one for each of them."""
    node = turn.node(call.name)
    if node is None:
        if not turn.may_start(call, is_pod=template_type(call.template) not in ("dag", "steps")):
            return None
        node = turn.add(call, "Retry", RUNNING, inputs=inputs.record)
    attempts = _attempts(turn, call)
    if not attempts or not is_final(attempts[-1]):
        number = max(0, len(attempts) - 1)
        attempts = [*attempts[:-1], made] if (made := _attempt(turn, call, node, number)) is not None else []
    if not attempts or not is_final(attempts[-1]):
        if attempts and attempts[-1].get("daemoned"):
            turn.change(node, daemoned=True, podIP=attempts[-1].get("podIP"))
        return node
    last = turn.change(attempts[-1], daemoned=None)
    turn.change(node, daemoned=None)
    if last["phase"] not in FAILURES:
        return turn.finish(node, SUCCEEDED, outputs=dig_object(last, "outputs"))
    strategy = substitute(call.template["retryStrategy"], scope, allow_unresolved=True)
    decision = retrying.decide(strategy, attempts, scope)
    if turn.is_halted(call) or not decision.is_retried:
        message = turn.stop_message or decision.message or str(last.get("message", ""))
        return turn.finish(node, last["phase"], message, outputs=dig_object(last, "outputs"))
    if decision.at is not None and decision.at > turn.now:
        turn.wake(decision.at)
        return turn.change(node, message=decision.message)
    turn.change(node, message="")
    _attempt(turn, call, node, len(attempts))
    return node


def _attempts(turn: Turn, call: Call) -> list[Object]:
    found: list[Object] = []
    while (attempt := turn.node(f"{call.name}({len(found)})")) is not None:
        found.append(attempt)
    return found


def _attempt(turn: Turn, call: Call, node: Object, number: int) -> Object | None:
    suffix = f"({number})"
    hosts: tuple[str, ...] = ()
    if dig(call.template, "retryStrategy", "affinity", "nodeAntiAffinity") is not None:
        failed = [attempt for attempt in _attempts(turn, call)[:number] if attempt["phase"] in FAILURES]
        hosts = tuple(sorted({str(attempt["hostNodeName"]) for attempt in failed if attempt.get("hostNodeName")}))
    name, display = f"{call.name}{suffix}", f"{call.display}{suffix}"
    made = execute(turn, replace(call, name=name, display=display, attempt=number, avoided_hosts=hosts))
    if made is not None:
        turn.connect(node, made)
    return made


# --- pauses


def _run_suspend(turn: Turn, call: Call, template: Object, inputs: Inputs) -> Object | None:
    """A node that waits for its duration, or until a user sets its phase."""
    node = turn.node(call.name)
    if node is None:
        if not turn.may_start(call):
            return None
        node = turn.add(call, "Suspend", RUNNING, inputs=inputs.record)
        turn.change(node, outputs=_supplied_outputs(template))
    if turn.is_stopped(call):
        return turn.finish(node, FAILED, turn.stop_message)
    duration = dig(template, "suspend", "duration")
    if duration in (None, ""):
        return node
    ends = moment(node["startedAt"]) + timedelta(seconds=seconds_of(duration))
    if turn.now < ends:
        turn.wake(ends)
        return node
    return resumed(turn, turn.finish(node, SUCCEEDED, finished_at=timestamp(ends)))


def _supplied_outputs(template: Object) -> Object:
    """Outputs that a user gives a value when resuming the node."""
    supplied: list[Object] = [
        item
        for item in dig_list(template, "outputs", "parameters")
        if dig(item, "valueFrom", "supplied") is not None or item.get("value") is not None
    ]
    return {"parameters": supplied} if supplied else {}


def resumed(turn: Turn, node: Object) -> Object:
    """A pause that is over: every output has the value that a user gave, or its default."""
    values: list[Object] = []
    for item in dig_list(node, "outputs", "parameters"):
        value = item.get("value")
        value = dig(item, "valueFrom", "default") if value is None else value
        if value is None:
            return turn.finish(node, ERROR, f"the output parameter {item['name']} was not supplied")
        values.append({**_exported(item), "value": text_of(value)})
    return turn.change(node, outputs={"parameters": values} if values else None)


def entry_call(turn: Turn, name: str, called: Object, arguments: Object, *, is_exit: bool = False) -> Call:
    """The call of a Workflow's entrypoint or exit handler. Raises NoTemplate."""
    home, found = turn.templates.find(called, LOCAL)
    return Call(
        name=name,
        display=name,
        template=found,
        home=home,
        arguments=substitute(arguments, turn.globals, allow_unresolved=True),
        scope=turn.globals,
        is_exit=is_exit,
    )
