"""What nodes offer, and what pods request of it. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from windlass.apis.core_v1 import Pod
from windlass.apis.quota_usage import FINISHED, pod_usage
from windlass.apis.wellknown import NVIDIA_GPU
from windlass.gateway.views.nodes import NodeResource, NodeRow
from windlass.gateway.views.parts import Amount
from windlass.gateway.views.reading import amount, amount_of, name_of, text
from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.objects import without_nulls

MAIN = ("cpu", "memory", NVIDIA_GPU)
PREFIX = "requests."
UNSHOWN = ("pods", "hugepages-")


def pod_requests(pod: Object) -> dict[str, float]:
    """What a pod holds while it is on a node, in base units; nothing once it has ended."""
    if dig(pod, "status", "phase") in FINISHED:
        return {}
    try:
        usage = pod_usage(msgspec.convert(without_nulls(pod), Pod))
    except (msgspec.ValidationError, ValueError):
        return {}
    return {
        name.removeprefix(PREFIX): quantity.nano / 1e9
        for name, quantity in usage.items()
        if name.startswith(PREFIX) and quantity.nano
    }


def node_rows(nodes: Iterable[Object], pods: Iterable[Object]) -> tuple[NodeRow, ...]:
    """By name. Only counts of pods and sums of their requests are shown, so every user may see them."""
    held: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    counts: defaultdict[str, int] = defaultdict(int)
    for pod in pods:
        node = text(dig(pod, "spec", "nodeName"))
        if not node or dig(pod, "status", "phase") in FINISHED:
            continue
        counts[node] += 1
        for resource, value in pod_requests(pod).items():
            held[node][resource] += value
    rows = [_node_row(node, held[name_of(node)], counts[name_of(node)]) for node in nodes]
    return tuple(sorted(rows, key=lambda row: row.name))


def _node_row(node: Object, held: Mapping[str, float], pods: int) -> NodeRow:
    offered = {
        name: amount_of(value, name)
        for name, value in dig_object(node, "status", "allocatable").items()
        if not name.startswith(UNSHOWN)
    }
    return NodeRow(
        name=name_of(node),
        ready=is_ready(node),
        schedulable=dig(node, "spec", "unschedulable") is not True,
        pods=pods,
        resources=tuple(_resource(name, offered[name], held.get(name, 0.0)) for name in ordered(offered)),
    )


def is_ready(node: Object) -> bool:
    return any(
        dig(one, "type") == "Ready" and dig(one, "status") == "True" for one in dig_list(node, "status", "conditions")
    )


def _resource(name: str, offered: Amount, held: float) -> NodeResource:
    free = amount(name, max(0.0, offered.value - held))
    return NodeResource(resource=name, allocatable=offered, used=amount(name, held), free=free)


def ordered(resources: Iterable[str]) -> list[str]:
    """The main resources first, then by name."""
    return sorted(resources, key=lambda name: (MAIN.index(name) if name in MAIN else len(MAIN), name))


def totals(rows: Sequence[NodeRow]) -> dict[str, tuple[float, float]]:
    """What all ready nodes offer together, and what is used of it, by resource."""
    sums: dict[str, tuple[float, float]] = {}
    for row in rows:
        if row.ready:
            for resource in row.resources:
                total, used = sums.get(resource.resource, (0.0, 0.0))
                sums[resource.resource] = total + resource.allocatable.value, used + resource.used.value
    return sums
