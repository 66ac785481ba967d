"""Nodes that no agent stands behind, pods for them, and what becomes of the pods."""

import uuid
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.kube.live import until
from windlass.apis.core_v1 import Node, Pod
from windlass.kube.client import Client
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key

PODS, NODES = KINDS.of(Pod), KINDS.of(Node)
EVENTS = Kind(group="", version="v1", name="Event", plural="events")
CLASSES = Kind(
    group="scheduling.k8s.io", version="v1", name="PriorityClass", plural="priorityclasses", namespaced=False
)
ACCOUNTS = Kind(group="", version="v1", name="ServiceAccount", plural="serviceaccounts")


@pytest.fixture
async def pool(client: Client, room: str) -> AsyncIterator[dict[str, str]]:
    """A label that only this test's nodes have; they are deleted afterwards."""
    await client.create(
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": room}}
    )
    mine = {"pool": uuid.uuid4().hex[:8]}
    yield mine
    for node in (await client.list(NODES, labels=f"pool={mine['pool']}")).items:
        await client.delete(NODES, Key("", node["metadata"]["name"]))


async def add_node(client: Client, pool: dict[str, str], name: str, **more: Any) -> str:
    name = f"{name}-{pool['pool']}"
    offers = {"cpu": "4", "memory": "8Gi", "pods": "110", **more.pop("offers", {})}
    labels = {**pool, "kubernetes.io/hostname": name}
    status = {"capacity": offers, "allocatable": offers}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "spec": more}
    await client.create({**node, "status": status}, kind=NODES)
    return name


async def add_pod(client: Client, room: str, pool: dict[str, str], name: str, cpu: str = "1", **spec: Any) -> Key:
    container = {"name": "c", "image": "x", "resources": {"requests": {"cpu": cpu}}}
    metadata = {"name": name, "namespace": room, **spec.pop("metadata", {})}
    body = {"nodeSelector": pool, "terminationGracePeriodSeconds": 0, "containers": [container], **spec}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": body}
    await client.create(pod, kind=PODS)
    return Key(room, name)


async def node_of(client: Client, key: Key) -> str:
    async def asked() -> str:
        return (await client.get(Pod, key.name, key.namespace)).spec.node_name

    return await until(asked)


async def condition(client: Client, key: Key, reason: str, text: str = "") -> str:
    """Wait until a condition has a reason and holds a text; what came before may be told first. The message."""

    async def asked() -> str:
        pod = await client.get(Pod, key.name, key.namespace)
        return next((c.message for c in pod.status.conditions if c.reason == reason and text in c.message), "")

    return await until(asked)


async def events(client: Client, room: str, reason: str) -> list[str]:
    return [one["message"] for one in (await client.list(EVENTS, room)).items if one["reason"] == reason]


async def add_priority_class(client: Client, pool: dict[str, str], value: int) -> str:
    name = f"p{value}-{pool['pool']}"
    made = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
    await client.create(made, kind=CLASSES)
    return name
