"""Nodes of a Workflow's status: their phases, and the edges between them."""

from collections.abc import Iterable, Mapping

from windlass.kube.json import Object, dig_list

SUCCEEDED, FAILED, ERROR = "Succeeded", "Failed", "Error"
PENDING, RUNNING, SKIPPED, OMITTED = "Pending", "Running", "Skipped", "Omitted"
COMPLETED = frozenset({SUCCEEDED, FAILED, ERROR})
FINAL = COMPLETED | {SKIPPED, OMITTED}
FAILURES = frozenset({FAILED, ERROR})
GROUPS = frozenset({"TaskGroup", "StepGroup"})


def is_final(node: Object | None) -> bool:
    return node is not None and node["phase"] in FINAL


def is_done(node: Object | None) -> bool:
    """Whether what comes after a node may start: it is final, or a daemon that is ready."""
    return is_final(node) or (node is not None and bool(node.get("daemoned")))


def has_failed(node: Object | None) -> bool:
    return node is not None and node["phase"] in FAILURES


def outbound(nodes: Mapping[str, Object], node: Object) -> list[str]:
    """Ids of the last nodes inside a node: what comes after it is connected to them."""
    children = [nodes[child] for child in dig_list(node, "children") if child in nodes]
    match node["type"]:
        case "DAG" | "Steps":
            return dig_list(node, "outboundNodes") or [node["id"]]
        case "TaskGroup" | "StepGroup":
            return _unique(last for child in children for last in outbound(nodes, child)) or [node["id"]]
        case "Retry":
            return outbound(nodes, children[-1]) if children else [node["id"]]
        case _:
            return [node["id"]]


def _unique(ids: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(ids))


def progress(nodes: Iterable[Object]) -> str:
    """How many pods have succeeded, of how many."""
    pods = [node for node in nodes if node["type"] == "Pod"]
    return f"{sum(node['phase'] == SUCCEEDED for node in pods)}/{len(pods)}"
