"""Follows a job to its end: reports its progress as notes, and the lines of its replicas as they are written.

Two watches mirror the job and the pods of its namespace. On every change, `progress` compares the current state with
what was already reported.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Protocol

from windlass.apps.training.jobs.state import progress
from windlass.apps.training.jobs.state.job_state import belongs, exit_code, has_ended, job_state, replica_name
from windlass.apps.training.jobs.state.lookup import EVENT, POD
from windlass.kube import errors
from windlass.kube.informer import Reflector
from windlass.kube.json import dig
from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.kube.objects import key_of
from windlass.kube.view import untyped

if TYPE_CHECKING:
    from windlass.kube.client import Client

Json = dict[str, Any]
FAILED_GRACE_SECONDS, SUCCEEDED_GRACE_SECONDS = 3.0, 60.0
"""How long replicas that still run are followed after the job has failed or succeeded."""
EVENTS_INTERVAL_SECONDS = 1.0  # seconds


class JobReporter(Protocol):
    """The output: a terminal, or the demo's screen."""

    def line(self, replica: str, text: str) -> None: ...

    def note(self, text: str) -> None: ...

    def running(self, text: str) -> None:
        """The job runs now, or all of its replicas do."""
        ...

    def update(self, job: Json | None, pods: list[Json]) -> None: ...


class Mirror:
    """The latest state of some objects; sets `changed` on every change."""

    def __init__(self, kind: Kind, changed: asyncio.Event) -> None:
        self._kind, self._changed = kind, changed
        self.objects: dict[Key, Json] = {}
        self.complete = False

    def replace(self, objects: Iterable[Json], /) -> None:
        self.objects = {key_of(obj): {"kind": self._kind.name, **obj} for obj in objects}
        self.complete = True
        self._changed.set()

    def put(self, obj: Json, /) -> None:
        self.objects[key_of(obj)] = obj
        self._changed.set()

    def remove(self, key: Key, /) -> None:
        self.objects.pop(key, None)
        self._changed.set()

    def reached(self, version: str, /) -> None:
        """Ignored: nothing here depends on versions."""


class Follower:
    """`only` selects the pods (by name, and as `worker-1`) whose logs are reported."""

    def __init__(
        self,
        client: "Client",
        kind: Kind,
        key: Key,
        reporter: JobReporter,
        only: Callable[[str, str], bool] = lambda pod, replica: True,
    ) -> None:
        self._client, self._kind, self._key, self._reporter, self._only = client, kind, key, reporter, only
        self._reported = progress.ReportedProgress()
        self._streams: dict[tuple[str, int], asyncio.Task[None]] = {}
        self._pods: dict[str, Json] = {}
        self._names: dict[str, str] = {}

    async def run(self) -> int:
        """Follow until the job has ended and its logs are complete; return its exit code."""
        changed = asyncio.Event()
        jobs, pods = Mirror(self._kind, changed), Mirror(POD, changed)
        async with running(
            Reflector(
                self._client,
                untyped(self._kind).narrowed(f"metadata.name={self._key.name}"),
                jobs,
                namespace=self._key.namespace,
            ).run(),
            Reflector(self._client, untyped(POD), pods, namespace=self._key.namespace).run(),
            self._report_events(),
        ):
            while True:
                job = jobs.objects.get(self._key)
                self._update(
                    job, [pod for pod in pods.objects.values() if belongs(pod, self._kind.name, self._key.name)]
                )
                if jobs.complete and pods.complete and (job is None or has_ended(job)):
                    break
                await changed.wait()
                changed.clear()
            if job is not None:
                await self._finish_logs(job)
                self._reporter.note(progress.ending(job))
            await self._follow_remaining_replicas(job, pods, changed)
            return await self._code(job)

    def _update(self, job: Json | None, pods: list[Json]) -> None:
        begun = any(progress.stream_of(pod, self._kind.name) for pod in pods)
        for changes in self._reported.changes(job, begun=begun):
            (self._reporter.running if changes.runs else self._reporter.note)(changes.text)
        if job is not None:
            self._names[str(dig(job, "metadata", "uid"))] = ""
        self._reporter.update(job, sorted(pods, key=replica_name))
        for pod in pods:
            uid = str(dig(pod, "metadata", "uid"))
            self._pods[uid], self._names[uid] = pod, replica_name(pod)
            stream = progress.stream_of(pod, self._kind.name)
            if stream is not None and stream not in self._streams and self._only(key_of(pod).name, replica_name(pod)):
                self._streams[stream] = asyncio.create_task(self._stream(pod))

    async def _stream(self, pod: Json) -> None:
        key, replica = key_of(pod), replica_name(pod)
        container = progress.main_container(pod, self._kind.name)
        try:
            async for line in self._client.logs(key, container=container, follow=True):
                self._reporter.line(replica, line.decode(errors="replace"))
        except errors.NotFound:
            return  # deleted before it could be read
        except errors.ApiError as error:
            self._reporter.note(f"lost the log of {replica}: {error}")

    async def _report_events(self) -> None:
        while True:
            try:
                listing = await self._client.list(EVENT, self._key.namespace)
            except errors.ApiError:
                continue  # the watches report it already, and continue when they can
            finally:
                await asyncio.sleep(EVENTS_INTERVAL_SECONDS)
            for note in self._reported.new_events(listing.items, self._names):
                self._reporter.note(note)

    async def _finish_logs(self, job: Json) -> None:
        """Report the last lines of replicas that have ended, so that they precede the end of the job."""
        pods = await self._own_pods()  # the watch may be behind the job's
        self._update(job, pods)
        ended = {str(dig(pod, "metadata", "uid")) for pod in pods if progress.is_over(pod)}
        reading = [task for (uid, _), task in self._streams.items() if uid in ended]
        if reading:
            await asyncio.wait(reading, timeout=FAILED_GRACE_SECONDS)

    async def _follow_remaining_replicas(self, job: Json | None, pods: Mirror, changed: asyncio.Event) -> None:
        """Follow replicas that outlive the job, for a limited time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(
                FAILED_GRACE_SECONDS if job is None or job_state(job) == "Failed" else SUCCEEDED_GRACE_SECONDS
            ):
                while True:
                    mine = [pod for pod in pods.objects.values() if belongs(pod, self._kind.name, self._key.name)]
                    self._update(job, mine)
                    if all(progress.is_over(pod) for pod in mine):
                        break
                    await changed.wait()
                    changed.clear()
                await asyncio.gather(*self._streams.values(), return_exceptions=True)
        for task in self._streams.values():
            task.cancel()

    async def _code(self, job: Json | None) -> int:
        """The exit code. Lists the pods again, since their last status may arrive after the job's."""
        if job is None:
            self._reporter.note("the job was deleted")
            return 1
        for pod in await self._own_pods():
            self._pods[str(dig(pod, "metadata", "uid"))] = pod
        return exit_code(job, self._pods.values())

    async def _own_pods(self) -> list[Json]:
        listed = (await self._client.list(POD, self._key.namespace)).items
        return [pod for pod in listed if belongs(pod, self._kind.name, self._key.name)]


@asynccontextmanager
async def running(*work: Any) -> AsyncGenerator[None]:
    """Run coroutines during the block, and cancel them at its end."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
