"""Gangs against the real server, with Node objects that no agent stands behind."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.kube.live import managed, until
from tests.scheduler.live.objects import PODS, add_node, add_pod, condition, events, node_of
from windlass.apis.core_v1 import Pod
from windlass.apis.gang_waits import gang_wait
from windlass.apis.reasons import REASON_ANNOTATION, GangIncomplete, GangReason, GangUnschedulable, NodesUnfit
from windlass.apis.wellknown import POD_GROUP_NAME_ANNOTATION, TASK_SPEC_ANNOTATION
from windlass.kube.client import Client
from windlass.kube.json import Object as Json
from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.kube.view import untyped
from windlass.scheduler.live.service import SCHEDULER
from windlass.scheduler.model.pod_groups import (
    BY_SCHEDULER,
    COSCHEDULING,
    GROUP_KINDS,
    GROUP_LABEL,
    KUBE_BATCH,
    VOLCANO,
)


@pytest.fixture(autouse=True)
async def kinds(client: Client) -> None:
    """The three kinds of group are served, as they are soon after the server's start."""
    for kind in GROUP_KINDS:
        await until(lambda kind=kind: _served(client, kind))


async def _served(client: Client, kind: Kind) -> bool:
    return kind in await client.served(refresh=True)


async def add_group(client: Client, room: str, name: str, kind: Kind = VOLCANO, **spec: Any) -> Key:
    await client.create(
        {
            "apiVersion": kind.api_version,
            "kind": "PodGroup",
            "metadata": {"name": name, "namespace": room},
            "spec": spec,
        },
        kind=kind,
    )
    return Key(room, name)


async def add_member(
    client: Client, room: str, pool: dict[str, str], name: str, group: str, scheduler: str = "volcano", **spec: Any
) -> Key:
    by_label = BY_SCHEDULER[scheduler] == (COSCHEDULING,)
    metadata = {"labels": {GROUP_LABEL: group}} if by_label else {"annotations": {POD_GROUP_NAME_ANNOTATION: group}}
    return await add_pod(client, room, pool, name, schedulerName=scheduler, metadata=metadata, **spec)


async def bound(client: Client, room: str) -> list[str]:
    return sorted(p.metadata.name for p in (await client.list(Pod, room)).items if p.spec.node_name)


def phase_is(client: Client, kind: Kind, key: Key, phase: str) -> Callable[[], Awaitable[Json]]:
    async def asked() -> Json:
        status = (await client.get(untyped(kind), key.name, key.namespace)).get("status") or {}
        return status if status.get("phase") == phase else {}

    return asked


def says(client: Client, kind: Kind, key: Key, text: str) -> Callable[[], Awaitable[Json]]:
    """A condition of a group holds a text; the condition."""

    async def asked() -> Json:
        status = (await client.get(untyped(kind), key.name, key.namespace)).get("status") or {}
        return next((each for each in status.get("conditions", []) if text in each.get("message", "")), {})

    return asked


@pytest.mark.parametrize("scheduler", [*BY_SCHEDULER])
async def test_with_room_for_five_of_six_none_is_bound_and_with_more_all_are(
    client: Client, room: str, pool: dict[str, str], scheduler: str
) -> None:
    await add_node(client, pool, "a", offers={"cpu": "5"})
    kind = BY_SCHEDULER[scheduler][0]
    group = await add_group(client, room, "gang", kind, minMember=6)
    async with managed(client, SCHEDULER):
        keys = [await add_member(client, room, pool, f"p{number}", "gang", scheduler) for number in range(6)]
        for key in keys:
            assert await condition(client, key, "Unschedulable")
        assert await bound(client, room) == []
        if kind != COSCHEDULING:
            told = await until(says(client, kind, group, "6/6 tasks in gang unschedulable: "))
            assert (told["type"], told["status"], told["reason"]) == ("Unschedulable", "True", "NotEnoughResources")

        await add_node(client, pool, "b", offers={"cpu": "1"})
        for key in keys:
            assert await node_of(client, key)
        assert await until(lambda: events(client, room, "Scheduled"))


async def test_the_reason_for_which_a_volcano_group_waits_is_on_it_as_data_until_it_starts(
    client: Client, room: str, pool: dict[str, str]
) -> None:
    group = await add_group(client, room, "gang", minMember=2)
    await add_node(client, pool, "a", offers={"cpu": "1"})

    async def waits_with(kind: type[GangReason]) -> GangReason | None:
        wait = gang_wait(await client.get(untyped(VOLCANO), group.name, group.namespace))
        return wait.data if wait is not None and isinstance(wait.data, kind) else None

    async def is_clean() -> bool:
        found = await client.get(untyped(VOLCANO), group.name, group.namespace)
        return REASON_ANNOTATION not in (found["metadata"].get("annotations") or {})

    async with managed(client, SCHEDULER):
        await add_member(client, room, pool, "p0", "gang")
        assert await until(lambda: waits_with(GangIncomplete)) == GangIncomplete(1, 2)

        await add_member(client, room, pool, "p1", "gang")
        found = await until(lambda: waits_with(GangUnschedulable))
        assert isinstance(found, GangUnschedulable)
        assert (found.needed, found.pending, found.min_available) == (2, 2, 2)
        assert isinstance(found.origin, NodesUnfit)

        await add_node(client, pool, "b", offers={"cpu": "4"})
        await until(is_clean)


async def test_nothing_is_bound_before_the_whole_gang_is_there(client: Client, room: str, pool: dict[str, str]) -> None:
    await add_node(client, pool, "a", offers={"cpu": "64"})
    group = await add_group(client, room, "gang", minMember=3)
    async with managed(client, SCHEDULER):
        first = [await add_member(client, room, pool, f"p{number}", "gang") for number in range(2)]
        await until(says(client, VOLCANO, group, "Not enough valid tasks for gang-scheduling, valid: 2, min: 3"))
        assert await condition(client, first[0], "Unschedulable", "valid: 2, min: 3")
        assert await bound(client, room) == []

        last = await add_member(client, room, pool, "p2", "gang")
        for key in (*first, last):
            assert await node_of(client, key)
        await until(phase_is(client, VOLCANO, group, "Running"))


async def test_of_two_gangs_that_compete_one_is_whole_and_the_other_waits(
    client: Client, room: str, pool: dict[str, str]
) -> None:
    await add_node(client, pool, "a", offers={"cpu": "6"})
    for name in "xy":
        await add_group(client, room, name, minMember=4)
    async with managed(client, SCHEDULER):
        await asyncio.gather(
            *(add_member(client, room, pool, f"{name}{number}", name) for number in range(4) for name in "xy")
        )

        async def one_is_whole() -> str:
            there = await bound(client, room)
            assert len({name[0] for name in there}) <= 1, there
            return there[0][0] if len(there) == 4 else ""

        winner = await until(one_is_whole)
        loser = "y" if winner == "x" else "x"
        await condition(client, Key(room, f"{loser}0"), "Unschedulable")
        for number in range(4):
            await client.delete(PODS, Key(room, f"{winner}{number}"), grace_seconds=0)
        for number in range(4):
            assert await node_of(client, Key(room, f"{loser}{number}"))


async def test_a_volcano_group_is_let_in_when_its_resources_are_free(
    client: Client, room: str, pool: dict[str, str]
) -> None:
    special = f"example.com/{pool['pool']}"
    await add_node(client, pool, "a", offers={special: "5"})
    group = await add_group(client, room, "gang", minMember=7, minResources={special: "7"})
    async with managed(client, SCHEDULER):
        told = await until(says(client, VOLCANO, group, f"overused {special}"))
        assert told["reason"] == "NotEnqueueable"
        await until(phase_is(client, VOLCANO, group, "Pending"))

        await add_node(client, pool, "b", offers={special: "2"})
        await until(phase_is(client, VOLCANO, group, "Inqueue"))


async def test_a_kube_batch_group_and_one_of_scheduler_plugins_have_phases_of_their_own(
    client: Client, room: str, pool: dict[str, str]
) -> None:
    await add_node(client, pool, "a")
    old = await add_group(client, room, "old", KUBE_BATCH, minMember=1)
    new = await add_group(client, room, "new", COSCHEDULING, minMember=1)
    async with managed(client, SCHEDULER):
        await until(phase_is(client, KUBE_BATCH, old, "Pending"))
        await until(phase_is(client, COSCHEDULING, new, "Pending"))
        one = await add_member(client, room, pool, "one", "old", "kube-batch")
        two = await add_member(client, room, pool, "two", "new", "scheduler-plugins")
        assert await node_of(client, one)
        assert await node_of(client, two)
        await until(phase_is(client, KUBE_BATCH, old, "Running"))
        await until(phase_is(client, COSCHEDULING, new, "Scheduling"))

        await client.patch(PODS, two, {"status": {"phase": "Running"}}, subresource="status")
        status = await until(phase_is(client, COSCHEDULING, new, "Running"))
        assert status["running"] == 1


async def test_pods_whose_group_is_missing_wait_for_it_and_say_so(
    client: Client, room: str, pool: dict[str, str]
) -> None:
    await add_node(client, pool, "a")
    async with managed(client, SCHEDULER):
        key = await add_member(client, room, pool, "p", "late")
        assert await condition(client, key, "Unschedulable") == f'pod group "late" not found in namespace "{room}"'

        await add_group(client, room, "late", minMember=1)
        assert await node_of(client, key)


async def test_a_lower_minimum_releases_a_gang(client: Client, room: str, pool: dict[str, str]) -> None:
    await add_node(client, pool, "a", offers={"cpu": "2"})
    group = await add_group(client, room, "gang", minMember=10)
    async with managed(client, SCHEDULER):
        keys = [await add_member(client, room, pool, f"p{number}", "gang") for number in range(2)]
        await until(says(client, VOLCANO, group, "valid: 2, min: 10"))

        await client.patch(VOLCANO, group, {"spec": {"minMember": 2}})
        for key in keys:
            assert await node_of(client, key)


async def test_a_pod_of_another_scheduler_name_without_a_group_is_placed_alone_but_volcanos_waits_for_one(
    client: Client, room: str, pool: dict[str, str]
) -> None:
    node = await add_node(client, pool, "a")
    async with managed(client, SCHEDULER):
        waits = await add_pod(client, room, pool, "waits", cpu="100m", schedulerName="volcano")
        for number, scheduler in enumerate(name for name in BY_SCHEDULER if name != "volcano"):
            key = await add_pod(client, room, pool, f"p{number}", cpu="100m", schedulerName=scheduler)
            assert await node_of(client, key) == node
        assert await condition(client, waits, "Unschedulable", "has no pod group")


async def test_a_scheduler_that_starts_anew_completes_what_was_begun(
    client: Client, room: str, pool: dict[str, str]
) -> None:
    await add_node(client, pool, "a")
    group = await add_group(client, room, "gang", minMember=3)
    async with managed(client, SCHEDULER):
        for number in range(3):
            await add_member(client, room, pool, f"p{number}", "gang")
        await until(phase_is(client, VOLCANO, group, "Running"))
    await client.delete(PODS, Key(room, "p1"), grace_seconds=0)
    async with managed(client, SCHEDULER):
        assert await node_of(client, await add_member(client, room, pool, "p1", "gang"))


async def test_each_role_of_a_volcano_group_has_its_minimum(client: Client, room: str, pool: dict[str, str]) -> None:
    await add_node(client, pool, "a", offers={"cpu": "3"})
    await add_group(client, room, "gang", minMember=3, minTaskMember={"ps": 1, "worker": 2})
    async with managed(client, SCHEDULER):
        workers = [await add_role(client, room, pool, f"w{number}", "worker") for number in range(3)]
        assert await condition(client, workers[0], "Unschedulable", "pods of each task")
        assert await bound(client, room) == []

        ps = await add_role(client, room, pool, "ps0", "ps")
        assert await node_of(client, ps)
        await until(lambda: enough(client, room))


async def add_role(client: Client, room: str, pool: dict[str, str], name: str, role: str) -> Key:
    marks = {"annotations": {POD_GROUP_NAME_ANNOTATION: "gang", TASK_SPEC_ANNOTATION: role}}
    return await add_pod(client, room, pool, name, schedulerName="volcano", metadata=marks)


async def enough(client: Client, room: str) -> bool:
    return len(await bound(client, room)) == 3
