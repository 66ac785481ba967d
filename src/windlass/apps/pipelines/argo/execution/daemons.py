"""Daemons: pods that count as done once they are ready, run beside what follows, and are stopped with their group."""

from windlass.apps.pipelines.argo.execution.turn import Turn
from windlass.apps.pipelines.argo.naming import pod_name
from windlass.apps.pipelines.argo.nodes import SUCCEEDED
from windlass.kube.json import Object


def stop_daemons(turn: Turn, boundary: str | None) -> None:
    """Stop the daemons of a graph or of steps; with None those of the whole Workflow."""
    for node in turn.nodes.values():
        if node.get("daemoned") and (boundary is None or node.get("boundaryID", "") == boundary):
            _stop(turn, node)


def _stop(turn: Turn, node: Object) -> None:
    if node["type"] == "Pod":
        turn.deletes.add(pod_name(turn.name, node["name"], node.get("templateName", "")))
    turn.change(node, daemoned=None)
    turn.finish(node, SUCCEEDED)
