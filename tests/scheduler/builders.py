"""Nodes and pods with only what a test is about."""

from typing import Any

import msgspec

from windlass.apis.core_v1 import Node, Pod
from windlass.apis.wellknown import POD_GROUP_NAME_ANNOTATION
from windlass.kube.kind import Kind
from windlass.scheduler.model.pod_groups import GROUP_LABEL, VOLCANO, PodGroup
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import Snapshot


def a_node(name: str = "n1", *, cpu: str = "4", memory: str = "8Gi", pods: int = 110, **given: Any) -> Node:
    """`labels`, `taints`, `unschedulable`; any other name is a resource that the node offers."""
    labels = {"kubernetes.io/hostname": name, **given.pop("labels", {})}
    spec = {key: given.pop(key) for key in ("taints", "unschedulable") if key in given}
    offers = {"cpu": cpu, "memory": memory, "pods": str(pods), **given.pop("offers", {})}
    assert not given, given
    return msgspec.convert(
        {"metadata": {"name": name, "labels": labels}, "spec": spec, "status": {"allocatable": offers}}, Node
    )


def a_pod(name: str = "p", *, cpu: str = "", memory: str = "", **given: Any) -> PodInfo:
    """`labels`, `annotations`, `namespace`, `status`, `asks` (requests); any other name is a field of the spec."""
    requests = {key: value for key, value in (("cpu", cpu), ("memory", memory)) if value} | given.pop("asks", {})
    container = {"name": "c", "resources": {"requests": requests}, "ports": given.pop("ports", [])}
    metadata = {
        "name": name,
        "namespace": given.pop("namespace", "default"),
        "uid": f"uid-{name}",
        "labels": given.pop("labels", {}),
        "annotations": given.pop("annotations", {}),
    }
    status = given.pop("status", {})
    spec = {"containers": [container], **given}
    return PodInfo(msgspec.convert({"metadata": metadata, "spec": spec, "status": status}, Pod))


def a_cluster(*nodes: Node, pods: dict[str, list[PodInfo]] | None = None) -> Snapshot:
    snapshot = Snapshot()
    for node in nodes:
        snapshot.put_node(node)
    for node_name, there in (pods or {}).items():
        for pod in there:
            snapshot.add_pod(pod, node_name)
    return snapshot


def a_group(name: str = "g", *, min_member: int = 1, kind: Kind = VOLCANO, **given: Any) -> PodGroup:
    """`status`, `created`; any other name is a field of the spec."""
    status, created = given.pop("status", {}), given.pop("created", "2026-01-01T00:00:00Z")
    metadata = {"name": name, "namespace": "default", "uid": f"uid-{name}", "creationTimestamp": created}
    return PodGroup.of(kind, {"metadata": metadata, "spec": {"minMember": min_member, **given}, "status": status})


def a_member(name: str, group: str = "g", scheduler: str = "volcano", **given: Any) -> PodInfo:
    """A pod that says which group it belongs to, in the way of its scheduler."""
    by_label = scheduler.startswith("scheduler-plugins")
    mark = {"labels": {GROUP_LABEL: group}} if by_label else {"annotations": {POD_GROUP_NAME_ANNOTATION: group}}
    return a_pod(name, schedulerName=scheduler, **mark, **given)
