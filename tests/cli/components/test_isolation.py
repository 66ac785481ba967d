"""One object must not stop the platform: every handler, reconcile and work queue of the manager raises for one object,
and serves another. They are taken from what `windlass manager` runs, so that a new one is covered without a new test.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.controllers.controllers_of_apps import app_controllers
from tests.kube.live import until
from windlass.controllers import EMBEDDED
from windlass.kube.client import Client
from windlass.kube.controller import Acting, AnyController, Controller, Naming, Service
from windlass.kube.json import Object as Json
from windlass.kube.json import decode, encode
from windlass.kube.manager import Manager
from windlass.kube.meta import Key, ObjectMeta, PartialObjectMetadata
from windlass.kube.objects import key_of
from windlass.kube.plan import Plan
from windlass.kube.queue import Queue
from windlass.kube.transport import Request, Response
from windlass.kube.view import view
from windlass.scheduler.live.service import SCHEDULER

ALL: tuple[AnyController, ...] = (
    *EMBEDDED,
    *app_controllers(),
    SCHEDULER,
)
PURE = [each for each in ALL if not isinstance(each, Service)]


class SilentServer:
    """Takes events, knows nothing else, and its watches say nothing."""

    def __init__(self) -> None:
        self.events: list[Json] = []

    async def request(self, request: Request) -> Response:
        if request.method == "POST" and request.path.endswith("/events"):
            self.events.append(decode(request.body or b"{}"))
            return Response(201, {}, request.body or b"{}")
        return Response(404, {}, encode({"kind": "Status", "code": 404, "reason": "NotFound", "message": "no"}))

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncIterator[Any]:
        await asyncio.Event().wait()
        yield None

    async def close(self) -> None: ...


class Poisoned:
    """An object that raises when anything of it but its metadata is read."""

    def __init__(self, name: str, version: str) -> None:
        self.metadata = ObjectMeta(name=name, namespace="n", uid=name, resource_version=version)

    def __getattr__(self, name: str) -> Any:
        raise OverflowError(f"{name} is too large")


class PoisonedJson(dict[str, Any]):
    """The same as plain JSON."""

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if key in ("metadata", "apiVersion", "kind") else self._raise(key)

    def _raise(self, key: str) -> Any:
        raise OverflowError(f"{key} is too large")


def an_object(form: Any, name: str, version: str = "1") -> Any:
    if form is dict:
        metadata = {"name": name, "namespace": "n", "uid": name, "resourceVersion": version}
        return PoisonedJson(metadata=metadata, apiVersion="v1", kind="Thing")
    return Poisoned(name, version)


class Spy:
    """Raises for the object `bad`, after the handler itself has had its try; of others it only notes the name."""

    def __init__(self, handler: Any) -> None:
        self._handler = handler
        self.heard: list[tuple[str, str]] = []

    def added(self, obj: Any, /) -> None:
        self._hear("added", obj, lambda: self._handler.added(obj))

    def changed(self, old: Any, new: Any, /) -> None:
        self._hear("changed", new, lambda: self._handler.changed(old, new))

    def deleted(self, obj: Any, /) -> None:
        self._hear("deleted", obj, lambda: self._handler.deleted(obj))

    def _hear(self, what: str, obj: Any, really: Callable[[], None]) -> None:
        name = key_of(obj).name
        self.heard.append((what, name))
        if name == "bad":
            really()
            raise OverflowError("int too large to convert to float")


class Watched(Manager):
    """Its work queues note the key `good` and raise for `bad`, instead of doing anything."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.lines: dict[str, Queue[Any]] = {}
        self.worked_on: list[tuple[str, Any]] = []

    def work(
        self,
        name: str,
        queue: Queue[Any],
        step: Callable[[Any], Awaitable[timedelta | None]],
        workers: int,
        about: Callable[[Any], Any] | None = None,
    ) -> None:
        async def spied(key: Any) -> timedelta | None:
            if key == "bad":
                raise OverflowError("int too large to convert to float")
            self.worked_on.append((name, key))
            return None

        self.lines[name] = queue
        super().work(name, queue, spied, workers)


@asynccontextmanager
async def running(manager: Manager) -> AsyncIterator[asyncio.Task[None]]:
    stop = asyncio.Event()
    task = asyncio.create_task(manager.run(stop))
    await manager.started.wait()
    try:
        yield task
    finally:
        stop.set()
        for informer in manager.informers._informers.values():  # steps that wait for a cache may end
            informer.store.synced.set()
        await asyncio.wait([task], timeout=30)
        task.cancel()


async def test_every_handler_of_the_manager_may_fail_on_an_object_and_is_told_of_the_others() -> None:
    server = SilentServer()
    manager = Manager(Client(server), ALL)
    async with running(manager) as task:
        informers = manager.informers._informers
        spies: dict[str, Spy] = {}
        for form, informer in informers.items():
            for number, delivery in enumerate(informer.store._handlers):
                spy = delivery._handler = Spy(delivery._handler)  # pyright: ignore[reportAttributeAccessIssue]
                spies[f"{form} {number} {delivery._place}"] = spy

        for version, what in enumerate(("added", "changed", "deleted")):
            for form, informer in informers.items():
                for name in ("bad", "good"):
                    if what == "deleted":
                        informer.store.remove(Key("n", name))
                    else:
                        informer.store.put(an_object(form.form, name, str(version)))
        await asyncio.sleep(0)

        silent = {name: spy.heard for name, spy in spies.items() if [w for w, n in spy.heard if n == "good"] != [
            "added", "changed", "deleted"]}  # fmt: skip
        assert not silent
        assert len(spies) > 100, "the handlers were not found"
        assert not task.done(), "the manager ended"
        assert {place for place, _ in manager.faults.counts} >= {
            "scheduler-nodes",
            "scheduler-pods",
            "tfjob-controller",
        }

        async def told() -> bool:
            return any(e["reason"] == "InternalError" and e["involvedObject"]["name"] == "bad" for e in server.events)

        await until(told)


async def test_every_work_queue_of_the_manager_goes_on_after_a_key_that_raises() -> None:
    manager = Watched(Client(SilentServer()), ALL)
    async with running(manager) as task:
        for informer in manager.informers._informers.values():
            informer.store.synced.set()

        async def started() -> bool:
            return len(manager.lines) >= len(PURE)

        await until(started)
        for queue in manager.lines.values():
            queue.add("bad")
            queue.add("good")

        async def all_worked() -> bool:
            return {name for name, key in manager.worked_on if key == "good"} == set(manager.lines)

        await until(all_worked)
        assert not task.done(), "the manager ended"


def raising(controller: Controller[Any] | Acting[Any], served: set[str]) -> AnyController:
    """The controller for all objects, which raises for `bad` instead of deciding, and does nothing about others."""

    def decide(obj: Any) -> None:
        if key_of(obj).name == "bad":
            raise OverflowError("int too large to convert to float")
        served.add(key_of(obj).name)

    def reconcile(obj: Any, _: Any) -> Plan:
        decide(obj)
        return Plan()

    async def act(obj: Any, *_: Any) -> None:
        decide(obj)

    plain: list[Any] = [
        (source, concerns) for source, concerns in controller.watches if not isinstance(concerns, Naming)
    ]
    if isinstance(controller, Controller):
        return replace(controller, reconcile=reconcile, only=None, watches=plain)
    return replace(controller, act=act, only=None, watches=plain)


@pytest.mark.parametrize("controller", PURE, ids=[each.name for each in PURE])
async def test_a_reconcile_that_fails_on_an_object_is_reported_on_it_and_the_next_is_served(controller: Any) -> None:
    server, served = SilentServer(), set[str]()
    manager = Manager(Client(server), [raising(controller, served)])
    async with running(manager) as task:
        own = manager.informers.store(view(controller.kind))
        for name in ("bad", "good"):
            metadata = ObjectMeta(name=name, namespace="n", uid=name, resource_version="1")
            own.put(PartialObjectMetadata(metadata=metadata))  # pyright: ignore[reportArgumentType]
        for informer in manager.informers._informers.values():
            informer.store.synced.set()

        async def told() -> bool:
            about = [event["involvedObject"]["name"] for event in server.events if event["reason"] == "InternalError"]
            return "good" in served and about.count("bad") >= 1

        await until(told)
        assert (controller.name, str(view(controller.kind).kind)) in manager.faults.counts
        assert not task.done(), "the manager ended"
