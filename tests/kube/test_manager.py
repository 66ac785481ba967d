"""The runtime as a whole, on the toy of `crew`."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from prometheus_client import generate_latest

from tests.kube.crew import CREW, Counting, a_crew, is_true, secrets
from tests.kube.live import client_of, managed, until
from tests.support import Windlass
from windlass.apis import core_v1, crd
from windlass.apis.apiextensions_v1 import CustomResourceDefinition
from windlass.apis.core_v1 import ConfigMap, Namespace, Secret, ServiceAccount
from windlass.apis.scheduling_volcano_v1beta1 import Queue, QueueSpec, QueueStatus
from windlass.kube import errors
from windlass.kube.api import Runtime
from windlass.kube.applier import Applier
from windlass.kube.client import Client
from windlass.kube.controller import Acting, Controller, Key, Matching, Naming, Observed, Service
from windlass.kube.informer import Informers
from windlass.kube.kind import KINDS
from windlass.kube.manager import Manager
from windlass.kube.meta import LabelSelector, ObjectMeta
from windlass.kube.plan import Adopt, Apply, Create, CreateUnowned, Event, Outcome, Patch, Plan
from windlass.kube.view import metadata_only

MAP, SECRET, QUEUE = KINDS.of(ConfigMap), KINDS.of(Secret), KINDS.of(Queue)


async def test_children_are_made_owned_scaled_and_healed(client: Client, room: str) -> None:
    async with managed(client, CREW):
        owner = await client.create(a_crew(room, size="2"))

        async def names() -> list[str]:
            return [s.metadata.name for s in await secrets(client, room)]

        async def there_are(*wanted: str) -> bool:
            return await names() == list(wanted)

        await until(lambda: there_are("crew-0", "crew-1"))
        reference = (await secrets(client, room))[0].metadata.controller
        assert reference is not None
        assert (reference.uid, reference.kind, reference.block_owner_deletion) == (
            owner.metadata.uid,
            "ConfigMap",
            True,
        )

        await client.delete(SECRET, Key(room, "crew-1"))
        await until(lambda: there_are("crew-0", "crew-1"))
        await client.patch(MAP, Key(room, "crew"), {"data": {"size": "1"}})
        await until(lambda: there_are("crew-0"))


async def test_what_is_created_once_is_left_as_it_becomes(client: Client, room: str) -> None:
    def once(crew: ConfigMap, observed: Observed) -> Plan:
        wanted = Secret(metadata=ObjectMeta(name=f"{crew.metadata.name}-key"), data={})
        return Plan([*([Create(wanted)] if "crew" in crew.metadata.labels else [])])

    async with managed(client, Controller("once", ConfigMap, once, owns=[Secret])):
        await client.create(a_crew(room))

        async def made() -> bool:
            return len(await secrets(client, room)) == 1

        await until(made)
        await client.patch(SECRET, Key(room, "crew-key"), {"metadata": {"labels": {"theirs": "1"}}})
        await client.patch(MAP, Key(room, "crew"), {"data": {"x": "1"}})
        await client.delete(SECRET, Key(room, "crew-key"))
        await until(made)
    assert (await secrets(client, room))[0].metadata.labels == {}


async def test_orphans_that_match_can_be_adopted(client: Client, room: str) -> None:
    selector = LabelSelector(match_labels={"crew": "crew"})

    def adopting(crew: ConfigMap, observed: Observed) -> Plan:
        orphans = [s for s in observed.matching(Secret, selector) if s.metadata.controller is None]
        return Plan([*([*map(Adopt, orphans)] if "crew" in crew.metadata.labels else [])])

    for name, labels in (("ours", {"crew": "crew"}), ("theirs", {"crew": "other"})):
        await client.create(Secret(metadata=ObjectMeta(name=name, namespace=room, labels=labels)))
    async with managed(client, Controller("adopting", ConfigMap, adopting, owns=[Secret])):
        owner = await client.create(a_crew(room))

        async def owners() -> dict[str, list[str]] | None:
            found = {s.metadata.name: [o.uid for o in s.metadata.owner_references] for s in await secrets(client, room)}
            return found if found["ours"] else None

        assert await until(owners) == {"ours": [owner.metadata.uid], "theirs": []}


async def test_reading_a_kind_that_is_not_declared_is_an_error_and_not_an_empty_answer(
    client: Client, room: str, caplog: pytest.LogCaptureFixture
) -> None:
    def careless(crew: ConfigMap, observed: Observed) -> Plan:
        observed.all(Secret)
        return Plan()

    async with managed(client, Controller("careless", ConfigMap, careless)):
        await client.create(a_crew(room))

        async def logged() -> bool:
            return "declares it in neither owns nor watches" in caplog.text

        await until(logged)


async def test_nothing_is_written_when_nothing_would_change(bare_server: Windlass, client: Client, room: str) -> None:
    counting = Counting(client_of(bare_server)._transport)  # pyright: ignore[reportPrivateUsage] - wrapped here
    async with Client(counting) as counted, managed(counted, CREW) as manager:
        await client.create(a_crew(room, size="2"))

        async def both() -> bool:
            return len(await secrets(client, room)) == 2

        await until(both)
        reconciles = manager.metrics.reconciles.labels("crew", "success")
        before = reconciles._value.get()  # pyright: ignore[reportPrivateUsage] - prometheus has no other way to read
        for n in range(3):
            await client.patch(MAP, Key(room, "crew"), {"data": {"unrelated": str(n)}})

            async def reconciled(at_least: float = before + n + 1) -> bool:
                return reconciles._value.get() >= at_least  # pyright: ignore[reportPrivateUsage] - as above

            await until(reconciled)

        written = [w for w in counting.writes if "/secrets" in w and room in w]
        assert len(written) == 2, written


def recruit(crew: ConfigMap, observed: Observed) -> Plan:
    """A child that is created first, since that may be refused, and kept as it should be from then on."""
    if "crew" not in crew.metadata.labels:
        return Plan()
    child = Secret(metadata=ObjectMeta(name="recruit", labels={"size": crew.data.get("size", "1")}))
    return Plan([Apply(child)]) if observed.owned(Secret) else Plan([Create(child)])


async def test_a_child_that_was_just_created_is_not_applied_unless_it_changes(
    bare_server: Windlass, client: Client, room: str
) -> None:
    counting = Counting(client_of(bare_server)._transport)  # pyright: ignore[reportPrivateUsage] - wrapped here

    async def size_is(size: str) -> bool:
        return [each.metadata.labels["size"] for each in await secrets(client, room)] == [size]

    recruiting = Controller("recruit", ConfigMap, recruit, owns=[Secret])
    async with Client(counting) as counted, managed(counted, recruiting) as manager:
        await client.create(a_crew(room))
        await until(lambda: size_is("1"))
        reconciles = manager.metrics.reconciles.labels("recruit", "success")
        await until(lambda: is_true(reconciles._value.get() >= 2))  # pyright: ignore[reportPrivateUsage] - prometheus has no other way to read
        await client.patch(MAP, Key(room, "crew"), {"data": {"size": "2"}})
        await until(lambda: size_is("2"))

    written = [write.split()[0] for write in counting.writes if f"{room}/secrets" in write]
    assert written == ["POST", "PATCH"]


def keepsake(crew: ConfigMap, observed: Observed) -> Plan:
    """A child whose data is written and never read."""
    if "crew" not in crew.metadata.labels:
        return Plan()
    return Plan([Apply(Secret(metadata=ObjectMeta(name="kept"), data={"size": crew.data["size"]}))])


KEEPSAKE = Controller("keepsake", ConfigMap, keepsake, owns=[metadata_only(Secret)])


async def test_a_child_of_which_only_metadata_is_cached_is_written_when_it_must_be(
    bare_server: Windlass, client: Client, room: str
) -> None:
    counting = Counting(client_of(bare_server)._transport)  # pyright: ignore[reportPrivateUsage] - wrapped here

    def writes() -> int:
        return sum(f"{room}/secrets" in write for write in counting.writes)

    async def kept(size: str) -> bool:
        found = (await client.list(Secret, room)).items
        return [each.data.get("size") for each in found] == [size]

    async with Client(counting) as counted:
        async with managed(counted, KEEPSAKE) as manager:
            await client.create(a_crew(room, size="MQ=="))
            await until(lambda: kept("MQ=="))
            reconciles = manager.metrics.reconciles.labels("keepsake", "success")
            before = reconciles._value.get()  # pyright: ignore[reportPrivateUsage] - prometheus has no other way to read
            await client.patch(MAP, Key(room, "crew"), {"data": {"unrelated": "1"}})
            await until(lambda: is_true(reconciles._value.get() > before))  # pyright: ignore[reportPrivateUsage] - as above
            assert writes() == 1

            await client.patch(MAP, Key(room, "crew"), {"data": {"size": "Mg=="}})
            await until(lambda: kept("Mg=="))
            await client.patch(SECRET, Key(room, "kept"), {"data": {"size": "Mw=="}})
            await until(lambda: is_true(writes() == 3))
            await until(lambda: kept("Mg=="))
        await client.patch(SECRET, Key(room, "kept"), {"data": {"size": "Mw=="}})
        async with managed(counted, KEEPSAKE):
            await until(lambda: kept("Mg=="))
    assert writes() == 4


async def test_an_orphan_of_the_right_name_is_adopted(client: Client, room: str) -> None:
    await client.create(Secret(metadata=ObjectMeta(name="crew-0", namespace=room, labels={"mine": "1"})))
    async with managed(client, CREW):
        owner = await client.create(a_crew(room))

        async def adopted() -> Secret | None:
            found = await client.get(Secret, "crew-0", room)
            return found if found.metadata.controller else None

        child = await until(adopted)
        assert child is not None
        assert child.metadata.controller is not None
        assert child.metadata.controller.uid == owner.metadata.uid
        assert child.metadata.labels == {"mine": "1", "crew": "crew"}


async def test_an_orphan_is_left_alone_by_a_controller_that_changes_none(client: Client, room: str) -> None:
    await client.create(Secret(metadata=ObjectMeta(name="crew-0", namespace=room, labels={"mine": "1"})))
    alike = ObjectMeta(name="crew-1", namespace=room, labels={"mine": "1", "crew": "crew"})
    await client.create(Secret(metadata=alike))
    async with managed(client, replace(CREW, changes_orphans=False)):
        owner = await client.create(a_crew(room, size="1"))

        async def reported() -> list[str]:
            events = (await client.list(core_v1.Event, room)).items
            return [e.message for e in events if e.reason == "ChildTaken"]

        message = f'Secret "{room}/crew-0" already exists and belongs to nothing: delete it, or rename it'
        assert await until(reported) == [message]
        found = await client.get(Secret, "crew-0", room)
        assert (found.metadata.controller, found.metadata.labels) == (None, {"mine": "1"})

        await client.delete(SECRET, Key(room, "crew-0"))
        await client.patch(MAP, Key(room, "crew"), {"data": {"size": "2"}})

        async def adopted() -> Secret | None:
            found = await client.get(Secret, "crew-1", room)
            return found if found.metadata.controller else None

        child = await until(adopted)
        assert child is not None
        assert child.metadata.controller is not None
        assert child.metadata.controller.uid == owner.metadata.uid


async def test_a_child_that_another_controls_is_refused_with_an_event(client: Client, room: str) -> None:
    other = await client.create(ServiceAccount(metadata=ObjectMeta(name="other", namespace=room)))
    reference = {
        "apiVersion": "v1", "kind": "ServiceAccount", "name": "other", "uid": other.metadata.uid, "controller": True,
    }  # fmt: skip
    taken: Any = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "crew-0", "namespace": room}}
    taken["metadata"]["ownerReferences"] = [reference]
    await client.create(taken)
    async with managed(client, CREW):
        await client.create(a_crew(room))

        async def told() -> list[str]:
            events = (await client.list(core_v1.Event, room)).items
            return [e.message for e in events if e.reason == "ChildTaken"]

        assert await until(told) == [
            f'Secret "{room}/crew-0" already exists and is controlled by ServiceAccount "other"'
        ]
    assert (await client.get(Secret, "crew-0", room)).metadata.owner_references[0].uid == other.metadata.uid


async def test_events_are_recorded_on_the_object(client: Client, room: str) -> None:
    async with managed(client, CREW):
        owner = await client.create(a_crew(room, size="3"))

        async def mustered() -> core_v1.Event | None:
            events = (await client.list(core_v1.Event, room)).items
            return next((e for e in events if e.reason == "Mustered"), None)

        event = await until(mustered)
        assert event is not None
        assert (event.message, event.type, event.source.component) == ("3 members", "Normal", "crew")
        assert event.involved_object.uid == owner.metadata.uid


@asynccontextmanager
async def served_queues(client: Client) -> AsyncIterator[None]:
    """With the CRD of Queue, and without its objects afterwards."""
    await client.apply(crd.definition(Queue))

    async def established() -> bool:
        found = await client.get(CustomResourceDefinition, "queues.scheduling.volcano.sh")
        return any(c.type == "Established" and c.status == "True" for c in found.status.conditions)

    await until(established)
    yield
    for queue in (await client.list(Queue)).items:
        if queue.metadata.name not in ("root", "default"):  # which may not go
            await client.delete(QUEUE, queue.metadata.key)


def opened(queue: Queue, observed: Observed) -> Plan:
    return Plan(status=QueueStatus(state="Open", running=queue.spec.weight))


async def test_status_is_written_when_it_differs_and_a_field_that_turned_zero_is_removed(client: Client) -> None:
    async with served_queues(client), managed(client, Controller("queue", Queue, opened)):
        await client.create(Queue(metadata=ObjectMeta(name="a"), spec=QueueSpec(weight=3)))

        async def status() -> QueueStatus | None:
            found = (await client.get(Queue, "a")).status
            return found if found.state else None

        assert await until(status) == QueueStatus(state="Open", running=3)
        await client.set_status(QUEUE, Key("", "a"), {"pending": 7, "state": "Closed"})

        async def mended() -> bool:
            return (await client.get(Queue, "a")).status == QueueStatus(state="Open", running=3)

        await until(mended)
        assert "pending" not in (await client.get(QUEUE, "a"))["status"]


async def test_a_failing_reconcile_is_tried_again_and_counted(client: Client, room: str) -> None:
    tries: list[str] = []

    def flaky(crew: ConfigMap, observed: Observed) -> Plan:
        if crew.metadata.namespace == room:
            tries.append(crew.metadata.name)
            if len(tries) < 4:
                raise errors.ServiceUnavailable("not yet")
        return Plan()

    async with managed(client, Controller("flaky", ConfigMap, flaky)) as manager:
        await client.create(a_crew(room))

        async def tried() -> bool:
            return len(tries) >= 4

        def counted() -> str:
            return generate_latest(manager.metrics.registry).decode()

        await until(tried)
        await until(lambda: is_true('workqueue_depth{name="flaky"} 0.0' in counted()))
    assert 'controller_runtime_reconcile_errors_total{controller="flaky"} 3.0' in counted()
    assert 'workqueue_retries_total{name="flaky"} 3.0' in counted()


async def test_again_in_brings_an_object_back_by_itself(client: Client, room: str) -> None:
    looks = 0

    async def act(crew: ConfigMap, observed: Observed, api: Any) -> timedelta | None:
        nonlocal looks
        looks += crew.metadata.namespace == room
        return timedelta(milliseconds=10)

    async with managed(client, Acting("clock", ConfigMap, act)):
        await client.create(a_crew(room))

        async def looked_often() -> bool:
            return looks >= 3

        await until(looked_often)


async def test_stopping_lets_workers_finish_what_they_hold(client: Client, room: str) -> None:
    begun, go_on, ended = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def act(crew: ConfigMap, observed: Observed, api: Any) -> None:
        if crew.metadata.namespace == room:
            begun.set()
            await go_on.wait()
            ended.set()

    manager, stop = Manager(client, [Acting("slow", ConfigMap, act)]), asyncio.Event()
    running = asyncio.create_task(manager.run(stop))
    await client.create(a_crew(room))
    await asyncio.wait_for(begun.wait(), 60)

    stop.set()
    await asyncio.sleep(0)
    assert not running.done()
    go_on.set()
    await asyncio.wait_for(running, 60)

    assert ended.is_set()


async def test_a_service_that_is_loaded_while_the_manager_stops_does_not_keep_it_from_ending(client: Client) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    def start(runtime: Runtime) -> None:
        queue = runtime.queue("loading")

        async def idle(_: str) -> None: ...

        async def load(_: str) -> None:
            begun.set()
            await go_on.wait()
            runtime.work("loaded", runtime.queue("loaded"), idle, 1)

        runtime.work("loading", queue, load, 1)
        queue.add("load")

    manager, stop = Manager(client, [Service("late", start)]), asyncio.Event()
    running = asyncio.create_task(manager.run(stop))
    await asyncio.wait_for(begun.wait(), 60)

    stop.set()
    while not manager.is_stopping:
        await asyncio.sleep(0)
    go_on.set()

    await asyncio.wait_for(running, 60)


async def test_a_controller_of_a_kind_that_is_not_served_does_not_hold_up_the_others(client: Client, room: str) -> None:
    from windlass.apis.scheduling_volcano_v1beta1 import PodGroup

    absent = Controller("absent", PodGroup, lambda group, observed: Plan())
    async with managed(client, absent, CREW):
        await client.create(a_crew(room))

        async def one() -> bool:
            return len(await secrets(client, room)) == 1

        await until(one)


async def test_companions_are_not_owned_and_what_was_done_is_told(client: Client, room: str) -> None:
    def keep(crew: ConfigMap, observed: Observed) -> Plan:
        if crew.metadata.key != (room, "crew"):
            return Plan()
        chest = observed.one(Secret, "chest")
        full: dict[str, Any] = {"metadata": {"labels": {"full": "yes"}}}
        patch = [] if chest is None or chest.metadata.labels else [Patch(chest, full)]
        made = Secret(metadata=ObjectMeta(name="chest", namespace=room))
        bad = Secret(metadata=ObjectMeta(name="Bad Name"))
        return Plan(
            [
                *patch,
                CreateUnowned(made),
                *([Create(bad)] if chest is not None and chest.metadata.labels else []),
            ],
        )

    def event_for(crew: ConfigMap, outcome: Outcome) -> Event:
        name = outcome.obj["metadata"]["name"] if isinstance(outcome.obj, dict) else outcome.obj.metadata.name
        result = "Failed" if outcome.error else "Successful"
        return Event(reason=result + outcome.verb.title(), message=name, warning=outcome.error is not None)

    watches = [(Secret, Matching(lambda crew, secret: "crew" in crew.metadata.labels))]
    async with managed(client, Controller("keep", ConfigMap, keep, watches=watches, event_for=event_for)):
        await client.create(a_crew(room))

        async def told() -> bool:
            events = {(e.reason, e.message, e.type) for e in (await client.list(core_v1.Event, room)).items}
            return events >= {
                ("SuccessfulCreate", "chest", "Normal"),
                ("SuccessfulPatch", "chest", "Normal"),
                ("FailedCreate", "Bad Name", "Warning"),
            }

        await until(told)
    chest = await client.get(Secret, "chest", room)
    assert (chest.metadata.owner_references, chest.metadata.labels) == ([], {"full": "yes"})


async def test_only_those_that_can_be_concerned_are_asked_whether_a_change_concerns_them(
    client: Client, room: str
) -> None:
    asked: set[str] = set()
    looks: Counter[str] = Counter()

    def look(map_: ConfigMap, observed: Observed) -> Plan:
        looks[map_.metadata.name] += 1
        return Plan()

    def concerned(map_: ConfigMap, secret: Secret) -> bool:
        asked.add(map_.metadata.name)
        return secret.metadata.namespace == room

    waits = Matching(concerned, among=lambda map_: "waits" in map_.metadata.labels)
    for name, labels in (("waiting", {"waits": "yes"}), ("idle", {}), ("later", {})):
        await client.create(ConfigMap(metadata=ObjectMeta(name=name, namespace=room, labels=labels)))
    async with managed(client, Controller("look", ConfigMap, look, watches=[(Secret, waits)]), namespace=room):
        await until(lambda: is_true(looks == {"waiting": 1, "idle": 1, "later": 1}))
        await client.create(Secret(metadata=ObjectMeta(name="first", namespace=room)))
        await until(lambda: is_true(looks["waiting"] == 2))
        await client.patch(KINDS.of(ConfigMap), Key(room, "later"), {"metadata": {"labels": {"waits": "yes"}}})
        await until(lambda: is_true(looks["later"] == 2))
        await client.create(Secret(metadata=ObjectMeta(name="second", namespace=room)))
        await until(lambda: is_true(looks == {"waiting": 3, "idle": 1, "later": 3}))
    assert asked == {"waiting", "later"}


async def test_objects_are_looked_at_while_what_they_name_needs_it(client: Client, room: str) -> None:
    looks: Counter[str] = Counter()

    def look(map_: ConfigMap, observed: Observed) -> Plan:
        looks[map_.metadata.name] += 1
        return Plan()

    async def name_chest(map_: str, chest: str) -> None:
        await client.create(ConfigMap(metadata=ObjectMeta(name=map_, namespace=room, labels={"chest": chest})))

    async def set_open(chest: str, is_open: str) -> None:
        await client.patch(KINDS.of(Secret), Key(room, chest), {"metadata": {"labels": {"open": is_open}}})

    chest = Naming(
        lambda map_: map_.metadata.labels.get("chest", ""), when=lambda secret: secret.metadata.labels["open"] == "yes"
    )
    for name, is_open in (("opened", "yes"), ("closed", "no")):
        await client.create(Secret(metadata=ObjectMeta(name=name, namespace=room, labels={"open": is_open})))
    await name_chest("of-opened", "opened")
    await name_chest("of-closed", "closed")
    async with managed(client, Controller("look", ConfigMap, look, watches=[(Secret, chest)]), namespace=room):
        await until(lambda: is_true(looks == {"of-opened": 1}))
        await set_open("closed", "yes")
        await until(lambda: is_true(looks == {"of-opened": 1, "of-closed": 1}))
        await name_chest("of-closed-later", "closed")
        await until(lambda: is_true(looks == {"of-opened": 1, "of-closed": 1, "of-closed-later": 1}))


async def test_a_manager_of_one_namespace_leaves_the_others_alone(client: Client, room: str) -> None:
    other = (await client.create(Namespace(metadata=ObjectMeta(generate_name="room-")))).metadata.name
    async with managed(client, CREW, namespace=room) as manager:
        await client.create(a_crew(other))
        await client.create(a_crew(room))

        async def one() -> bool:
            return len(await secrets(client, room)) == 1

        await until(one)
        await until(lambda: is_true(manager.unready() == ""))
        assert {each.metadata.namespace for each in manager.informers.store(ConfigMap)} == {room}
        assert await secrets(client, other) == []


async def test_a_manager_is_ready_once_its_caches_are_though_a_kind_is_not_served(client: Client, room: str) -> None:
    from windlass.apis.scheduling_volcano_v1beta1 import PodGroup

    absent = Controller("absent", PodGroup, lambda group, observed: Plan())
    manager = Manager(client, [CREW, absent])
    assert manager.unready() == "not the leader, and no other is known"
    async with managed(client, CREW, absent) as manager:
        assert manager.unready() == "the caches have yet to see configmaps, podgroups, secrets"
        await until(lambda: is_true(manager.unready() == ""))


async def test_writes_that_the_caches_show_are_not_remembered(client: Client, room: str) -> None:
    """Most objects are never looked at again, and there may be thousands of them."""
    store = Informers(client).store(Secret)
    applier = Applier(client, lambda kind: store, "crew")
    for number in range(3):
        made = Secret(metadata=ObjectMeta(name=f"s-{number}", namespace=room, uid=str(number), resource_version="7"))
        applier.note(Key(room, f"crew-{number}"), SECRET, made)
        if number < 2:
            store.put(made)
    await applier.caught_up(Key(room, "another"))

    assert set(applier._written) == {Key(room, "crew-2")}  # pyright: ignore[reportPrivateUsage] - it is about memory
