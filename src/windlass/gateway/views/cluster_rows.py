"""The health of Windlass' own parts, from what its supervisor, its metrics and its nodes say. Pure."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from windlass.gateway.views.capacity import node_rows
from windlass.gateway.views.cluster import ClusterNode, ComponentRow, Latency
from windlass.gateway.views.parts import Usage
from windlass.gateway.views.reading import name_of, text
from windlass.kube.json import Object, dig, dig_list, timestamp
from windlass.supervisor.run_state import ComponentState, RunState

STATES = {"running": "ok", "starting": "degraded", "restarting": "down", "stopping": "degraded", "stopped": "down"}
_BUCKET = re.compile(r"^apiserver_request_duration_seconds_bucket\{([^}]*)\} ([0-9.e+]+)$", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="([^"]*)"')
WELL = {"Ready": "True"}
"""Conditions of a node whose good value is not False."""


class ProcessUse(NamedTuple):
    """What a process uses: bytes of memory now, seconds of CPU since its start. None where that is not known."""

    memory: int | None = None
    cpu_seconds: float | None = None


def component_rows(run: RunState, use: Mapping[int, ProcessUse]) -> tuple[ComponentRow, ...]:
    """`use` is by process id."""
    return tuple(_component(one, run.version, use.get(one.pid, ProcessUse())) for one in run.components)


def _component(component: ComponentState, version: str, use: ProcessUse) -> ComponentRow:
    state = STATES.get(component.state, "unknown")
    return ComponentRow(
        name=component.name,
        state=state,  # pyright: ignore[reportArgumentType] - one of the literals, by the table
        message=""
        if state == "ok"
        else f"{component.name} is {component.state}; its log says why: windlass logs {component.name}",
        version=version,
        pid=component.pid or None,
        memory_bytes=float(use.memory) if use.memory is not None else None,
        cpu_seconds=use.cpu_seconds,
        started=timestamp(datetime.fromtimestamp(component.started, UTC)) if component.started else None,
        restarts=component.restarts,
    )


def latencies(metrics: str) -> tuple[Latency, ...]:
    """Percentiles by verb, from the histogram of the API server, in Prometheus' text format."""
    buckets: defaultdict[str, defaultdict[float, float]] = defaultdict(lambda: defaultdict(float))
    for labels, count in _BUCKET.findall(metrics):
        found = dict(_LABEL.findall(labels))
        edge = found.get("le", "")
        if verb := found.get("verb", ""):
            buckets[verb][float("inf") if edge == "+Inf" else float(edge)] += float(count)
    return tuple(_latency(verb, dict(sorted(edges.items()))) for verb, edges in sorted(buckets.items()))


def _latency(verb: str, counts: Mapping[float, float]) -> Latency:
    return Latency(
        verb=verb,
        requests=int(counts.get(float("inf"), 0)),
        p50_seconds=percentile(counts, 0.5),
        p90_seconds=percentile(counts, 0.9),
        p99_seconds=percentile(counts, 0.99),
    )


def percentile(counts: Mapping[float, float], part: float) -> float | None:
    """By linear interpolation inside a bucket, as Prometheus' histogram_quantile; None without requests.

    `counts` are cumulative, by the upper edge of the bucket, in order.
    """
    total = counts.get(float("inf"), 0.0)
    if not total:
        return None
    rank, lower, below = part * total, 0.0, 0.0
    for edge, count in counts.items():
        if count >= rank:
            if edge == float("inf"):
                return lower
            inside = count - below
            return lower + (edge - lower) * ((rank - below) / inside) if inside else edge
        lower, below = edge, count
    return lower


def cluster_nodes(
    nodes: Sequence[Object], pods: Iterable[Object], usage: Mapping[str, Usage]
) -> tuple[ClusterNode, ...]:
    by_name = {name_of(node): node for node in nodes}
    return tuple(
        ClusterNode(
            row=row,
            version=text(dig(by_name[row.name], "status", "nodeInfo", "kubeletVersion")),
            os=text(dig(by_name[row.name], "status", "nodeInfo", "osImage")),
            usage=usage.get(row.name, Usage(cpu_cores=None, memory_bytes=None)),
            conditions=tuple(_unwell(by_name[row.name])),
        )
        for row in node_rows(nodes, pods)
    )


def _unwell(node: Object) -> Iterable[str]:
    for condition in dig_list(node, "status", "conditions"):
        type_ = text(dig(condition, "type"))
        if dig(condition, "status") != WELL.get(type_, "False"):
            yield f"{type_}: {text(dig(condition, 'message'))}"
