"""Follows a job to its end: what it does, as notes, and what its replicas write, as they write it.

Two watches mirror the job and the pods of its namespace. Whenever one changes, what is there is compared with what was
told already; what is worth telling is decided in `progress`.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Protocol

from windlass.jobs.state import progress
from windlass.jobs.state.job_state import belongs, exit_code, has_ended, job_state, replica_name
from windlass.jobs.state.lookup import EVENT, POD
from windlass.kube import errors
from windlass.kube.informer import Reflector
from windlass.kube.json import dig
from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.kube.objects import key_of
from windlass.kube.view import View

if TYPE_CHECKING:
    from windlass.kube.client import Client

Json = dict[str, Any]
LAST_LINES, LONGEST_REST = 3.0, 60.0
"""Seconds in which replicas are followed that go on when the job has failed, or has succeeded without them."""
LOOK_AT_EVENTS = 1.0  # seconds


class Teller(Protocol):
    """Where it goes: a terminal, or the demo's screen."""

    def line(self, replica: str, text: str) -> None: ...

    def note(self, text: str) -> None: ...

    def running(self, text: str) -> None:
        """The job runs now, or all of its replicas do."""
        ...

    def seen(self, job: Json | None, pods: list[Json]) -> None: ...


class Mirror:
    """The newest state of some objects, and a bell that rings when it changes."""

    def __init__(self, kind: Kind, bell: asyncio.Event) -> None:
        self._kind, self._bell = kind, bell
        self.objects: dict[Key, Json] = {}
        self.complete = False

    def replace(self, objects: Iterable[Json], /) -> None:
        self.objects = {key_of(obj): {"kind": self._kind.name, **obj} for obj in objects}
        self.complete = True
        self._bell.set()

    def put(self, obj: Json, /) -> None:
        self.objects[key_of(obj)] = obj
        self._bell.set()

    def remove(self, key: Key, /) -> None:
        self.objects.pop(key, None)
        self._bell.set()

    def reached(self, version: str, /) -> None:
        """Nothing here depends on versions."""


class Follower:
    """`only` says of which pods (by name and as `worker-1`) the logs are wanted."""

    def __init__(
        self,
        client: "Client",
        kind: Kind,
        key: Key,
        teller: Teller,
        only: Callable[[str, str], bool] = lambda pod, replica: True,
    ) -> None:
        self._client, self._kind, self._key, self._teller, self._only = client, kind, key, teller, only
        self._told = progress.Told()
        self._streams: dict[tuple[str, int], asyncio.Task[None]] = {}
        self._pods: dict[str, Json] = {}
        self._known: dict[str, str] = {}

    async def run(self) -> int:
        """Until the job has ended and its logs have been told: its exit code."""
        bell = asyncio.Event()
        jobs, pods = Mirror(self._kind, bell), Mirror(POD, bell)
        async with running(
            Reflector(
                self._client,
                View(self._kind, dict, f"metadata.name={self._key.name}"),
                jobs,
                namespace=self._key.namespace,
            ).run(),
            Reflector(self._client, View(POD, dict), pods, namespace=self._key.namespace).run(),
            self._tell_events(),
        ):
            while True:
                job = jobs.objects.get(self._key)
                self._look(job, [pod for pod in pods.objects.values() if belongs(pod, self._kind.name, self._key.name)])
                if jobs.complete and pods.complete and (job is None or has_ended(job)):
                    break
                await bell.wait()
                bell.clear()
            if job is not None:
                await self._finish_logs(job)
                self._teller.note(progress.ending(job))
            await self._follow_stragglers(job, pods, bell)
            return await self._code(job)

    def _look(self, job: Json | None, pods: list[Json]) -> None:
        begun = any(progress.stream_of(pod, self._kind.name) for pod in pods)
        for news in self._told.news(job, begun=begun):
            (self._teller.running if news.runs else self._teller.note)(news.text)
        if job is not None:
            self._known[str(dig(job, "metadata", "uid"))] = ""
        self._teller.seen(job, sorted(pods, key=replica_name))
        for pod in pods:
            uid = str(dig(pod, "metadata", "uid"))
            self._pods[uid], self._known[uid] = pod, replica_name(pod)
            stream = progress.stream_of(pod, self._kind.name)
            if stream is not None and stream not in self._streams and self._only(key_of(pod).name, replica_name(pod)):
                self._streams[stream] = asyncio.create_task(self._stream(pod))

    async def _stream(self, pod: Json) -> None:
        key, replica = key_of(pod), replica_name(pod)
        container = progress.main_container(pod, self._kind.name)
        try:
            async for line in self._client.logs(key, container=container, follow=True):
                self._teller.line(replica, line.decode(errors="replace"))
        except errors.NotFound:
            return  # deleted before it could be read
        except errors.ApiError as error:
            self._teller.note(f"the log of {replica} is lost: {error}")

    async def _tell_events(self) -> None:
        while True:
            try:
                listing = await self._client.list(EVENT, self._key.namespace)
            except errors.ApiError:
                continue  # the watches say so already, and go on when they can
            finally:
                await asyncio.sleep(LOOK_AT_EVENTS)
            for note in self._told.new_events(listing.items, self._known):
                self._teller.note(note)

    async def _finish_logs(self, job: Json) -> None:
        """Show the last lines of replicas that have ended, so that how the job ended comes after them."""
        pods = await self._own_pods()  # the watch may be behind the job's
        self._look(job, pods)
        ended = {str(dig(pod, "metadata", "uid")) for pod in pods if progress.is_over(pod)}
        reading = [task for (uid, _), task in self._streams.items() if uid in ended]
        if reading:
            await asyncio.wait(reading, timeout=LAST_LINES)

    async def _follow_stragglers(self, job: Json | None, pods: Mirror, bell: asyncio.Event) -> None:
        """The job may be done before all of its replicas are: what they still write is told, for a while."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_LINES if job is None or job_state(job) == "Failed" else LONGEST_REST):
                while True:
                    mine = [pod for pod in pods.objects.values() if belongs(pod, self._kind.name, self._key.name)]
                    self._look(job, mine)
                    if all(progress.is_over(pod) for pod in mine):
                        break
                    await bell.wait()
                    bell.clear()
                await asyncio.gather(*self._streams.values(), return_exceptions=True)
        for task in self._streams.values():
            task.cancel()

    async def _code(self, job: Json | None) -> int:
        """The pods' last states may be told later than the job's, so they are asked for once more."""
        if job is None:
            self._teller.note("the job was deleted")
            return 1
        for pod in await self._own_pods():
            self._pods[str(dig(pod, "metadata", "uid"))] = pod
        return exit_code(job, self._pods.values())

    async def _own_pods(self) -> list[Json]:
        listed = (await self._client.list(POD, self._key.namespace)).items
        return [pod for pod in listed if belongs(pod, self._kind.name, self._key.name)]


@asynccontextmanager
async def running(*work: Any) -> AsyncIterator[None]:
    """Coroutines beside the body, ended with it."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
