"""Nodes that run a pod: start it, follow it, and take over its outputs."""

from windlass.apps.pipelines.argo.artifacts.archive_formats import stored_name
from windlass.apps.pipelines.argo.artifacts.artifact_places import (
    is_in_own_store,
    is_placed,
    output_place,
    place_problem,
    placed_artifact,
    store_of,
    uri_of,
)
from windlass.apps.pipelines.argo.artifacts.repositories import archives_logs, located, located_output
from windlass.apps.pipelines.argo.execution.cached_nodes import reuse_outputs
from windlass.apps.pipelines.argo.execution.turn import Call, Turn
from windlass.apps.pipelines.argo.http_requests import judged
from windlass.apps.pipelines.argo.inputs import Inputs
from windlass.apps.pipelines.argo.language.values import text_of
from windlass.apps.pipelines.argo.naming import node_id, pod_name
from windlass.apps.pipelines.argo.nodes import ERROR, FAILED, PENDING, RUNNING, SUCCEEDED
from windlass.apps.pipelines.argo.observation import (
    InputAnswer,
    InputFetch,
    InputLookup,
    OutputsRequest,
    PodOutputs,
    PodState,
)
from windlass.apps.pipelines.argo.pods.pod_manifest import (
    STATE_ROOT,
    BadPod,
    PodContext,
    artifact_key,
    build_pod,
    keeps_result,
    pod_places,
    published_outputs,
    stored_texts,
    with_log,
)
from windlass.apps.pipelines.argo.pods.wrapper import INPUTS_FOLDER
from windlass.kube.json import Object, dig, dig_list, dig_object, timestamp

DEADLINE = "Step exceeded its deadline"
PUBLISHING = "publishing artifacts"


def name_of_pod(turn: Turn, call: Call) -> str:
    return pod_name(turn.name, call.name, str(call.template.get("name") or ""))


def run_pod(turn: Turn, call: Call, template: Object, inputs: Inputs) -> Object | None:
    """Advance a node that runs a pod; `template` has its tags replaced."""
    node, name = turn.node(call.name), name_of_pod(turn, call)
    template, inputs = _located(turn, template, inputs, name)
    if node is None:
        if not turn.may_start(call, is_pod=True):
            return None
        node = turn.add(call, "Pod", PENDING, inputs=inputs.record)
    if turn.is_stopped(call):
        turn.deletes.add(name)
        return turn.finish(node, FAILED, turn.stop_message)
    if call.deadline is not None:
        if turn.now >= call.deadline:
            turn.deletes.add(name)
            return turn.finish(node, FAILED, DEADLINE)
        turn.wake(call.deadline)
    state = turn.observation.pods.get(name)
    if state is None:
        return _missing(turn, call, node, template, inputs)
    if state.retries != turn.retries:  # left over from before the Workflow was retried
        turn.deletes.add(name)
        return node
    return _follow(turn, node, template, state)


def _located(turn: Turn, template: Object, inputs: Inputs, pod: str) -> tuple[Object, Inputs]:
    """Template and inputs with the whole location of each artifact, and with the log if it is kept. Raises TagError."""
    if _keeps_log(turn, template):
        template = with_log(template)
    if not turn.repository:
        return template, inputs
    scope = turn.globals.with_values({"pod.name": pod})
    outputs = dig_object(template, "outputs")
    artifacts = [located_output(item, turn.repository, scope) for item in dig_list(outputs, "artifacts")]
    given = {name: located(artifact, turn.repository) for name, artifact in inputs.artifacts.items()}
    return {**template, "outputs": {**outputs, "artifacts": artifacts}}, Inputs(inputs.parameters, given)


def _keeps_log(turn: Turn, template: Object) -> bool:
    """Whether what the container prints is kept: the template decides, then the Workflow, then its repository."""
    if template.get("container") is None and template.get("script") is None:
        return False
    for wanted in (dig(template, "archiveLocation", "archiveLogs"), turn.spec.get("archiveLogs")):
        if isinstance(wanted, bool):
            return wanted
    return archives_logs(turn.repository)


def _missing(turn: Turn, call: Call, node: Object, template: Object, inputs: Inputs) -> Object:
    """Create the pod, unless there was one: a node runs only if its pod was observed."""
    name = name_of_pod(turn, call)
    if node["phase"] != PENDING:
        return turn.finish(node, ERROR, "pod deleted")
    if name in turn.observation.refusals:
        return turn.finish(node, ERROR, turn.observation.refusals[name])
    is_decided, reused = reuse_outputs(turn, node, template, inputs)
    if not is_decided or reused is not None:
        return reused or node
    present = _present_inputs(turn, inputs, name)
    if not isinstance(present, Inputs):
        return turn.finish(node, ERROR, present) if present else node
    inputs = present
    context = PodContext(
        workflow=turn.name,
        namespace=turn.namespace,
        created=turn.created,
        spec=turn.spec,
        node_id=node_id(turn.name, call.name),
        node_name=call.name,
        pod_name=name,
        retries=turn.retries,
        run_id=turn.run_id,
        keeps_result=turn.keeps_results,
        claims=turn.claim_volumes,
        avoided_hosts=call.avoided_hosts,
    )
    try:
        pod = build_pod(template, inputs, context)
        turn.files[name] = stored_texts(template, inputs, context)
        turn.places[name] = pod_places(template, inputs, context)
    except BadPod as error:
        return turn.finish(node, ERROR, str(error))
    turn.creates[name] = {**pod, "metadata": {**pod["metadata"], "ownerReferences": [turn.owner()]}}
    return node


def _present_inputs(turn: Turn, inputs: Inputs, pod: str) -> Inputs | str:
    """The inputs without optional artifacts that their store does not have.

    Else why the pod cannot be created; empty until all artifacts were looked up, or fetched from stores of their own.
    """
    artifacts = dict(inputs.artifacts)
    is_waiting = False
    for name, artifact in inputs.artifacts.items():
        if not store_of(artifact):
            continue
        if problem := place_problem(artifact):
            return f"inputs.artifacts.{problem}"
        is_optional = bool(artifact.get("optional"))
        answer, uri = _answer(turn, pod, artifact, is_optional=is_optional)
        if answer is None or answer.is_pending:
            is_waiting = True
        elif answer.error:
            return f"inputs.artifacts.{name}: {answer.error}"
        elif not answer.exists and not is_optional:
            return f"inputs.artifacts.{name}: Cannot fetch {uri}: there is no such object, and none below it"
        elif not answer.exists:
            del artifacts[name]
    return "" if is_waiting else Inputs(inputs.parameters, artifacts)


def _answer(turn: Turn, pod: str, artifact: Object, *, is_optional: bool) -> tuple[InputAnswer | None, str]:
    """What is known of an input artifact, and its URI; asks for it if nothing is."""
    if is_in_own_store(artifact):
        uri = uri_of(artifact["s3"])
        if uri not in turn.observation.inputs:
            turn.input_lookups.append(InputLookup(uri=uri, is_optional=is_optional))
        return turn.observation.inputs.get(uri), uri
    name = str(artifact["name"])
    placed = placed_artifact(artifact, f"{STATE_ROOT}/{pod}/{INPUTS_FOLDER}/{name}")
    fetch = InputFetch(pod=pod, name=name, artifact=placed, is_optional=is_optional, round=turn.round)
    if fetch.id not in turn.observation.fetches:
        turn.fetches.append(fetch)
    return turn.observation.fetches.get(fetch.id), placed.place.uri


def _follow(turn: Turn, node: Object, template: Object, state: PodState) -> Object:
    turn.change(node, hostNodeName=state.host)
    if state.phase not in ("Succeeded", "Failed"):
        if state.is_deleting:
            return turn.change(node, message="the pod is being deleted")
        if state.gives_up_at is not None:
            if turn.now >= state.gives_up_at:
                turn.deletes.add(state.name)
                return turn.finish(node, ERROR, state.message)
            turn.wake(state.gives_up_at)
        phase = RUNNING if state.phase == "Running" else PENDING
        if template.get("daemon") and phase == RUNNING and state.is_ready:
            turn.change(node, daemoned=True, podIP=state.ip)
        return turn.change(node, phase=phase, message=state.message)
    request = _request(turn, node, template, state)
    outputs = turn.observation.outputs.get(state.name) if request is not None else PodOutputs()
    if outputs is None:
        assert request is not None
        turn.reads.append(request)
        return node
    if outputs.is_pending:
        return turn.change(node, message=PUBLISHING)
    return _finish(turn, node, template, state, outputs)


def _request(turn: Turn, node: Object, template: Object, state: PodState) -> OutputsRequest | None:
    """What has to be read of a pod that is over; None if there is nothing.

    A pod with input artifacts has a folder of its own, which is removed once its outputs, if any, were read.
    """
    parameters = tuple(
        str(item["name"]) for item in dig_list(template, "outputs", "parameters") if dig(item, "valueFrom", "path")
    )
    written = [item for item in dig_list(template, "outputs", "artifacts") if item.get("path")]
    artifacts = {str(item["name"]): uri_of(_place(turn, state, item)) for item in written if not is_placed(item)}
    published = published_outputs(template, state.name)
    has_result = keeps_result(template, is_used=turn.keeps_results)
    has_folder = any(item.get("raw") is None for item in dig_list(node, "inputs", "artifacts"))
    if not (parameters or artifacts or published or has_result or has_folder):
        return None
    return OutputsRequest(
        pod=state.name,
        parameters=parameters,
        artifacts=artifacts,
        placed=frozenset(str(item["name"]) for item in written if is_in_own_store(item)),
        published=published,
        round=turn.round,
        has_result=has_result,
    )


def _place(turn: Turn, state: PodState, artifact: Object) -> Object:
    return output_place(artifact, artifact_key(turn.name, turn.created, state.name, stored_name(artifact)))


def _finish(turn: Turn, node: Object, template: Object, state: PodState, outputs: PodOutputs) -> Object:
    turn.change(node, daemoned=None)
    found, problem = _outputs(turn, template, state, outputs)
    found, refusal = judged(template, found)
    if state.exit_code is not None:
        found["exitCode"] = str(state.exit_code)
    finished = state.finished_at or timestamp(turn.now)
    if state.phase == "Failed":
        phase = ERROR if state.is_system_failure else FAILED
        return turn.finish(node, phase, state.message, finished, outputs=found)
    if refusal:
        return turn.finish(node, FAILED, refusal, finished, outputs=found)
    problem = outputs.error or problem
    return turn.finish(node, ERROR if problem else SUCCEEDED, problem, finished, outputs=found)


def _outputs(turn: Turn, template: Object, state: PodState, outputs: PodOutputs) -> tuple[Object, str]:
    """The outputs of a node, and what is missing of them."""
    parameters: list[Object] = []
    artifacts: list[Object] = []
    missing = ""
    for item in dig_list(template, "outputs", "parameters"):
        value = outputs.parameters.get(str(item["name"]))
        if value is None:
            given = item.get("value")
            default = given if given is not None else dig(item, "valueFrom", "default")
            value = text_of(default) if default is not None else None
        if value is None:
            missing = (
                missing or f"the output parameter {item['name']} was not written to {dig(item, 'valueFrom', 'path')}"
            )
        else:
            parameters.append({**{k: v for k, v in item.items() if k != "value"}, "value": value.removesuffix("\n")})
    for item in dig_list(template, "outputs", "artifacts"):
        name = str(item["name"])
        if outputs.artifacts.get(name):
            exported = {field: item[field] for field in ("globalName", "archive", "artifactGC") if item.get(field)}
            store = store_of(item) if is_placed(item) else "s3"
            place = item[store] if is_placed(item) else _place(turn, state, item)
            artifacts.append({"name": name, "path": item.get("path", ""), store: place, **exported})
        elif not item.get("optional"):
            missing = missing or f"the output artifact {name} was not written to {item.get('path')}"
    made: Object = {}
    if parameters:
        made["parameters"] = parameters
    if artifacts:
        made["artifacts"] = artifacts
    if outputs.result is not None:
        made["result"] = outputs.result.removesuffix("\n")
    return made, missing
