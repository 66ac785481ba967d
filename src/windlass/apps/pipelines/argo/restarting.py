"""Retries of a finished Workflow: what has succeeded is kept, what has failed runs again."""

from windlass.apps.pipelines.argo.nodes import COMPLETED, FAILURES, OMITTED, RUNNING
from windlass.apps.pipelines.names import RETRIES_ANNOTATION
from windlass.kube.json import Object, dig, dig_list, dig_object

RETRIES_FIELD = "retries"
"""In the status: the user's retry (`pipelines.windlass.dev/retries`) that the nodes belong to."""
CONTAINERS = ("DAG", "Steps", "StepGroup", "TaskGroup")


def restarted(workflow: Object, now: str) -> Object:
    """The status to continue with: without what has failed, if the user has retried the Workflow since."""
    status = dig_object(workflow, "status")
    wanted = str(dig(workflow, "metadata", "annotations", RETRIES_ANNOTATION) or "")
    if status.get("phase") not in COMPLETED or wanted == str(status.get(RETRIES_FIELD) or ""):
        return {**status, RETRIES_FIELD: wanted} if wanted and not status.get("phase") else status
    nodes, exit_name = dig_object(status, "nodes"), f"{workflow['metadata']['name']}.onExit"
    kept = {name: _reset(node) for name, node in nodes.items() if _is_kept(nodes, node, exit_name)}
    for name, node in kept.items():
        children = [child for child in dig_list(node, "children") if child in kept]
        if children != dig_list(node, "children"):
            kept[name] = {**node, "children": children}
    rest = {name: value for name, value in status.items() if name not in ("finishedAt", "message", "outputs")}
    return {**rest, "phase": RUNNING, "startedAt": now, "nodes": kept, RETRIES_FIELD: wanted}


def _is_kept(nodes: Object, node: Object, exit_name: str) -> bool:
    if node["phase"] == OMITTED or str(node["name"]).startswith(exit_name):
        return False
    boundary = nodes.get(node.get("boundaryID", ""))
    if boundary is not None and not _is_kept(nodes, boundary, exit_name):
        return False
    return node["phase"] not in FAILURES or node["type"] in CONTAINERS


def _reset(node: Object) -> Object:
    if node["phase"] not in FAILURES:
        return node
    dropped = ("finishedAt", "message", "outboundNodes", "outputs")
    return {**{name: value for name, value in node.items() if name not in dropped}, "phase": RUNNING}
