"""The running scheduler against the real server, with Node objects that no agent stands behind."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.kube.live import managed, until
from windlass.apis.core_v1 import Node, Pod
from windlass.kube.client import Client
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key
from windlass.scheduler.live import SCHEDULER

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
    body = {"nodeSelector": pool, "terminationGracePeriodSeconds": 0, "containers": [container], **spec}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": room}, "spec": body}
    await client.create(pod, kind=PODS)
    return Key(room, name)


async def node_of(client: Client, key: Key) -> str:
    async def asked() -> str:
        return (await client.get(Pod, key.name, key.namespace)).spec.node_name

    return await until(asked)


async def condition(client: Client, key: Key, reason: str) -> str:
    async def asked() -> str:
        pod = await client.get(Pod, key.name, key.namespace)
        return next((c.message for c in pod.status.conditions if c.reason == reason), "")

    return await until(asked)


async def test_a_pod_is_bound_and_told_of(client: Client, room: str, pool: dict[str, str]) -> None:
    node = await add_node(client, pool, "a")
    async with managed(client, SCHEDULER):
        key = await add_pod(client, room, pool, "p")

        assert await node_of(client, key) == node

        async def told() -> list[str]:
            events = (await client.list(EVENTS, room)).items
            return [one["message"] for one in events if one["reason"] == "Scheduled"]

        assert await until(told) == [f"Successfully assigned {room}/p to {node}"]


async def test_a_pod_that_fits_nowhere_says_why_and_goes_when_a_node_comes(
    client: Client, room: str, pool: dict[str, str]
) -> None:
    await add_node(client, pool, "a", taints=[{"key": "k", "value": "v", "effect": "NoSchedule"}])
    async with managed(client, SCHEDULER):
        key = await add_pod(client, room, pool, "p")
        message = await condition(client, key, "Unschedulable")

        assert "1 node(s) had untolerated taint(s)" in message
        assert "preemption: 0/" in message
        node = await add_node(client, pool, "b")
        assert await node_of(client, key) == node


async def test_pods_are_never_more_than_their_nodes_hold(client: Client, room: str, pool: dict[str, str]) -> None:
    for name in "abc":
        await add_node(client, pool, name)
    async with managed(client, SCHEDULER):
        await asyncio.gather(*(add_pod(client, room, pool, f"p{number}") for number in range(16)))

        async def bound() -> bool:
            pods = (await client.list(Pod, room)).items
            waits = [one for one in pods if any(c.reason == "Unschedulable" for c in one.status.conditions)]
            return sum(bool(one.spec.node_name) for one in pods) == 12 and len(waits) == 4

        await until(bound)
        on = [one.spec.node_name for one in (await client.list(Pod, room)).items if one.spec.node_name]
        assert all(on.count(name) == 4 for name in set(on))


async def test_a_pod_of_higher_priority_takes_the_place_of_a_lower_one(
    client: Client, room: str, pool: dict[str, str]
) -> None:
    node = await add_node(client, pool, "a")
    high = f"high-{pool['pool']}"
    made = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": high}, "value": 1000}
    await client.create(made, kind=CLASSES)
    async with managed(client, SCHEDULER):
        low = await add_pod(client, room, pool, "low", cpu="3")
        assert await node_of(client, low) == node
        key = await add_pod(client, room, pool, "high", cpu="3", priorityClassName=high)

        async def marked() -> bool:
            try:
                pod = await client.get(Pod, "low", room)
            except Exception:  # noqa: BLE001 - it is gone already
                return True
            return any(c.type == "DisruptionTarget" for c in pod.status.conditions)

        await until(marked)
        if any(one.metadata.name == "low" for one in (await client.list(Pod, room)).items):
            await client.delete(PODS, low, grace_seconds=0)  # as the node's agent would, once it has ended
        assert await node_of(client, key) == node


async def test_a_gated_pod_waits_until_its_gates_are_gone(client: Client, room: str, pool: dict[str, str]) -> None:
    node = await add_node(client, pool, "a")
    async with managed(client, SCHEDULER):
        key = await add_pod(client, room, pool, "p", schedulingGates=[{"name": "example.com/g"}])

        assert "scheduling gates" in await condition(client, key, "SchedulingGated")
        await client.patch(PODS, key, {"spec": {"schedulingGates": None}})
        assert await node_of(client, key) == node


async def test_a_scheduler_that_starts_anew_counts_what_is_bound(
    client: Client, room: str, pool: dict[str, str]
) -> None:
    node = await add_node(client, pool, "a")
    async with managed(client, SCHEDULER):
        assert await node_of(client, await add_pod(client, room, pool, "first", cpu="3")) == node
    async with managed(client, SCHEDULER):
        second = await add_pod(client, room, pool, "second", cpu="3")
        assert "Insufficient cpu" in await condition(client, second, "Unschedulable")
        await client.delete(PODS, Key(room, "first"), grace_seconds=0)
        assert await node_of(client, second) == node


async def test_an_idle_scheduler_binds_quickly(client: Client, room: str, pool: dict[str, str]) -> None:
    await add_node(client, pool, "a", offers={"cpu": "100"})
    async with managed(client, SCHEDULER):
        await node_of(client, await add_pod(client, room, pool, "warm"))
        began = time.perf_counter()
        await node_of(client, await add_pod(client, room, pool, "p"))
        took = time.perf_counter() - began
        print(f"create to bound seen: {took * 1000:.1f} ms")  # noqa: T201 - a figure for whoever runs it with -s
        assert took < 1
