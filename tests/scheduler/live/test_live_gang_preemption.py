"""Gangs that make room for themselves, with a real server."""

from typing import Any

from tests.kube.live import managed, until
from tests.scheduler.live.objects import PODS, add_node, add_pod, add_priority_class, condition, events, node_of
from windlass.apis.core_v1 import Pod
from windlass.apis.wellknown import POD_GROUP_NAME_ANNOTATION
from windlass.kube.client import Client
from windlass.kube.meta import Key
from windlass.scheduler.live.service import SCHEDULER
from windlass.scheduler.model.pod_groups import VOLCANO


async def add_gang(
    client: Client, room: str, pool: dict[str, str], name: str, pods: int, least: int, class_name: str, **pod: Any
) -> list[Key]:
    async def is_served() -> bool:
        return VOLCANO in await client.served(refresh=True)

    await until(is_served)
    spec = {"minMember": least, "priorityClassName": class_name}
    metadata = {"name": name, "namespace": room}
    await client.create(
        {"apiVersion": VOLCANO.api_version, "kind": "PodGroup", "metadata": metadata, "spec": spec}, kind=VOLCANO
    )
    more = {"schedulerName": "volcano", "priorityClassName": class_name, **pod}
    marks = {"annotations": {POD_GROUP_NAME_ANNOTATION: name}}
    return [await add_pod(client, room, pool, f"{name}-{at}", metadata=marks, **more) for at in range(pods)]


async def test_what_others_can_spare_goes_the_room_is_promised_and_the_gang_starts_as_a_whole(
    client: Client, room: str, pool: dict[str, str]
) -> None:
    node = await add_node(client, pool, "a", offers={"cpu": "8"})
    low, high = await add_priority_class(client, pool, 10), await add_priority_class(client, pool, 1000)
    async with managed(client, SCHEDULER):
        large = await add_gang(client, room, pool, "large", 4, 4, low)
        spread = await add_gang(client, room, pool, "spread", 4, 1, low, terminationGracePeriodSeconds=3600)
        for key in (*large, *spread):
            assert await node_of(client, key) == node
        important = await add_gang(client, room, pool, "important", 3, 3, high)

        async def going() -> list[Pod]:
            found = [one for one in (await client.list(Pod, room)).items if one.metadata.deletion_timestamp]
            return found if len(found) == 3 else []

        victims = await until(going)
        assert {one.metadata.name.split("-")[0] for one in victims} == {"spread"}
        conditions = {(one.type, one.status, one.reason) for one in victims[0].status.conditions}
        assert ("DisruptionTarget", "True", "PreemptionByScheduler") in conditions

        async def are_promised() -> bool:
            pods = [await client.get(Pod, key.name, room) for key in important]
            return all(one.status.nominated_node_name == node and not one.spec.node_name for one in pods)

        await until(are_promised)
        for victim in victims:  # as the node's agent would, once they have ended
            await client.delete(PODS, victim.metadata.key, grace_seconds=0)
        for key in important:
            assert await node_of(client, key) == node
        for key in large:
            assert not (await client.get(Pod, key.name, room)).metadata.deletion_timestamp
        assert "Pod is evicted, because of preempt" in await until(lambda: events(client, room, "Evict"))


async def test_preemption_works_after_a_running_gang_was_deleted(
    client: Client, room: str, pool: dict[str, str]
) -> None:
    """The group goes while its pods are still terminating: what these release goes with them."""
    node = await add_node(client, pool, "a", offers={"cpu": "2"})
    low, high = await add_priority_class(client, pool, 1), await add_priority_class(client, pool, 1001)
    async with managed(client, SCHEDULER):
        first = await add_gang(client, room, pool, "first", 2, 2, low, terminationGracePeriodSeconds=3600)
        for key in first:
            await node_of(client, key)
            await client.delete(PODS, key)
        await client.delete(VOLCANO, Key(room, "first"))
        waits = await add_gang(client, room, pool, "low", 2, 1, low, terminationGracePeriodSeconds=3600)
        told = await condition(client, waits[0], "Unschedulable", "terminating there: ")
        assert f"{room}/first-0" in told
        for key in first:  # as the node's agent would, once they have ended
            await client.delete(PODS, key, grace_seconds=0)
        for key in waits:
            assert await node_of(client, key) == node

        important = (await add_gang(client, room, pool, "high", 1, 1, high))[0]

        told = await condition(client, important, "Unschedulable", "(preempted for it)")
        assert "once resource is released and minAvailable is satisfied; terminating there: " in told

        async def going() -> list[Pod]:
            return [one for one in (await client.list(Pod, room)).items if one.metadata.deletion_timestamp]

        victims = await until(going)
        assert [one.metadata.name.split("-")[0] for one in victims] == ["low"]
        assert str(victims[0].metadata.key) in told
        await client.delete(PODS, victims[0].metadata.key, grace_seconds=0)
        assert await node_of(client, important) == node
