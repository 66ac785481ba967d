import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import pytest

from tests.kube.live import client_of, until
from tests.support import Windlass, running
from windlass.apis.core_v1 import ConfigMap, Secret, Service
from windlass.kube import errors, informer
from windlass.kube.api import Change, Listing
from windlass.kube.cache import Store
from windlass.kube.client import Client
from windlass.kube.faults import Faults
from windlass.kube.informer import Backoff, Informer, Informers, Reflector
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, ObjectMeta
from windlass.kube.view import View, metadata_only, typed

MAP = KINDS.of(ConfigMap)


def a_map(name: str, version: str = "1", namespace: str = "n", **data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace=namespace, resource_version=version), data=data)


class ScriptedServer:
    """Answers each list and watch with the next of the script; when that is over, says so and hangs."""

    def __init__(self, *script: Callable[[], Any]) -> None:
        self._script = list(script)
        self.faults = Faults()
        self.asked: list[str] = []
        self.over = asyncio.Event()
        self.streams_lists = True

    def note_streams_refused(self, error: errors.ApiError) -> None:
        self.streams_lists = False

    def _next(self) -> Any:
        return self._script.pop(0)() if self._script else None

    async def list(self, of: View[Any], namespace: str = "", **_: Any) -> Listing[Any]:
        self.asked.append("list")
        return self._next()

    def watch(self, of: View[Any], namespace: str = "", **options: Any) -> AsyncIterator[Change[Any]]:
        self.asked.append("stream" if options["initial_events"] else f"watch from {options['resource_version']}")
        return self._answer(self._next())

    async def _answer(self, changes: Sequence[Any] | None) -> AsyncIterator[Change[Any]]:
        if changes is None:
            self.over.set()
            await asyncio.Event().wait()
        for change in changes or ():
            yield change


def failing(error: errors.ApiError) -> Callable[[], Any]:
    def fail() -> Any:
        raise error

    return fail


def synced(version: str) -> Change[Any]:
    return Change("BOOKMARK", None, version, synced=True)


async def followed(server: ScriptedServer) -> Store[ConfigMap]:
    """The store after a reflector has gone through the whole script."""
    store: Store[ConfigMap] = Store()
    reflector = Reflector(server, typed(ConfigMap), store, backoff=Backoff(0, 0))  # pyright: ignore[reportArgumentType]
    task = asyncio.create_task(reflector.run())
    await asyncio.wait_for(server.over.wait(), 60)
    task.cancel()
    return store


async def test_what_is_there_comes_as_a_stream_and_the_watch_goes_on_from_its_end() -> None:
    server = ScriptedServer(
        lambda: [Change("ADDED", a_map("a"), "1"), synced("5"), Change("ADDED", a_map("b", "6"), "6")],
    )

    store = await followed(server)

    assert {o.metadata.name for o in store} == {"a", "b"}
    assert server.asked == ["stream", "watch from 6"]


async def test_a_server_that_cannot_stream_is_listed() -> None:
    server = ScriptedServer(
        failing(errors.Invalid("sendInitialEvents is forbidden")), lambda: Listing([a_map("a")], "3")
    )

    store = await followed(server)

    assert len(store) == 1
    assert server.asked == ["stream", "list", "watch from 3"]


async def test_bookmarks_move_the_version_on() -> None:
    server = ScriptedServer(lambda: [synced("5")], lambda: [Change("BOOKMARK", None, "9")])

    await followed(server)

    assert server.asked == ["stream", "watch from 5", "watch from 9"]


async def test_a_compacted_version_is_read_anew_and_what_went_meanwhile_is_removed() -> None:
    server = ScriptedServer(
        lambda: [Change("ADDED", a_map("gone"), "1"), synced("5")],
        failing(errors.Expired("too old resource version: 5 (8)")),
        lambda: [Change("ADDED", a_map("new", "7"), "7"), synced("8")],
    )

    store = await followed(server)

    assert [o.metadata.name for o in store] == ["new"]
    assert server.asked == ["stream", "watch from 5", "stream", "watch from 8"]


async def test_a_stream_that_breaks_before_its_end_changes_nothing() -> None:
    server = ScriptedServer(
        lambda: [Change("ADDED", a_map("a"), "1"), synced("5")],
        failing(errors.Expired("too old")),
        lambda: [Change("ADDED", a_map("b", "6"), "6")],
        lambda: [Change("ADDED", a_map("a"), "1"), Change("ADDED", a_map("b", "6"), "6"), synced("9")],
    )

    store = await followed(server)

    assert {o.metadata.name for o in store} == {"a", "b"}


async def test_while_the_server_is_away_the_cache_stays_and_the_watch_resumes() -> None:
    away = failing(errors.ServiceUnavailable("away"))
    server = ScriptedServer(lambda: [Change("ADDED", a_map("a"), "1"), synced("5")], away, away)

    store = await followed(server)

    assert len(store) == 1
    assert server.asked == ["stream", "watch from 5", "watch from 5", "watch from 5"]


def test_pauses_grow_to_the_limit_with_jitter_and_start_over_after_success() -> None:
    backoff = Backoff(1, 4)

    pauses = [backoff.pause() for _ in range(5)]
    backoff.reset()

    assert all(low <= pause <= 2 * low for pause, low in zip(pauses, [1, 2, 4, 4, 4], strict=True))
    assert backoff.pause() <= 2


async def test_an_informer_follows_a_real_server(client: Client, room: str) -> None:
    await client.create(a_map("a", "", room))
    kept = Informer(client, typed(ConfigMap), namespace=room)
    task = asyncio.create_task(kept.run())
    await asyncio.wait_for(kept.store.synced.wait(), 60)
    assert [o.metadata.name for o in kept.store] == ["a"]

    await client.create(a_map("b", "", room))
    await client.patch(MAP, Key(room, "a"), {"data": {"x": "1"}})
    await client.delete(MAP, Key(room, "b"))
    last = await client.create(a_map("c", "", room))
    await kept.store.until(lambda: kept.store.get(last.metadata.key) is not None, 60)

    assert {o.metadata.name: o.data for o in kept.store} == {"a": {"x": "1"}, "c": {}}
    task.cancel()


async def test_a_resync_tells_handlers_again(client: Client, room: str) -> None:
    await client.create(a_map("a", "", room))
    again = asyncio.Event()

    class Handler:
        def added(self, obj: ConfigMap, /) -> None: ...
        def changed(self, old: ConfigMap, new: ConfigMap, /) -> None:
            again.set()

        def deleted(self, obj: ConfigMap, /) -> None: ...

    kept = Informer(client, typed(ConfigMap), namespace=room, resync=0.05)
    kept.store.subscribe(Handler())
    task = asyncio.create_task(kept.run())

    await asyncio.wait_for(again.wait(), 60)
    task.cancel()


async def test_those_who_ask_for_the_same_view_share_an_informer(client: Client) -> None:
    informers = Informers(client)

    assert informers.store(ConfigMap) is informers.store(typed(ConfigMap))
    assert informers.store(ConfigMap) is not informers.store(typed(ConfigMap).narrowed("metadata.name=a"))
    assert informers.existing(MAP) is informers.store(ConfigMap)


async def test_who_wants_metadata_only_shares_the_whole_objects_that_are_there_anyway(client: Client) -> None:
    informers = Informers(client)
    lean = informers.store(metadata_only(Secret))

    assert informers.store(metadata_only(ConfigMap)) is not lean
    assert informers.store(ConfigMap) is not informers.store(metadata_only(ConfigMap))
    assert informers.store(Secret) is not lean
    assert informers.store(metadata_only(Secret)) is lean
    assert informers.store(Service) is informers.store(metadata_only(Service))


@pytest.mark.parametrize(
    "narrow",
    [typed(ConfigMap).narrowed("metadata.name=b"), typed(ConfigMap).narrowed(labels="name=b")],
    ids=["fields", "labels"],
)
async def test_a_narrowed_informer_keeps_nothing_else(client: Client, room: str, narrow: View[ConfigMap]) -> None:
    for name in ("a", "b"):
        metadata = ObjectMeta(name=name, namespace=room, labels={"name": name})
        await client.create(ConfigMap(metadata=metadata))
    kept = Informer(client, narrow, namespace=room)
    task = asyncio.create_task(kept.run())

    await asyncio.wait_for(kept.store.synced.wait(), 60)

    assert [o.metadata.name for o in kept.store] == ["b"]
    task.cancel()


async def test_an_informer_outlives_its_server(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(informer, "FIRST_PAUSE", 0.05)
    with running(tmp_path) as windlass:
        async with client_of(windlass) as client:
            kept = Informer(client, typed(ConfigMap), namespace="default")
            task = asyncio.create_task(kept.run())
            await asyncio.wait_for(kept.store.synced.wait(), 60)

            await asyncio.to_thread(_restart, windlass)

            async def created() -> bool:
                try:
                    await client.create(a_map("after", "", "default"))
                except errors.ServiceUnavailable:
                    return False
                return True

            await until(created)
            assert await kept.store.until(lambda: kept.store.get(Key("default", "after")) is not None, 90)
            task.cancel()


def _restart(windlass: Windlass) -> None:
    windlass.stop()
    windlass.start()
