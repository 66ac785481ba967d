"""Runs controllers: shared informers, a queue and workers for each, one leader, a clean stop.

`run_manager` is the whole of `windlass manager` but for its command line.
"""

import asyncio
import logging
import os
import signal
import socket
import uuid
from collections.abc import Awaitable, Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias, TypeVar

from prometheus_client import CollectorRegistry

from windlass.kube.api import About, Api
from windlass.kube.cache import Sink, Store
from windlass.kube.client import Client
from windlass.kube.controller import (
    Acting,
    AllObjects,
    AnyController,
    Controller,
    Failing,
    Mapped,
    Matching,
    Naming,
    Selecting,
    Service,
)
from windlass.kube.events import Recorder
from windlass.kube.faults import Faults
from windlass.kube.feed import Feed, OwnerFeed
from windlass.kube.heap import give_back_now_and_then
from windlass.kube.informer import Informers, reflector
from windlass.kube.kind import KINDS, Kind
from windlass.kube.lease import Election, LostLeadership, Terms
from windlass.kube.listening import OFF, Pages, listening, metrics_pages, probe_pages
from windlass.kube.loading import collect_when
from windlass.kube.meta import Key
from windlass.kube.metrics import Metrics
from windlass.kube.objects import AnyObject, key_of, labels_of
from windlass.kube.queue import Queue
from windlass.kube.reaching import until_answered
from windlass.kube.retrying import Causes, Edits
from windlass.kube.selecting import BySelector
from windlass.kube.signals import on_signals
from windlass.kube.transport import requests_of
from windlass.kube.view import View, view
from windlass.kube.worker import Actor, Reconciler, work

Q = TypeVar("Q", bound=Hashable)
T = TypeVar("T", bound=AnyObject)

GRACE_SECONDS = 30.0  # seconds that a stopping manager gives its workers to finish what they hold
FLUSH_SECONDS = 2.0  # seconds more for events that are not posted yet
AT_ONCE = 8  # requests of one `together`
LEASE_KEY = Key("kube-system", "windlass-manager")

Choose: TypeAlias = Callable[[], Awaitable[Sequence[AnyController]]]
"""Asks the server which controllers to run."""

log = logging.getLogger(__name__)


class Manager:
    """Give it controllers, then `run` it once. It is the `Runtime` of those that run themselves.

    With a `namespace` it sees and acts in that one only, and needs no right elsewhere.
    """

    def __init__(
        self,
        client: Client,
        controllers: Sequence[AnyController],
        *,
        namespace: str = "",
        election: Election | None = None,
        metrics: Metrics | None = None,
        resync: float | None = None,
    ) -> None:
        self._client = client
        self.controllers = controllers
        self._namespace = namespace
        self._election = election
        self.metrics = metrics or Metrics()
        self.informers = Informers(client, namespace=namespace, resync=resync)
        self.recorder = Recorder(client)
        self.faults = client.faults = Faults("windlass-manager", warn=self.warn, counter=self.metrics.faults)
        self._queues: list[Queue[Any]] = []
        self._owner_feeds: dict[View[Any], OwnerFeed] = {}
        self._workers: list[asyncio.Task[None]] = []
        self._background: list[asyncio.Task[None]] = []
        self._tasks: asyncio.TaskGroup | None = None
        self.started = asyncio.Event()
        """Set when this manager leads and its controllers are being run."""
        self._obstacle = ""
        self._grace = GRACE_SECONDS
        self.is_stopping = False

    # --- the Runtime

    @property
    def api(self) -> Api:
        return self._client

    @property
    def registry(self) -> CollectorRegistry:
        return self.metrics.registry

    def now(self) -> datetime:
        return datetime.now(UTC)

    def queue(self, name: str) -> Queue[Any]:
        queue: Queue[Any] = Queue(metrics=self.metrics.queue(name))
        self._queues.append(queue)
        if self.is_stopping:  # a service may be loaded while the manager stops, and its workers must end as well
            queue.shut_down()
        return queue

    def work(
        self,
        name: str,
        queue: Queue[Q],
        step: Callable[[Q], Awaitable[timedelta | None]],
        workers: int,
        about: Callable[[Q], About | None] | None = None,
    ) -> None:
        self.metrics.most.labels(name).set(workers)
        for _ in range(workers):
            loop = work(name, queue, step, self.metrics, self.faults, about or _no_object)
            self._workers.append(self._spawn(loop, f"worker {name}"))

    async def together(self, actions: Iterable[Awaitable[None]]) -> None:
        limit = asyncio.Semaphore(AT_ONCE)

        async def one(action: Awaitable[None]) -> None:
            async with limit:
                await action

        done = await asyncio.gather(*map(one, actions), return_exceptions=True)
        for failure in filter(None, done):
            raise failure

    def warn(self, component: str, about: AnyObject, kind: Kind, reason: str, message: str) -> None:
        self.recorder.record(component, about, kind, reason, message, warning=True)

    def record(self, component: str, about: AnyObject, kind: Kind, reason: str, message: str) -> None:
        self.recorder.record(component, about, kind, reason, message, warning=False)

    def store(self, of: View[T]) -> Store[T]:
        return self.informers.store(of)

    def follow(self, of: View[T], sink: Sink[T]) -> Callable[[], None]:
        following = reflector(self._client, of, sink, self._namespace, self.informers.custom_kinds)
        task = self._spawn(following.run(), f"follow {of.kind}")
        self._background.append(task)

        def stop() -> None:
            task.cancel()
            self._background.remove(task)

        return stop

    # --- running

    def unready(self) -> str:
        """Why it is not at work yet, nor standing by for another that is; empty when it is one or the other."""
        if self._obstacle:
            return self._obstacle
        if not self.started.is_set():
            standing_by = self._election is not None and self._election.stands_by
            return "" if standing_by else "not the leader, and no other is known"
        lagging = ", ".join(kind.plural for kind in self.informers.lagging())
        return f"the caches have yet to see {lagging}" if lagging else ""

    def wait_for(self, obstacle: str) -> None:
        """Answer `unready` with this, until it is empty again."""
        self._obstacle = obstacle

    async def run(self, stop: asyncio.Event) -> None:
        """Work until `stop`; raises LostLeadership when the lease is lost, as another may lead."""
        async with asyncio.TaskGroup() as tasks:
            self._tasks = tasks
            self._background.append(self._spawn(self.recorder.run(), "event recorder"))
            self._background.append(self._spawn(give_back_now_and_then(), "memory"))
            stopped = self._spawn(stop.wait(), "stop")
            try:
                if await self._lead(stopped):
                    self._start()
                    await self._until_done(stopped)
            finally:
                await self._wind_down()
                stopped.cancel()

    async def _lead(self, stopped: asyncio.Task[None]) -> bool:
        if self._election is None:
            return True
        acquiring = self._spawn(self._election.acquire(), "leader election")
        await asyncio.wait({acquiring, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if stopped.done():
            acquiring.cancel()
            return False
        self.metrics.leader.labels(LEASE_KEY.name).set(1)
        return True

    async def _until_done(self, stopped: asyncio.Task[None]) -> None:
        if self._election is None:
            await stopped
            return
        holding = asyncio.ensure_future(self._election.hold())
        try:
            await asyncio.wait({holding, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if holding.done():
                await holding
        except LostLeadership:
            self._election = None  # there is nothing to release
            self._grace = 0.0  # another may lead soon: what is under way must not be written then
            raise
        finally:
            holding.cancel()

    def _start(self) -> None:
        assert self._tasks is not None
        for form in _whole_forms(self.controllers):  # first: they serve who wants their metadata only
            self.informers.store(form)
        self.informers.start(self._tasks)
        for controller in self.controllers:
            with requests_of(controller.name):
                if isinstance(controller, Service):
                    controller.start(self)
                else:
                    self._add(controller)
        self.started.set()

    def _add(self, controller: Controller[Any] | Acting[Any]) -> None:
        queue: Queue[Key] = self.queue(controller.name)
        own, kind = self.informers.store(controller.kind), KINDS.of(controller.kind)
        stores: dict[View[Any], Store[Any]] = {view(controller.kind): own}
        own.subscribe(Edits(queue))
        own.subscribe(Feed(controller.name, queue, self._own_keys(controller)))
        for source in controller.owns:
            form = view(source)
            stores[form] = self.informers.store(form)
            self._owner_feed(form).add(kind, queue)
        for source, concerns in controller.watches:
            form = view(source)
            stores[form] = self.informers.store(form)
            if isinstance(concerns, Failing):
                stores[form].subscribe(Causes(queue, concerns.matters))
            else:
                stores[form].subscribe(Feed(controller.name, queue, _concerned(own, concerns)))
        start = _when_synced(list(stores.values()), lambda: self._work_on(controller, queue, stores))
        self._background.append(self._spawn(start, f"start {controller.name}"))

    def _own_keys(self, controller: Controller[Any] | Acting[Any]) -> Callable[[Any], Iterable[Key]]:
        """The key of an object of the controller's kind, if it has to look at the object at all."""
        tests = [] if controller.only is None else [controller.only]
        for source, concerns in controller.watches:
            if isinstance(concerns, Naming):
                tests.append(_names_one(view(source), self.informers.store(source), concerns))
        if not tests:
            return lambda obj: (key_of(obj),)

        def keys(obj: Any) -> Iterable[Key]:
            for test in tests:  # not by `all`: each object of the kind comes here
                if not test(obj):
                    return ()
            return (key_of(obj),)

        return keys

    def _owner_feed(self, form: View[Any]) -> OwnerFeed:
        """The one of a store, which all controllers that own such objects share."""
        feed = self._owner_feeds.get(form)
        if feed is None:
            feed = self._owner_feeds[form] = OwnerFeed()
            self.informers.store(form).subscribe(feed)
        return feed

    def _work_on(
        self,
        controller: Controller[Any] | Acting[Any],
        queue: Queue[Key],
        stores: Mapping[View[Any], Store[Any]],
    ) -> None:
        worker = (
            Reconciler(controller, self._client, stores, self.informers.existing, self.recorder)
            if isinstance(controller, Controller)
            else Actor(controller, self._client, stores, self.recorder)
        )
        self.work(controller.name, queue, worker.step, controller.workers, worker.about)

    async def _wind_down(self) -> None:
        self.is_stopping = True
        for queue in self._queues:
            queue.shut_down()
        if self._workers:
            _, late = await asyncio.wait(self._workers, timeout=self._grace)
            for task in late:
                task.cancel()
        await self.recorder.flush(FLUSH_SECONDS)
        for task in self._background:
            task.cancel()
        self.informers.stop()
        if self._election is not None and not self._election.stands_by:  # it may hold the lease without knowing yet
            await self._election.release()

    def _spawn(self, coroutine: Any, name: str) -> asyncio.Task[None]:
        assert self._tasks is not None, "the manager is not running"
        return self._tasks.create_task(coroutine, name=name)


def _whole_forms(controllers: Iterable[AnyController]) -> Iterator[View[Any]]:
    """What controllers want to see whole."""
    for controller in controllers:
        if not isinstance(controller, Service):
            watched = (source for source, _ in controller.watches)
            for source in (controller.kind, *controller.owns, *watched):
                form: View[Any] = view(source)
                if not any(form.lacks):
                    yield form


def _concerned(
    own: Store[Any], concerns: Mapped | AllObjects | Matching | Naming | Selecting
) -> Callable[[Any], Iterable[Key]]:
    if isinstance(concerns, AllObjects):
        return _all_keys(own)
    if isinstance(concerns, Selecting):
        return _keys_selecting(own, concerns.selector)
    if isinstance(concerns, Naming):
        return _keys_naming(own, concerns)
    if isinstance(concerns, Matching):
        return _keys_where(own, concerns.test) if concerns.among is None else _keys_among(own, concerns)
    return _keys(concerns)


def _keys(concerns: Callable[[Any], Key | Iterable[Key] | None]) -> Callable[[Any], Iterable[Key]]:
    def keys(obj: Any) -> Iterable[Key]:
        found = concerns(obj)
        if found is None:
            return ()
        return (found,) if isinstance(found, Key) else found

    return keys


def _all_keys(own: Store[Any]) -> Callable[[Any], Iterable[Key]]:
    def keys(obj: Any) -> Iterable[Key]:
        namespace = key_of(obj).namespace
        return [key_of(other) for other in (own.filed("namespace", namespace) if namespace else own)]

    return keys


def _keys_where(own: Store[Any], test: Callable[[Any, Any], bool]) -> Callable[[Any], Iterable[Key]]:
    def keys(obj: Any) -> Iterable[Key]:
        namespace = key_of(obj).namespace
        return [
            key_of(other) for other in (own.filed("namespace", namespace) if namespace else own) if test(other, obj)
        ]

    return keys


def _keys_among(own: Store[Any], concerns: Matching) -> Callable[[Any], Iterable[Key]]:
    among, index = concerns.among, f"among {id(concerns)}"
    assert among is not None
    own.add_index(index, lambda obj: {"", key_of(obj).namespace} if among(obj) else ())  # "" is everywhere

    def keys(obj: Any) -> Iterable[Key]:
        return [key_of(other) for other in own.filed(index, key_of(obj).namespace) if concerns.test(other, obj)]

    return keys


def _keys_naming(own: Store[Any], concerns: Naming) -> Callable[[Any], Iterable[Key]]:
    index = f"naming {id(concerns.name)}"
    own.add_index(index, lambda obj: (concerns.name(obj),))

    def keys(obj: Any) -> Iterable[Key]:
        if not concerns.when(obj):
            return ()
        namespace, name = key_of(obj)
        named_by = (key_of(other) for other in own.filed(index, name))
        return [key for key in named_by if namespace in ("", key.namespace)]

    return keys


def _names_one(form: View[Any], others: Store[Any], concerns: Naming) -> Callable[[Any], bool]:
    """Whether an object names one of the others for which `when` holds.

    What it names may come later: then that is the change that concerns it.
    """
    is_namespaced = form.kind.namespaced

    def names_one(obj: Any) -> bool:
        other = others.get(Key(key_of(obj).namespace if is_namespaced else "", concerns.name(obj)))
        return other is not None and concerns.when(other)

    return names_one


def _keys_selecting(own: Store[Any], selector: Callable[[Any], Mapping[str, str]]) -> Callable[[Any], Iterable[Key]]:
    index = BySelector(selector)
    own.subscribe(index)
    return lambda obj: index.picking(key_of(obj).namespace, labels_of(obj))


async def _when_synced(stores: Sequence[Store[Any]], then: Callable[[], None]) -> None:
    for store in stores:
        await store.synced.wait()
    then()


def _no_object(_: Hashable) -> None:
    """A key that stands for no object."""


async def run_manager(
    client: Client,
    controllers: Sequence[AnyController] | Choose,
    *,
    namespace: str = "",
    leader_elect: bool = False,
    lease_namespace: str = "",
    lease_name: str = LEASE_KEY.name,
    metrics_address: str = OFF,
    probe_address: str = OFF,
    stop: asyncio.Event | None = None,
    terms: Terms | None = None,
) -> None:
    """Run `controllers` against the client's server until `stop` is set, or SIGTERM or SIGINT comes.

    Where the choice of controllers depends on the server, give a function: it is called again while the server does
    not answer. With `leader_elect` it then waits to become the leader, and raises LostLeadership when it is no more:
    the process must end, since another's controllers may be at work. The lease is in `lease_namespace`, or in
    `namespace`, or in kube-system. `metrics_address` serves /metrics for Prometheus, `probe_address` /healthz and
    /readyz: `host:port`, or "0" for not at all.
    """
    identity = f"{socket.gethostname()}_{os.getpid()}_{uuid.uuid4()}"
    lease = Key(lease_namespace or namespace or LEASE_KEY.namespace, lease_name)
    election = Election(client, lease, identity, terms=terms) if leader_elect else None
    manager = Manager(client, (), namespace=namespace, election=election)
    pages: dict[str, Pages] = {metrics_address: metrics_pages(manager.registry)}
    pages[probe_address] = {**pages.get(probe_address, {}), **probe_pages(manager.unready)}
    stop = stop or _on_signals()
    async with client, listening(pages):
        loading = asyncio.create_task(collect_when(lambda: manager.started.is_set() and not manager.unready()))
        try:
            chosen = await until_answered(controllers, stop, manager.wait_for) if callable(controllers) else controllers
            if chosen is not None:
                manager.controllers = chosen
                await manager.run(stop)
        except* LostLeadership as lost:
            raise lost.exceptions[0] from None
        finally:
            loading.cancel()


def _on_signals() -> asyncio.Event:
    stop = asyncio.Event()
    on_signals(asyncio.get_running_loop(), (signal.SIGTERM, signal.SIGINT), stop.set)
    return stop
