"""The podman runtime. The engine keeps the state; what it cannot store is in the pods' folders."""

import asyncio
import contextlib
import logging
import os
import shutil
import signal as signals
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import msgspec

from windlass.kube.json import Object, dig
from windlass.node.runtimes.base import CannotRun, ContainerFacts, ContainerSpec, Gone, PodFacts, PodSpec, Usage
from windlass.node.runtimes.changes import Changes
from windlass.node.runtimes.podman import answers, bodies, holder, logs
from windlass.node.runtimes.podman.engine import Engine, Refused, connect
from windlass.node.runtimes.podman.images import EngineImages
from windlass.node.runtimes.podman.pods import EnginePod
from windlass.node.runtimes.podman.process import EngineProcess
from windlass.node.runtimes.podman.sessions import SessionOptions, attach, execute
from windlass.node.runtimes.process import table

__all__ = ["Podman", "connect"]

log = logging.getLogger(__name__)

_REPORTED_ACTIONS = ("start", "die", "died", "destroy", "remove", "oom")
_AGAIN_AFTER = 1.0


class Podman:
    """Runs pods in podman or docker. All its containers carry a label with the data directory."""

    name = "podman"

    def __init__(self, data: Path, engine: Engine) -> None:
        self._data, self._engine = data.resolve(), engine
        self.images = EngineImages(engine)
        self._pods: dict[str, EnginePod] = {}
        self._changes = Changes()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._copying: set[str] = set()

    async def start(self) -> None:
        await self._have_holder()
        await self.images.start()
        owned = await self._engine.get(
            "/containers/json", all=True, filters={"label": [f"{bodies.OWNER}={self._data}"]}
        )
        for uid in {str(dig(each, "Labels", bodies.UID)) for each in owned or []}:
            self._pods[uid] = EnginePod(uid, self._folder(uid))
            await self._inspect(uid)
        self._spawn(self._follow())

    async def _listed(self, label: str, value: str) -> list[Object]:
        return await self._engine.get("/containers/json", all=True, filters={"label": [f"{label}={value}"]}) or []

    async def _have_holder(self) -> None:
        try:
            await self._engine.get(f"/images/{holder.IMAGE}/json")
        except Refused:
            archive = holder.image_archive()
            await self._engine.post("/images/create", archive, fromSrc="-", repo=holder.IMAGE)

    async def stop(self, *, pods: bool) -> None:
        if pods:
            await asyncio.gather(*(self.remove_pod(uid) for uid in list(self._pods)))
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._engine.close()

    def _folder(self, uid: str) -> Path:
        return self._data / "node" / "pods" / uid

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # Facts

    async def facts(self) -> dict[str, PodFacts]:
        return {uid: pod.facts() for uid, pod in self._pods.items() if pod.is_known}

    async def pod_facts(self, uid: str) -> PodFacts | None:
        pod = self._pods.get(uid)
        return pod.facts() if pod and pod.is_known else None

    def changes(self) -> AsyncIterator[str]:
        return self._changes.subscribe()

    async def _follow(self) -> None:
        """Follow the engine's events, and inspect everything again whenever the connection was lost."""
        while True:
            try:
                async for event in self._engine.lines("GET", "/events", filters={"type": ["container"]}):
                    about, action = dig(event, "Actor", "Attributes") or {}, str(event.get("Action") or "")
                    if about.get(bodies.OWNER) == str(self._data) and action in _REPORTED_ACTIONS:
                        uid, container = str(about.get(bodies.UID)), str(dig(event, "Actor", "ID"))
                        self._spawn(self._on_event(uid, container, action))
            except (OSError, aiohttp.ClientError, Refused) as error:
                log.warning("cannot follow the events of the engine, retrying in a second error=%s", error)
            await asyncio.sleep(_AGAIN_AFTER)
            with contextlib.suppress(OSError, aiohttp.ClientError, Refused):
                await asyncio.gather(*(self._inspect(uid) for uid in list(self._pods)))

    async def _on_event(self, uid: str, container: str, action: str) -> None:
        with contextlib.suppress(OSError, aiohttp.ClientError, Refused):
            if action in ("die", "died"):
                await self._engine.post(f"/containers/{container}/wait")
            await self._inspect(uid)

    async def _inspect(self, uid: str) -> None:
        """Inspect a pod, and notify if anything has changed."""
        pod = self._pods.get(uid)
        if pod is None:
            return
        inspected: list[Object] = []
        for each in await self._listed(bodies.UID, uid):
            with contextlib.suppress(Refused):  # removed meanwhile
                inspected.append(await self._engine.get(f"/containers/{each['Id']}/json"))
        if pod.update(inspected):
            self._changes.notify(uid)
        for each in inspected if not self._engine.is_podman else ():
            self._copy_output(pod, each)

    def _copy_output(self, pod: EnginePod, inspected: Object) -> None:
        identity, name = str(inspected["Id"]), dig(inspected, "Config", "Labels", bodies.NAME)
        if name is None or identity in self._copying or answers.container_facts(inspected, "") is None:
            return
        self._copying.add(identity)
        path = pod.run_folder(str(name), int(dig(inspected, "Config", "Labels", bodies.ATTEMPT))) / "output.log"

        async def copy() -> None:
            with contextlib.suppress(OSError, aiohttp.ClientError, Refused):
                await logs.copy(self._engine, identity, path, tty=bool(dig(inspected, "Config", "Tty")))

        self._spawn(copy())

    # Pods

    async def start_pod(self, pod: PodSpec) -> PodFacts:
        held = self._pods.setdefault(pod.uid, EnginePod(pod.uid, self._folder(pod.uid)))
        async with held.lock:
            await asyncio.to_thread(held.keep, pod)
            if not held.alive:
                await self._hold(held, pod)
            return held.facts()

    async def _hold(self, held: EnginePod, pod: PodSpec) -> None:
        name = bodies.pod_name(pod.uid)
        try:
            await self._end_all(held)
            with contextlib.suppress(_Exists):  # it has ended, and is started again
                await self._create(name, bodies.pod(pod, str(self._data)))
            await self._engine.post(f"/containers/{name}/start")
        except Refused as error:
            raise CannotRun(f"failed to create pod sandbox: {error}", reason="CreatePodSandboxError") from error
        await self._inspect(pod.uid)

    async def _end_all(self, held: EnginePod) -> None:
        """Kill what is left of a pod whose holder has ended, and record it."""
        for run in held.facts().containers if held.is_known else ():
            if run.state == "running":
                with contextlib.suppress(Refused):
                    await self._engine.post(f"/containers/{run.id}/kill", signal="SIGKILL")

    async def remove_pod(self, uid: str) -> None:
        pod = self._pods.get(uid)
        if pod is None:
            return
        async with pod.lock:
            listed = await self._listed(bodies.UID, uid)
            holds = [each["Id"] for each in listed if bodies.NAME not in (each.get("Labels") or {})]
            others = [each["Id"] for each in listed if each["Id"] not in holds]
            for identity in (*others, *holds):
                with contextlib.suppress(Refused):
                    await self._engine.delete(f"/containers/{identity}", force=True, v=True)
            await asyncio.to_thread(pod.forget)
            self._pods.pop(uid, None)

    def _pod(self, uid: str) -> EnginePod:
        if pod := self._pods.get(uid):
            return pod
        raise Gone(f"there is no sandbox of pod {uid}")

    async def remove_folder(self, folder: Path) -> None:
        """Remove a folder; files that a rootless engine gave to other users stay, as this user may not remove them."""
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    # Containers

    async def start_container(self, uid: str, container: ContainerSpec) -> ContainerFacts:
        pod = self._pod(uid)
        async with pod.lock:
            run = pod.run(container.name, container.attempt)
            if run is None:
                run = await self._start_container(pod, container)
        if run.reason == "ContainerCannotRun":
            raise CannotRun(run.message, reason=run.reason, exit_code=run.exit_code)
        return run

    async def _start_container(self, pod: EnginePod, spec: ContainerSpec) -> ContainerFacts:
        if not pod.alive:
            raise Gone(f"pod {pod.uid} has no running sandbox")
        name = bodies.container_name(pod.uid, spec.name, spec.attempt)
        body = await asyncio.to_thread(self._body, pod, spec)
        try:
            _check_profile(spec)
            await asyncio.to_thread(_check_sources, spec)
            with contextlib.suppress(_Exists):
                await self._create(name, body)
            await self._engine.post(f"/containers/{name}/start")
        except Refused as error:
            code = answers.exit_code_of_refusal(str(error))
            identity = os.urandom(32).hex()
            refused = answers.cannot_run(spec.name, spec.attempt, identity, str(error), code, spec.spec_hash)
            with contextlib.suppress(Refused):
                await self._engine.delete(f"/containers/{name}", force=True)
            await asyncio.to_thread(pod.refuse, refused)
            return refused
        await self._inspect(pod.uid)
        run = pod.run(spec.name, spec.attempt)
        if run is None:
            raise Gone(f"container {spec.name} of pod {pod.uid} is gone")
        return run

    async def _create(self, name: str, body: Object) -> None:
        try:
            await self._engine.post("/containers/create", body, name=name)
        except Refused as error:
            if error.status == 409 or "already in use" in str(error):  # podman calls it an internal error
                raise _Exists from error
            raise

    def _body(self, pod: EnginePod, spec: ContainerSpec) -> Object:
        files = pod.files(spec)
        services = table.read(self._data).services
        adapted = msgspec.structs.replace(
            spec,
            argv=tuple(table.translated(word, services) for word in spec.argv),
            environment=table.translated_environment(spec.environment, services),
        )
        target = pod.newest(spec.share_processes_with) if spec.share_processes_with else None
        body = bodies.container(adapted, pod.spec, str(self._data), files, target.id if target else "")
        if self._engine.is_podman:
            return bodies.for_podman(body, pod.spec, self.log_file(pod.uid, spec.name, spec.attempt))
        return body

    async def signal_container(self, uid: str, name: str, signal: str) -> None:
        signals.Signals[signal]
        pod = self._pods.get(uid)
        run = pod.newest(name) if pod else None
        if run is not None and run.state == "running":
            with contextlib.suppress(Refused):  # it has ended
                await self._engine.post(f"/containers/{run.id}/kill", signal=signal)

    def _running(self, uid: str, name: str) -> ContainerFacts:
        run = self._pod(uid).newest(name)
        if run is None or run.state != "running":
            raise Gone(f"container {name} is not running")
        return run

    async def exec(
        self, uid: str, name: str, argv: list[str], *, stdin: bool, stdout: bool, stderr: bool, tty: bool
    ) -> EngineProcess:
        wanted = SessionOptions(stdin, stdout, stderr, tty)
        return await execute(self._engine, self._running(uid, name).id, argv, wanted)

    async def attach(self, uid: str, name: str, *, stdin: bool, stdout: bool, stderr: bool) -> EngineProcess:
        return await attach(self._engine, self._running(uid, name).id, SessionOptions(stdin, stdout, stderr, False))

    async def usage(self, uid: str) -> dict[str, Usage]:
        running = [run for run in self._pod(uid).facts().containers if run.state == "running"]
        found: dict[str, Usage] = {}
        for run in running:
            with contextlib.suppress(Refused):
                stats = await self._engine.get(f"/containers/{run.id}/stats", stream=False, **{"one-shot": True})
                found[run.name] = answers.usage(stats)
        return found

    def log_file(self, uid: str, name: str, attempt: int) -> str:
        return str(self._folder(uid) / "containers" / name / str(attempt) / "output.log")

    @property
    def has_groups(self) -> bool:
        return True

    @property
    def hides_devices(self) -> bool:
        return True

    def limits_by(self) -> str:
        return f"cgroups, by {self._engine.version}"


def _check_profile(spec: ContainerSpec) -> None:
    """Refuse profiles that the engine would have to read itself. Raises Refused."""
    if spec.seccomp_profile == "Localhost":
        raise Refused(400, "seccompProfile: Localhost profiles are not supported by the podman runtime")


def _check_sources(spec: ContainerSpec) -> None:
    """Check that mount sources exist: engines would create a folder on the machine. Raises Refused."""
    for mount in spec.mounts:
        if not mount.source.startswith("tmpfs") and not os.path.lexists(mount.source):
            raise Refused(
                400, f"failed to mount {mount.source} at {mount.target}: no such file or directory on this machine"
            )


class _Exists(Exception):
    """A container of that name exists already."""
