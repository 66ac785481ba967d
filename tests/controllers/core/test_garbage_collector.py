import asyncio
from typing import Any

import pytest

from tests.kube.live import managed, until
from windlass.apis import crd
from windlass.apis.apiextensions_v1 import CustomResourceDefinition
from windlass.apis.core_v1 import ConfigMap, Event, Namespace, Secret
from windlass.apis.scheduling_volcano_v1beta1 import Queue
from windlass.controllers.core import garbage_collector
from windlass.controllers.core.garbage_collector import collectable
from windlass.kube import errors
from windlass.kube.client import Client
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key, Object, ObjectMeta, OwnerReference
from windlass.kube.objects import owner_reference

MAP, SECRET = KINDS.of(ConfigMap), KINDS.of(Secret)
GARBAGE = garbage_collector.CONTROLLER


def owned_by(*owners: Object) -> list[OwnerReference]:
    return [owner_reference(owner, KINDS.of(type(owner)), controller=n == 0) for n, owner in enumerate(owners)]


async def an_owner(client: Client, room: str, name: str = "owner", *owners: Object) -> ConfigMap:
    metadata = ObjectMeta(name=name, namespace=room, owner_references=owned_by(*owners))
    return await client.create(ConfigMap(metadata=metadata))


async def a_child(client: Client, room: str, name: str, *owners: Object, finalizers: Any = ()) -> Secret:
    metadata = ObjectMeta(name=name, namespace=room, owner_references=owned_by(*owners), finalizers=list(finalizers))
    return await client.create(Secret(metadata=metadata))


async def gone(client: Client, kind: Kind, room: str, name: str) -> bool:
    try:
        await client.get(kind, name, room)
    except errors.NotFound:
        return True
    return False


async def names(client: Client, room: str) -> set[str]:
    listed = [*(await client.list(Secret, room)).items, *(await client.list(ConfigMap, room)).items]
    return {obj.metadata.name for obj in listed}


async def test_dependents_follow_their_owner_in_the_background_to_any_depth(client: Client, room: str) -> None:
    async with managed(client, GARBAGE):
        owner = await an_owner(client, room)
        middle = await an_owner(client, room, "middle", owner)
        await a_child(client, room, "leaf", middle)
        await a_child(client, room, "stranger")

        await client.delete(MAP, Key(room, "owner"), propagation="Background")

        async def only_the_stranger() -> bool:
            return await names(client, room) == {"stranger"}

        await until(only_the_stranger)


async def test_in_the_foreground_dependents_go_first(client: Client, room: str) -> None:
    async with managed(client, GARBAGE):
        owner = await an_owner(client, room)
        await a_child(client, room, "held", owner, finalizers=["test.windlass.dev/hold"])

        await client.delete(MAP, Key(room, "owner"), propagation="Foreground")

        async def child_is_going() -> bool:
            return (await client.get(Secret, "held", room)).metadata.deletion_timestamp is not None

        await until(child_is_going)
        assert (await client.get(ConfigMap, "owner", room)).metadata.finalizers == ["foregroundDeletion"]
        await client.patch(SECRET, Key(room, "held"), {"metadata": {"finalizers": None}})
        await until(lambda: gone(client, MAP, room, "owner"))
        assert await names(client, room) == set()


async def test_orphaned_dependents_stay_without_an_owner(client: Client, room: str) -> None:
    async with managed(client, GARBAGE):
        owner = await an_owner(client, room)
        for n in range(3):
            await a_child(client, room, f"child-{n}", owner)

        await client.delete(MAP, Key(room, "owner"), propagation="Orphan")
        await until(lambda: gone(client, MAP, room, "owner"))

        children = (await client.list(Secret, room)).items
        assert [child.metadata.owner_references for child in children] == [[], [], []]


async def test_an_object_with_another_owner_loses_only_the_reference(client: Client, room: str) -> None:
    async with managed(client, GARBAGE):
        first, second = await an_owner(client, room, "first"), await an_owner(client, room, "second")
        await a_child(client, room, "child", first, second)

        await client.delete(MAP, Key(room, "first"))

        async def one_owner() -> bool:
            owners = (await client.get(Secret, "child", room)).metadata.owner_references
            return [owner.name for owner in owners] == ["second"]

        await until(one_owner)


async def test_an_owner_that_never_was_or_was_replaced_does_not_keep_its_dependents(client: Client, room: str) -> None:
    owner = await an_owner(client, room)
    await client.delete(MAP, Key(room, "owner"))
    await an_owner(client, room)  # the same name, another uid
    await a_child(client, room, "child", owner)

    async with managed(client, GARBAGE):
        await until(lambda: gone(client, SECRET, room, "child"))
        assert not await gone(client, MAP, room, "owner")


async def test_an_owner_in_another_namespace_does_not_count(client: Client, room: str) -> None:
    other = (await client.create(Namespace(metadata=ObjectMeta(generate_name="other-")))).metadata.name
    owner = await an_owner(client, other)
    await a_child(client, room, "child", owner)

    async with managed(client, GARBAGE):
        await until(lambda: gone(client, SECRET, room, "child"))

        async def told() -> list[str]:
            return [e.message for e in (await client.list(Event, room)).items if e.reason == "OwnerRefInvalidNamespace"]

        (message,) = await until(told)
        assert message.endswith(f'does not exist in namespace "{room}"')


async def test_a_cluster_scoped_owner_counts_everywhere(client: Client, room: str) -> None:
    owner = await client.create(Namespace(metadata=ObjectMeta(generate_name="owner-")))
    async with managed(client, GARBAGE) as manager:
        await a_child(client, room, "child", owner)
        mapped = await an_owner(client, room)
        await a_child(client, room, "probe", mapped)
        await client.delete(MAP, Key(room, "owner"))
        await until(lambda: gone(client, SECRET, room, "probe"))

        assert not await gone(client, SECRET, room, "child")
        assert manager


async def test_two_that_own_each_other_go_when_one_is_deleted_in_the_foreground(client: Client, room: str) -> None:
    first = await an_owner(client, room, "first")
    second = await an_owner(client, room, "second", first)
    await client.patch(
        MAP,
        Key(room, "first"),
        {"metadata": {"ownerReferences": [
            {"apiVersion": "v1", "kind": "ConfigMap", "name": "second", "uid": second.metadata.uid,
             "blockOwnerDeletion": True},
        ]}},
    )  # fmt: skip
    async with managed(client, GARBAGE):
        await client.delete(MAP, Key(room, "first"), propagation="Foreground")

        async def none() -> bool:
            return await names(client, room) == set()

        await until(none)


async def test_objects_of_a_kind_that_came_later_are_owners_too(client: Client, room: str) -> None:
    async with managed(client, GARBAGE):
        await client.apply(crd.definition(Queue))

        async def created() -> Queue | None:
            found = await client.get(CustomResourceDefinition, "queues.scheduling.volcano.sh")
            if not any(c.type == "Established" and c.status == "True" for c in found.status.conditions):
                return None
            return await client.create(Queue(metadata=ObjectMeta(name=f"{room}-queue")))

        queue = await until(created)
        assert queue is not None
        await a_child(client, room, "child", queue)
        await client.delete(KINDS.of(Queue), Key("", f"{room}-queue"))

        await until(lambda: gone(client, SECRET, room, "child"))


async def test_what_was_deleted_while_nobody_collected_is_collected_later(client: Client, room: str) -> None:
    owner = await an_owner(client, room)
    await asyncio.gather(*(a_child(client, room, f"child-{n}", owner) for n in range(20)))
    await client.delete(MAP, Key(room, "owner"))

    async with managed(client, GARBAGE):

        async def none() -> bool:
            return await names(client, room) == set()

        await until(none)


@pytest.mark.parametrize(
    ("group", "plural", "verbs", "is_followed"),
    [
        ("", "pods", {"list", "watch", "delete"}, True),
        ("", "bindings", {"create"}, False),
        ("", "events", {"list", "watch", "delete"}, False),
        ("events.k8s.io", "events", {"list", "watch", "delete"}, False),
    ],
)
def test_which_kinds_are_followed(group: str, plural: str, verbs: set[str], is_followed: bool) -> None:
    kind = Kind(group=group, version="v1", name="K", plural=plural, verbs=frozenset(verbs))

    assert bool(collectable([kind])) is is_followed


def test_of_a_kind_in_two_versions_the_first_is_followed() -> None:
    new, old = (Kind(group="g", version=v, name="K", plural="ks") for v in ("v2", "v1"))

    assert collectable([new, old]) == {("g", "ks"): new}
