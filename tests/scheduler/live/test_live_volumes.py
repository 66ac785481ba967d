"""Claims that wait for their first consumer, with the controllers that make and bind volumes beside the scheduler."""

from typing import Any

import pytest

from tests.kube.live import managed, until
from tests.scheduler.live.objects import PODS, add_node, add_pod, condition, node_of
from windlass.apis.core_v1 import PersistentVolume, PersistentVolumeClaim, Pod
from windlass.apis.storage_v1 import StorageClass
from windlass.controllers.core import persistent_volumes, volume_claims
from windlass.kube.client import Client
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.view import typed
from windlass.scheduler.live.service import SCHEDULER
from windlass.scheduler.predicates.volumes import SELECTED_NODE

CLAIMS, VOLUMES, CLASSES = KINDS.of(PersistentVolumeClaim), KINDS.of(PersistentVolume), KINDS.of(StorageClass)
CONTROLLERS = (SCHEDULER, volume_claims.CONTROLLER, persistent_volumes.CONTROLLER, persistent_volumes.FURNISHING)


async def add_claim(
    client: Client, room: str, name: str, storage_class: str | None, size: str = "1Gi", mode: str = "ReadWriteOnce"
) -> Key:
    spec = {
        **({"storageClassName": storage_class} if storage_class is not None else {}),
        "accessModes": [mode],
        "resources": {"requests": {"storage": size}},
    }
    metadata = {"name": name, "namespace": room}
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}
    await client.create(claim, kind=CLAIMS)
    return Key(room, name)


def mounting(*claims: str) -> list[dict[str, Any]]:
    return [{"name": f"v{number}", "persistentVolumeClaim": {"claimName": name}} for number, name in enumerate(claims)]


async def claim_of(client: Client, key: Key) -> PersistentVolumeClaim:
    return await client.get(PersistentVolumeClaim, key.name, key.namespace)


async def has_classes(client: Client, *names: str) -> bool:
    return set(names) <= {found["metadata"]["name"] for found in (await client.list(CLASSES)).items}


async def volume_of(client: Client, key: Key) -> PersistentVolume:
    """The volume to which the claim is bound, at last."""

    async def bound() -> str:
        claim = await claim_of(client, key)
        return claim.spec.volume_name if claim.status.phase == "Bound" else ""

    return await client.get(PersistentVolume, await until(bound))


async def test_a_volume_is_made_where_its_pod_goes_and_the_pod_follows_it(
    client: Client, room: str, pool: dict[str, str]
) -> None:
    small, large = await add_node(client, pool, "a", offers={"cpu": "1"}), await add_node(client, pool, "b")
    async with managed(client, *CONTROLLERS):
        key = await add_claim(client, room, "data", "local-path")
        pod = await add_pod(client, room, pool, "p", cpu="2", volumes=mounting("data"))
        assert await node_of(client, pod) == large

        claim, volume = await claim_of(client, key), await volume_of(client, key)
        assert claim.metadata.annotations[SELECTED_NODE] == large
        assert claim.spec.volume_name == volume.metadata.name  # bound before the pod was
        (term,) = volume.spec["nodeAffinity"]["required"]["nodeSelectorTerms"]
        assert term["matchExpressions"] == [{"key": "kubernetes.io/hostname", "operator": "In", "values": [large]}]

        await client.delete(PODS, pod, grace_seconds=0)
        again = await add_pod(client, room, pool, "again", cpu="1m", volumes=mounting("data"))
        assert await node_of(client, again) == large != small


async def test_a_claim_for_many_writers_without_a_class_is_served(
    client: Client, room: str, pool: dict[str, str]
) -> None:
    node = await add_node(client, pool, "a")
    async with managed(client, *CONTROLLERS):
        await until(lambda: has_classes(client, "local-path", "windlass-shared"))
        key = await add_claim(client, room, "data", None, mode="ReadWriteMany")
        pod = await add_pod(client, room, pool, "p", volumes=mounting("data"))

        assert await node_of(client, pod) == node
        assert (await claim_of(client, key)).spec.storage_class_name == "windlass-shared"


async def test_a_pod_reports_why_its_claim_has_no_volume(client: Client, room: str, pool: dict[str, str]) -> None:
    await add_node(client, pool, "a")
    async with managed(client, *CONTROLLERS):
        await add_claim(client, room, "data", "local-path", mode="ReadWriteMany")
        pod = await add_pod(client, room, pool, "p", volumes=mounting("data"))

        why = "not ReadWriteMany: use windlass-shared"
        message = await condition(client, pod, "Unschedulable", why)
        assert 'persistentvolumeclaim "data" has no volume: ' in message


async def test_a_claim_that_comes_after_its_pod_is_waited_for(client: Client, room: str, pool: dict[str, str]) -> None:
    node = await add_node(client, pool, "a")
    async with managed(client, *CONTROLLERS):
        pod = await add_pod(client, room, pool, "p", volumes=mounting("late"))
        assert await condition(client, pod, "Unschedulable", 'persistentvolumeclaim "late" not found')

        await add_claim(client, room, "late", "local-path")
        assert await node_of(client, pod) == node


@pytest.fixture
async def by_hand(client: Client, pool: dict[str, str]) -> str:
    """A class whose volumes an administrator makes."""
    name = f"by-hand-{pool['pool']}"
    made = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name}}
    mode = {"provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": "WaitForFirstConsumer"}
    await client.create({**made, **mode}, kind=CLASSES)
    return name


async def add_volume(client: Client, storage_class: str, name: str, node: str, size: str = "2Gi") -> str:
    here = {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}
    spec = {
        "storageClassName": storage_class,
        "capacity": {"storage": size},
        "accessModes": ["ReadWriteOnce"],
        "local": {"path": "/nowhere"},
        "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [here]}]}},
    }
    name = f"{name}-{storage_class}"
    volume = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec}
    await client.create(volume, kind=VOLUMES)
    return name


async def test_a_pod_with_two_claims_waits_until_there_are_two_volumes_where_it_goes(
    client: Client, room: str, pool: dict[str, str], by_hand: str
) -> None:
    node, other = await add_node(client, pool, "a"), await add_node(client, pool, "b")
    one = await add_volume(client, by_hand, "one", node)
    await add_volume(client, by_hand, "elsewhere", other)
    async with managed(client, *CONTROLLERS):
        keys = [await add_claim(client, room, name, by_hand) for name in ("x", "y")]
        pod = await add_pod(client, room, pool, "p", volumes=mounting("x", "y"))
        none = "2 node(s) didn't find available persistent volumes to bind"
        assert await condition(client, pod, "Unschedulable", none)

        two = await add_volume(client, by_hand, "two", node)
        assert await node_of(client, pod) == node
        assert {(await volume_of(client, key)).metadata.name for key in keys} == {one, two}


async def test_a_volume_that_was_promised_in_vain_is_free_for_others(
    client: Client, room: str, pool: dict[str, str], by_hand: str
) -> None:
    node = await add_node(client, pool, "a")
    volume = await add_volume(client, by_hand, "only", node)
    async with managed(client, SCHEDULER, persistent_volumes.CONTROLLER) as manager:  # nobody binds claims
        key = await add_claim(client, room, "first", by_hand)
        first = await add_pod(client, room, pool, "first", volumes=mounting("first"))

        async def is_promised() -> bool:
            found = await client.get(PersistentVolume, volume)
            return found.spec.get("claimRef", {}).get("name") == "first"

        await until(is_promised)
        await client.delete(PODS, first, grace_seconds=0)
        await client.delete(CLAIMS, key)

        async def is_forgotten() -> bool:
            return manager.store(typed(Pod)).get(first) is None

        await until(is_forgotten)  # else the volume is promised once more for a pod that is no more
        await client.patch(VOLUMES, Key("", volume), {"spec": {"claimRef": None}})
        await add_claim(client, room, "second", by_hand)
        await add_pod(client, room, pool, "second", volumes=mounting("second"))

        async def is_the_seconds() -> bool:
            found = await client.get(PersistentVolume, volume)
            return found.spec.get("claimRef", {}).get("name") == "second"

        await until(is_the_seconds)
