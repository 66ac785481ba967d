"""Runs of Kubeflow that are Workflows (v1 pipelines): the state of the run and its tasks, as the status shows them."""

from datetime import datetime
from uuid import NAMESPACE_URL, uuid5

from windlass.apps.pipelines.argo.artifacts.artifact_places import artifact_uri
from windlass.apps.pipelines.argo.kfp.cache_key import CACHE_ID_LABEL, KEY_FIELD, LABELS_FIELD, REUSED_LABEL
from windlass.apps.pipelines.argo.naming import pod_name
from windlass.apps.pipelines.argo.nodes import COMPLETED
from windlass.apps.pipelines.argo.restarting import RETRIES_FIELD
from windlass.apps.pipelines.argo.times import EPOCH, moment
from windlass.apps.pipelines.model import NOT_YET, Artifact, Error, Run, RunState, Task, TaskState, TaskType, Values
from windlass.apps.pipelines.names import RETRIES_ANNOTATION, RUN_ID_LABEL
from windlass.kube.json import Object, dig, dig_list, dig_object

ABORTED = 10
UNAVAILABLE = 14
UNKNOWN = 2
"""gRPC status codes."""
_STATES = {
    "Pending": RunState.PENDING,
    "Running": RunState.RUNNING,
    "Succeeded": RunState.SUCCEEDED,
    "Failed": RunState.FAILED,
    "Error": RunState.FAILED,
}
_TASK_STATES = {
    "Pending": TaskState.PENDING,
    "Running": TaskState.RUNNING,
    "Succeeded": TaskState.COMPLETE,
    "Failed": TaskState.FAILED,
    "Error": TaskState.FAILED,
    "Skipped": TaskState.CANCELED,
    "Omitted": TaskState.CANCELED,
}
_TYPES = {
    "DAG": TaskType.DAG,
    "Steps": TaskType.DAG,
    "StepGroup": TaskType.DAG,
    "TaskGroup": TaskType.LOOP,
    "Retry": TaskType.RUNTIME,
    "Pod": TaskType.RUNTIME,
}


def run_state(workflow: Object) -> RunState:
    """The state of the run; CANCELING while a Workflow that was ended still runs, PENDING before a retry begins."""
    state = _STATES.get(str(dig(workflow, "status", "phase") or "Pending"), RunState.PENDING)
    if is_outdated(workflow):
        return RunState.PENDING
    is_ended = bool(dig(workflow, "spec", "shutdown")) or dig(workflow, "spec", "activeDeadlineSeconds") == 0
    return RunState.CANCELING if is_ended and state in (RunState.PENDING, RunState.RUNNING) else state


def is_outdated(workflow: Object) -> bool:
    """Whether a user has retried a finished Workflow, and its status is still that of the time before."""
    wanted = str(dig(workflow, "metadata", "annotations", RETRIES_ANNOTATION) or "")
    is_over = dig(workflow, "status", "phase") in COMPLETED
    return is_over and wanted != str(dig(workflow, "status", RETRIES_FIELD) or "")


def stands_for(workflow: Object, run: Run) -> bool:
    """Whether the Workflow is that of the run: every user may label a Workflow with the id of another's run."""
    key = (dig(workflow, "metadata", "namespace"), dig(workflow, "metadata", "name"))
    return run.is_argo and key == (run.namespace, run.resource_name)


def run_error(workflow: Object) -> Error | None:
    """Why the run failed; None of one that did not."""
    if run_state(workflow) is not RunState.FAILED:
        return None
    nodes = dig_object(workflow, "status", "nodes").values()
    failed = [node for node in nodes if node["type"] == "Pod" and node["phase"] in ("Failed", "Error")]
    details = [f"{node['displayName']}: {node.get('message', '')}" for node in failed[:3]]
    message = str(dig(workflow, "status", "message") or "")
    code = ABORTED if dig(workflow, "spec", "shutdown") else UNKNOWN
    return Error(code=code, message=message or "; ".join(details) or "the run failed")


def finished_at(workflow: Object) -> float:
    return _seconds(dig(workflow, "status", "finishedAt"))


def tasks(workflow: Object) -> list[Task]:
    """One task for each node."""
    run_id = str(dig(workflow, "metadata", "labels", RUN_ID_LABEL) or "")
    nodes = dig_object(workflow, "status", "nodes")
    name = str(workflow["metadata"]["name"])
    return [_task(node, nodes, name, run_id) for node in nodes.values()]


def artifacts(workflow: Object) -> list[Artifact]:
    """Output artifacts of all nodes."""
    run_id = str(dig(workflow, "metadata", "labels", RUN_ID_LABEL) or "")
    namespace = str(dig(workflow, "metadata", "namespace") or "")
    return [
        Artifact(
            artifact_id=_artifact_id(run_id, node["id"], str(item["name"])),
            namespace=namespace,
            run_id=run_id,
            task_id=task_id(run_id, node["id"]),
            name=str(item["name"]),
            uri=artifact_uri(item),
            created_at=_seconds(node.get("finishedAt")),
        )
        for node in dig_object(workflow, "status", "nodes").values()
        if node["type"] == "Pod"
        for item in dig_list(node, "outputs", "artifacts")
        if artifact_uri(item)
    ]


def task_id(run_id: str, node_id: str) -> str:
    """The id of a node's task, unique among all runs: node ids are unique in their namespace only."""
    return str(uuid5(NAMESPACE_URL, f"{run_id}/{node_id}"))


def _artifact_id(run_id: str, node_id: str, name: str) -> str:
    return str(uuid5(NAMESPACE_URL, f"{run_id}/{node_id}/{name}"))


def _task(node: Object, nodes: Object, workflow: str, run_id: str) -> Task:
    parent = nodes.get(node.get("boundaryID", ""))
    is_root = node["id"] == workflow
    labels = dig_object(node, LABELS_FIELD)
    is_reused = labels.get(REUSED_LABEL) == "true"
    state = TaskState.CACHED if is_reused else _TASK_STATES[node["phase"]]
    started = _seconds(node.get("startedAt"))
    has_pod = node["type"] == "Pod" and not is_reused
    return Task(
        task_id=task_id(run_id, node["id"]),
        run_id=run_id,
        path=_path(node, workflow),
        name=str(node["displayName"]),
        display_name=str(node["displayName"]),
        parent_id="" if is_root else task_id(run_id, parent["id"] if parent is not None else workflow),
        type=TaskType.ROOT if is_root else _TYPES.get(node["type"], TaskType.RUNTIME),
        state=state,
        created_at=started,
        started_at=started,
        finished_at=_seconds(node.get("finishedAt")),
        inputs=_values(node, "inputs", run_id),
        outputs=_values(node, "outputs", run_id),
        error=_error(node, state),
        pod_name=pod_name(workflow, node["name"], node.get("templateName", "")) if has_pod else "",
        fingerprint=str(node.get(KEY_FIELD, "")),
        cached_task_id=str(labels.get(CACHE_ID_LABEL, "")),
    )


def _error(node: Object, state: TaskState) -> Error | None:
    """Why the task failed, or why its pod does not start."""
    message = str(node.get("message", ""))
    if state is TaskState.FAILED:
        return Error(code=UNKNOWN, message=message)
    return Error(code=UNAVAILABLE, message=message) if state is TaskState.PENDING and message else None


def _path(node: Object, workflow: str) -> str:
    """The node's name below `root`."""
    return "root" if node["id"] == workflow else f"root.{node['name'].removeprefix(workflow).lstrip('.')}"


def _values(node: Object, side: str, run_id: str) -> Values:
    parameters = {
        str(item["name"]): item.get("value") for item in dig_list(node, side, "parameters") if "value" in item
    }
    made: dict[str, list[str]] = {}
    if side == "outputs" and node["type"] == "Pod":
        for item in dig_list(node, side, "artifacts"):
            made[str(item["name"])] = [_artifact_id(run_id, node["id"], str(item["name"]))]
    return Values(parameters=parameters, artifacts=made)


def _seconds(text: object) -> float:
    at: datetime = moment(text)
    return at.timestamp() if at != EPOCH else NOT_YET
