"""Keeps a sink in step with a server: list, then watch from there, for ever.

A `Reflector` is that loop. It takes the initial state as a stream where the server can (`sendInitialEvents`) and as
a paged list where it cannot; continues from the last version it saw when a watch ends; starts over when that version is
compacted (410); waits 0.8 s, doubling to 30 s, with jitter, while the server does not answer; and waits for its
CustomResourceDefinition while the kind is not served. An `Informer` is a Reflector that fills a `Store`; `Informers`
are those of one process, one for each view, shared by all who ask.
"""

import asyncio
import logging
import random
from typing import Any, Generic, TypeVar, overload

from windlass.kube import errors, meta
from windlass.kube.api import Change
from windlass.kube.cache import Sink, Store
from windlass.kube.client import Client
from windlass.kube.custom_kinds import DEFINITIONS, CustomKinds
from windlass.kube.json import Object as Json
from windlass.kube.kind import Kind
from windlass.kube.objects import AnyObject, key_of
from windlass.kube.sharing import share_values
from windlass.kube.view import View, view

K = TypeVar("K", bound=meta.Object)
T = TypeVar("T", bound=AnyObject)

FIRST_PAUSE, LONGEST_PAUSE = 0.8, 30.0  # seconds; client-go's reflector
MIN_WATCH_SECONDS = 300  # seconds; up to twice as long, so that a process' watches do not all end together

SAME_FOR_A_LIST = (
    errors.Unauthorized,
    errors.Forbidden,
    errors.NotFound,
    errors.MethodNotAllowed,
    errors.Gone,
    errors.TooManyRequests,
    errors.ServiceUnavailable,
    errors.Timeout,
)
"""Answers to a streamed list that are about the client, the kind or the moment, not about streaming."""

log = logging.getLogger(__name__)


class Backoff:
    """Growing pauses with jitter: twice as long each time, up to a limit, and between one and two times that."""

    def __init__(self, first: float = FIRST_PAUSE, longest: float = LONGEST_PAUSE) -> None:
        self._first, self._longest = first, longest
        self._next = first

    def reset(self) -> None:
        self._next = self._first

    def pause(self) -> float:
        pause, self._next = self._next, min(self._next * 2, self._longest)
        return pause * (1 + random.random())


class Reflector(Generic[T]):
    """Runs until cancelled. `namespace` and the view's field selector narrow what is kept.

    With `optional`, a kind that may not be read counts as one of which there is nothing, until it may be. With
    `custom_kinds`, a kind that is not served is not asked for again before it is.
    """

    def __init__(
        self,
        client: Client,
        of: View[T],
        sink: Sink[T],
        *,
        namespace: str = "",
        optional: bool = False,
        backoff: Backoff | None = None,
        custom_kinds: CustomKinds | None = None,
    ) -> None:
        self._client, self._of, self._sink = client, of, sink
        self._namespace, self._optional = namespace, optional
        self._custom_kinds = custom_kinds
        self.trouble: errors.ApiError | None = None
        """What the server last answered instead, since it last answered."""
        self._backoff = backoff or Backoff()
        self._version = ""  # the last one seen; empty: everything must be listed again

    async def run(self) -> None:
        while True:
            try:
                await self._follow()
            except errors.Gone:
                log.info("the last observed version is compacted, listing again kind=%s", self._of.kind)
                self._version = ""
            except errors.NotFound as error:
                await self._not_served(error)
            except errors.ApiError as error:
                await self._pause(error)

    async def _pause(self, error: errors.ApiError) -> None:
        seconds = self._backoff.pause()
        missing = isinstance(error, errors.NotFound)  # a CRD that is not there (yet)
        known = self._optional and isinstance(error, errors.Forbidden) and isinstance(self.trouble, errors.Forbidden)
        if self._optional and isinstance(error, errors.Forbidden) and not known:
            self._sink.replace([])
        self.trouble = error
        log.log(
            logging.DEBUG if missing or known else logging.WARNING,
            "watch failed kind=%s again_in=%.1fs error=%s",
            self._of.kind,
            seconds,
            error,
        )
        await asyncio.sleep(seconds)

    async def _not_served(self, error: errors.NotFound) -> None:
        if self._custom_kinds is None:
            await self._pause(error)
            return
        if not isinstance(self.trouble, errors.NotFound):
            log.info("not served, waiting for its CustomResourceDefinition kind=%s", self._of.kind)
        self.trouble = error
        if await self._custom_kinds.until_served(self._of.kind):
            self._version = ""  # another definition than before, maybe
            self._backoff.reset()
        else:  # its definition is established, and the server will follow
            await self._pause(error)

    async def _follow(self) -> None:
        if self._version:
            await self._watch()
        elif self._client.streams_lists:
            await self._stream()
        else:
            await self._list()
            await self._watch()

    async def _stream(self) -> None:
        """Take the initial state from a watch and continue with it; take it from a list if the server refuses that.

        A refusal is only believed, and remembered for all informers of the client, when the list succeeds: a server
        in trouble refuses both.
        """
        try:
            await self._watch(initial=[])
        except errors.ApiError as error:
            if self._version or isinstance(error, SAME_FOR_A_LIST):
                raise
            await self._list()
            self._client.note_streams_refused(error)

    async def _watch(self, initial: list[T] | None = None) -> None:
        """Follow changes until the server ends the watch; `initial` collects what a streamed list begins with."""
        changes = self._client.watch(
            self._of,
            self._namespace,
            resource_version=self._version,
            initial_events=initial is not None,
            seconds=int(MIN_WATCH_SECONDS * (1 + random.random())),
        )
        heard = False
        async for change in changes:
            heard = True
            if initial is None:
                self._take(change)
            elif change.synced:
                self._sink.replace(initial)
                initial = None
                self._observed_version(change.resource_version)
            elif change.object is not None:
                self._share(change.object)
                initial.append(change.object)
        if not heard:  # a server that hangs up at once must not be called in a tight loop
            await asyncio.sleep(FIRST_PAUSE)

    async def _list(self) -> None:
        listing = await self._client.list(self._of, self._namespace)
        for obj in listing.items:
            self._share(obj)
        self._sink.replace(listing.items)
        self._observed_version(listing.resource_version)

    def _take(self, change: Change[T]) -> None:
        if change.object is not None:
            if change.type == "DELETED":
                self._sink.remove(key_of(change.object))
            else:
                self._share(change.object)
                with self._client.faults.contain("cache", change.object, self._of.kind):
                    self._sink.put(change.object)
        elif change.gone is not None:
            self._sink.remove(change.gone)
        self._observed_version(change.resource_version)

    def _share(self, obj: T) -> None:
        with self._client.faults.contain("cache", obj, self._of.kind):
            share_values(obj)

    def _observed_version(self, version: str) -> None:
        if version:
            self._version = version
            self._sink.reached(version)
            self.trouble = None
            self._backoff.reset()


def reflector(
    client: Client, of: View[T], sink: Sink[T], namespace: str, custom_kinds: CustomKinds | None = None
) -> Reflector[T]:
    """Of one namespace; of a kind that has none, whatever may be read."""
    namespaced = of.kind.namespaced
    return Reflector(
        client,
        of,
        sink,
        namespace=namespace if namespaced else "",
        optional=bool(namespace and not namespaced),
        custom_kinds=custom_kinds,
    )


class Informer(Generic[T]):
    """A store of one view that keeps itself up to date while its `run` runs.

    Of a process that works in one `namespace`, it keeps what is there; kinds without namespace it keeps if it may.
    """

    def __init__(
        self,
        client: Client,
        of: View[T],
        *,
        namespace: str = "",
        resync: float | None = None,
        custom_kinds: CustomKinds | None = None,
    ) -> None:
        self.view = of
        self.store: Store[T] = Store(partial=of.is_narrow, kind=of.kind, faults=client.faults)
        self._reflector = reflector(client, of, self.store, namespace, custom_kinds)
        self._resync = resync

    @property
    def lags(self) -> bool:
        """Whether it has yet to see what there is; there is nothing of a kind that is not served."""
        return not self.store.synced.is_set() and not isinstance(self._reflector.trouble, errors.NotFound)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._reflector.run())
            if self._resync:
                group.create_task(self._resync_periodically(self._resync))

    async def _resync_periodically(self, seconds: float) -> None:
        while True:
            await asyncio.sleep(seconds)
            self.store.resync()


class Informers:
    """The informers of a process. Ask before or after `start`; those asked for later start at once."""

    def __init__(self, client: Client, *, namespace: str = "", resync: float | None = None) -> None:
        self._client, self._namespace = client, namespace
        self._resync = resync
        self._informers: dict[View[Any], Informer[Any]] = {}
        self._tasks: asyncio.TaskGroup | None = None
        self._running: dict[View[Any], asyncio.Task[None]] = {}
        self.custom_kinds = CustomKinds(client.discovery, None if namespace else self._watch_definitions)
        """Which custom kinds are served. Who works in one namespace may not watch definitions."""

    @overload
    def store(self, of: type[K]) -> Store[K]: ...
    @overload
    def store(self, of: Kind) -> Store[Json]: ...
    @overload
    def store(self, of: View[T]) -> Store[T]: ...
    def store(self, of: Any) -> Store[Any]:
        form: View[Any] = view(of)
        if form not in self._informers:
            whole = self._whole(form)
            if whole is not None:
                return whole
            self._informers[form] = Informer(
                self._client,
                form,
                namespace=self._namespace,
                resync=self._resync,
                custom_kinds=self.custom_kinds,
            )
            self._start(form)
        return self._informers[form].store

    def _whole(self, form: View[Any]) -> Store[Any] | None:
        """Where metadata alone is asked for: the store of the whole typed objects, if there is one."""
        struct = form.kind.struct
        if form.form is not meta.PartialObjectMetadata or form.is_narrow or struct is None:
            return None
        whole = self._informers.get(view(struct))
        return whole.store if whole is not None else None

    def existing(self, kind: Kind) -> Store[Any] | None:
        """The store of a kind that someone has asked for, in whichever form shows most of it."""
        forms = [form for form in self._informers if form.kind == kind]
        forms.sort(key=lambda form: form.lacks)
        return self._informers[forms[0]].store if forms else None

    def lagging(self) -> list[Kind]:
        """The kinds of which some informer has not seen yet what there is."""
        return sorted({form.kind for form, informer in self._informers.items() if informer.lags}, key=str)

    def start(self, tasks: asyncio.TaskGroup) -> None:
        self._tasks = tasks
        for form in self._informers:
            self._start(form)

    def _start(self, form: View[Any]) -> None:
        if self._tasks is not None:
            name = f"informer {form.kind}"
            self._running[form] = self._tasks.create_task(self._informers[form].run(), name=name)

    def _watch_definitions(self) -> None:
        """Keep `custom_kinds` up to date: begun when the first kind turns out not to be served."""
        if self._tasks is not None:
            watching = Reflector(self._client, DEFINITIONS, self.custom_kinds, optional=True)
            self._running[DEFINITIONS] = self._tasks.create_task(watching.run(), name="custom kinds")

    def stop(self) -> None:
        self._tasks = None  # informers that are asked for from here on do not start
        for task in self._running.values():
            task.cancel()
        self._running.clear()
