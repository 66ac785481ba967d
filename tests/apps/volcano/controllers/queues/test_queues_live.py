"""Queues and commands on the real server; groups are made by hand, as no scheduler runs."""

import uuid
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.kube.live import managed, until
from windlass.apis import scheduling_kube_batch_v1alpha1 as kube_batch
from windlass.apis.core_v1 import Event
from windlass.apis.scheduling_volcano_v1beta1 import PodGroup, PodGroupSpec, Queue, QueueSpec
from windlass.apps.volcano.controllers.names import COMPONENT, POD_GROUP, QUEUE
from windlass.apps.volcano.controllers.queues import command_service, queue_service
from windlass.apps.volcano.kinds.bus import Command
from windlass.kube.client import Client
from windlass.kube.errors import ApiError
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, ObjectMeta, OwnerReference

CONTROLLERS = (queue_service.CONTROLLER, queue_service.KUBE_BATCH, command_service.CONTROLLER)
KUBE_BATCH_QUEUE = KINDS.of(kube_batch.Queue)


@pytest.fixture
async def queues(client: Client) -> AsyncIterator[tuple[str, str]]:
    """A queue and one below it."""
    mark = uuid.uuid4().hex[:8]
    parent, child = f"parent-{mark}", f"child-{mark}"
    await client.create(Queue(metadata=ObjectMeta(name=parent)))
    await client.create(Queue(metadata=ObjectMeta(name=child), spec=QueueSpec(parent=parent)))
    yield parent, child
    for name in (child, parent):
        await client.delete(QUEUE, Key("", name))


async def states(client: Client, *names: str) -> list[Any]:
    return [(await client.get(Queue, name)).status.state for name in names]


async def event_for(client: Client, room: str, action: str, queue: str) -> None:
    found = await client.get(Queue, queue)
    target = OwnerReference(api_version=QUEUE.api_version, kind="Queue", name=queue, uid=found.metadata.uid)
    metadata = ObjectMeta(generate_name="command-", namespace=room)
    await client.create(Command(metadata=metadata, action=action, target=target))


async def become(client: Client, names: tuple[str, ...], *wanted: str) -> None:
    async def are() -> bool:
        return await states(client, *names) == list(wanted)

    await until(are)


async def test_closing_and_opening_a_queue_takes_those_below_it_along(
    client: Client, room: str, queues: tuple[str, str]
) -> None:
    async with managed(client, *CONTROLLERS):
        await become(client, queues, "Open", "Open")
        await event_for(client, room, "CloseQueue", queues[0])
        await become(client, queues, "Closed", "Closed")
        assert not (await client.list(Command, room)).items
        await event_for(client, room, "OpenQueue", queues[1])

        async def refused() -> Event | None:
            events = (await client.list(Event)).items
            return next((e for e in events if e.reason == "OpenQueue" and e.involved_object.name == queues[1]), None)

        event = await until(refused)
        assert event is not None
        assert (event.type, event.source.component) == ("Warning", COMPONENT)
        await event_for(client, room, "OpenQueue", queues[0])
        await become(client, queues, "Open", "Open")


async def test_a_queue_is_closing_for_as_long_as_groups_are_in_it(
    client: Client, room: str, queues: tuple[str, str]
) -> None:
    child = queues[1]
    async with managed(client, *CONTROLLERS):
        await become(client, queues, "Open", "Open")
        metadata = ObjectMeta(name="g", namespace=room)
        await client.create(PodGroup(metadata=metadata, spec=PodGroupSpec(min_member=1, queue=child)))
        await client.set_status(POD_GROUP, Key(room, "g"), {"phase": "Running"})

        async def counted() -> bool:
            return (await client.get(Queue, child)).status.running == 1

        await until(counted)
        await event_for(client, room, "CloseQueue", child)
        await become(client, (child,), "Closing")
        with pytest.raises(ApiError, match="can only submit PodGroup to queue with state `Open`"):
            await client.create(PodGroup(metadata=ObjectMeta(name="h", namespace=room), spec=PodGroupSpec(queue=child)))
        await client.delete(POD_GROUP, Key(room, "g"))
        await become(client, (child,), "Closed")
        await event_for(client, room, "OpenQueue", child)
        await become(client, (child,), "Open")


async def test_a_command_that_was_given_while_nobody_listened_is_followed_once(
    client: Client, room: str, queues: tuple[str, str]
) -> None:
    await event_for(client, room, "CloseQueue", queues[1])
    async with managed(client, *CONTROLLERS):
        await become(client, queues, "Open", "Closed")
        await event_for(client, room, "OpenQueue", queues[1])
        await become(client, queues, "Open", "Open")


async def test_queues_of_kube_batch_count_their_groups(client: Client, room: str) -> None:
    name = f"kb-{uuid.uuid4().hex[:8]}"
    await client.create(kube_batch.Queue(metadata=ObjectMeta(name=name), spec=kube_batch.QueueSpec(weight=1)))
    group = kube_batch.PodGroup(
        metadata=ObjectMeta(name="g", namespace=room), spec=kube_batch.PodGroupSpec(min_member=1, queue=name)
    )
    await client.create(group)
    await client.set_status(KINDS.of(kube_batch.PodGroup), Key(room, "g"), {"phase": "Pending"})
    async with managed(client, *CONTROLLERS):

        async def counted() -> bool:
            return (await client.get(kube_batch.Queue, name)).status.pending == 1

        await until(counted)
    await client.delete(KUBE_BATCH_QUEUE, Key("", name))
