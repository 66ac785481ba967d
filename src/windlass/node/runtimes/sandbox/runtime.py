"""The sandbox runtime: `windlass.node.runtimes.base.Runtime` over a zygote and supervisors."""

import asyncio
import contextlib
import logging
import os
import signal as signals
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec

from windlass.node.runtimes.base import CannotRun, ContainerFacts, ContainerSpec, Gone, PodFacts, PodSpec, Usage
from windlass.node.runtimes.changes import Changes
from windlass.node.runtimes.sandbox import limits, store
from windlass.node.runtimes.sandbox.connection import connect
from windlass.node.runtimes.sandbox.pods import Pod
from windlass.node.runtimes.sandbox.process import SandboxProcess
from windlass.node.runtimes.sandbox.zygotes import Zygote

log = logging.getLogger(__name__)


class Sandbox:
    """Runs pods in namespaces. `data` is the data directory, which pods cannot see; pods are in `data`/node/pods."""

    name = "sandbox"

    def __init__(self, data: Path) -> None:
        self._data = data.resolve()
        self._pods: dict[str, Pod] = {}
        self._changes = Changes()
        self._zygote = Zygote(self._data, lost=self._zygote_died)
        self._namespaces: list[int] = []
        self._background: set[asyncio.Task[Any]] = set()

    @property
    def anchor_pid(self) -> int:
        """The pid of a process in the node's user and network namespaces: the zygote."""
        return self._zygote.pid

    @property
    def root_id(self) -> int:
        """The uid and gid on this machine of a container's root, as an owner of volumes."""
        return self._zygote.ids[0] if os.getuid() == 0 else os.getuid()

    def host_id(self, number: int) -> int | None:
        """Return the id on this machine of a container's user or group; None if files cannot be given to it."""
        if os.getuid() == 0 and number < self._zygote.ids[1]:
            return self._zygote.ids[0] + number
        return os.getuid() if self._zygote.ids[1] == 1 or number == 0 else None

    @property
    def has_groups(self) -> bool:
        return self._zygote.ids[1] > 1

    @property
    def hides_devices(self) -> bool:
        return True

    async def start(self) -> None:
        folder = self._data / "node" / "pods"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for each in sorted(folder.iterdir()):
            pod = Pod(each.name, each, self._changed)
            if pod.find():
                self._pods[pod.uid] = pod
        living = [pod for pod in self._pods.values() if pod.alive]
        await asyncio.gather(*(pod.first_facts() for pod in living))
        await self._ensure_zygote()
        dead = [pod for pod in self._pods.values() if not pod.alive]
        await asyncio.gather(*(self._kill_orphans(pod) for pod in dead))
        for uid, folders in limits.containers_of(self._zygote.cgroup).items():
            if uid not in self._pods:
                limits.forget(folders)

    def _candidates(self) -> list[str]:
        """Return where the node's namespaces can be found: held by this agent, or by supervisors of an earlier one."""
        if self._namespaces:
            return ["fd:" + ":".join(map(str, self._namespaces))]
        living = [pod.raw for pod in self._pods.values() if pod.alive and pod.raw]
        return [f"{raw['pid']}:{raw['net']}" for raw in living[:8]]

    def _hold_namespaces(self) -> None:
        """Hold the namespaces open, so that they outlive the zygote even without pods."""
        flags, pid = os.O_RDONLY | os.O_CLOEXEC, self._zygote.pid
        self._namespaces = [os.open(f"/proc/{pid}/ns/{kind}", flags) for kind in ("user", "net")]

    def _zygote_died(self) -> None:
        log.warning("the zygote has died, starting another")
        self._soon(self._ensure_zygote())

    async def stop(self, *, pods: bool) -> None:
        if pods:
            await asyncio.gather(*(self.remove_pod(uid) for uid in list(self._pods)))
            await asyncio.gather(*self._background)
        await self._zygote.stop()
        for descriptor in self._namespaces:
            os.close(descriptor)
        self._namespaces.clear()
        for pod in self._pods.values():
            if pod.connection:
                pod.connection.close()

    async def facts(self) -> dict[str, PodFacts]:
        return {uid: pod.facts() for uid, pod in self._pods.items() if pod.raw}

    async def pod_facts(self, uid: str) -> PodFacts | None:
        pod = self._pods.get(uid)
        return pod.facts() if pod and pod.raw else None

    def changes(self) -> AsyncIterator[str]:
        return self._changes.subscribe()

    def _changed(self, uid: str) -> None:
        self._changes.notify(uid)

    async def start_pod(self, pod: PodSpec) -> PodFacts:
        """Start a pod's sandbox; for one that is alive, update hosts and resolv_conf for its next containers."""
        held = self._pods.setdefault(pod.uid, Pod(pod.uid, Path(pod.folder), self._changed))
        async with held.lock:
            if held.alive:
                await held.send({"do": "update", "pod": {"hosts": pod.hosts, "resolv_conf": pod.resolv_conf}})
                return held.facts()
            os.makedirs(pod.folder, mode=0o700, exist_ok=True)  # noqa: PTH103 - one call, at once
            await self._new_supervisor(held, pod)
            return held.facts()

    async def _new_supervisor(self, held: Pod, pod: PodSpec) -> None:
        ours, theirs = socket.socketpair()
        held.hold(ours)
        with theirs:
            await self._ensure_zygote()
            await self._zygote.send({"do": "pod", "pod": msgspec.to_builtins(pod)}, [theirs.fileno()])
        if await held.first_facts():
            return
        problem = held.problem
        if "held" in problem and await self._find_again(held):
            return
        self._pods.pop(pod.uid, None)
        message = problem.get("error", "its supervisor ended during the start")
        raise CannotRun(f"failed to create pod sandbox: {message}", reason="CreatePodSandboxError")

    async def _find_again(self, held: Pod) -> bool:
        """Find a supervisor that another agent started in the moment before it was killed."""
        for _ in range(100):
            if end := connect(held.folder):
                held.hold(end)
                return await held.first_facts()
            await asyncio.sleep(0.02)
        return False

    async def _ensure_zygote(self) -> None:
        if not self._zygote.alive:
            await self._zygote.start(self._candidates(), self._namespaces)
            if not self._namespaces:
                self._hold_namespaces()

    def _pod(self, uid: str) -> Pod:
        if pod := self._pods.get(uid):
            return pod
        raise Gone(f"there is no sandbox of pod {uid}")

    async def start_container(self, uid: str, container: ContainerSpec) -> ContainerFacts:
        pod = self._pod(uid)
        known = self._run(pod, container)
        if known:
            return known
        await pod.ask({"do": "container", "container": msgspec.to_builtins(container)})
        run = self._run(pod, container)
        if run is None:
            raise Gone(f"container {container.name} of pod {uid} is gone")
        if run.reason == "ContainerCannotRun":
            raise CannotRun(run.message, reason=run.reason, exit_code=run.exit_code)
        return run

    @staticmethod
    def _run(pod: Pod, container: ContainerSpec) -> ContainerFacts | None:
        key = container.name, container.attempt
        return next((run for run in pod.facts().containers if (run.name, run.attempt) == key), None)

    async def signal_container(self, uid: str, name: str, signal: str) -> None:
        signals.Signals[signal]
        pod = self._pods.get(uid)
        if pod and pod.alive:
            with contextlib.suppress(Gone):
                await pod.ask({"do": "signal", "name": name, "signal": signal})

    async def remove_pod(self, uid: str) -> None:
        pod = self._pods.get(uid)
        if pod is None:
            return
        async with pod.lock:
            if not await self._ended(pod):
                await self._kill_orphans(pod)
                for name in store.FILES:
                    (pod.folder / name).unlink(missing_ok=True)
                for layer in store.LAYERS:
                    for folder in (pod.folder / "containers").glob(f"*/*/{layer}"):
                        await self.remove_folder(folder)
            limits.forget(limits.containers_of(self._zygote.cgroup).get(uid, []))
            self._pods.pop(uid, None)

    async def _ended(self, pod: Pod) -> bool:
        """Let its supervisor end it and remove its files; False if it has none (any more)."""
        try:
            await pod.ask({"do": "end"})
        except Gone:
            return False
        self._soon(pod.left())
        return True

    async def remove_folder(self, folder: Path) -> None:
        """Remove a folder and its contents, including files of pod users that the agent itself cannot remove."""
        if await asyncio.to_thread(os.path.lexists, folder):
            await self._ensure_zygote()
            await self._zygote.ask({"do": "remove", "path": str(folder)})

    async def _kill_orphans(self, pod: Pod) -> None:
        """Kill what is left of a pod without a supervisor; by start time, so never another process with that pid."""
        if pod.raw.get("boot") != store.boot_id():
            return
        pids = [
            run["pid"]
            for run in pod.raw.get("containers", [])
            if run["state"] == "running" and run["pid"] and store.start_time(run["pid"]) == run.get("start_time")
        ]
        if pids:
            await self._ensure_zygote()
            await self._zygote.ask({"do": "kill", "pids": pids})

    async def exec(
        self, uid: str, name: str, argv: list[str], *, stdin: bool, stdout: bool, stderr: bool, tty: bool
    ) -> SandboxProcess:
        pod = self._pod(uid)
        session, exit_code = pod.new_session()
        wanted = {"stdin": stdin, "stdout": stdout, "stderr": stderr}
        try:
            _, fds = await pod.ask({"do": "exec", "name": name, "argv": argv, "session": session, "tty": tty, **wanted})
        except BaseException:
            pod.exits.pop(session, None)
            raise
        if tty:
            return SandboxProcess(fds[0], fds[0], None, exit_code=exit_code, on_close=self._closer(pod, session))
        ends = [fds.pop(0) if asked else None for asked in wanted.values()]
        return SandboxProcess(*ends, exit_code=exit_code, on_close=self._closer(pod, session))

    async def attach(self, uid: str, name: str, *, stdin: bool, stdout: bool, stderr: bool) -> SandboxProcess:
        pod = self._pod(uid)
        session, exit_code = pod.new_session()
        wanted = {"stdin": stdin, "stdout": stdout, "stderr": stderr}
        try:
            answer, fds = await pod.ask({"do": "attach", "name": name, "session": session, **wanted})
        except BaseException:
            pod.exits.pop(session, None)
            raise
        closer = self._closer(pod, session)
        if answer["tty"]:

            def resize(columns: int, rows: int) -> None:
                self._soon(pod.ask({"do": "resize", "name": name, "columns": columns, "rows": rows}))

            return SandboxProcess(fds[0], fds[0], None, exit_code=exit_code, on_close=closer, on_resize=resize)
        wanted["stdin"] = answer["stdin"]
        ends = [fds.pop(0) if asked else None for asked in wanted.values()]
        return SandboxProcess(*ends, exit_code=exit_code, on_close=closer)

    def _closer(self, pod: Pod, session: int) -> Any:
        def close() -> None:
            if session in pod.exits and pod.alive:
                self._soon(pod.ask({"do": "close", "session": session}))
                if (future := pod.exits.pop(session, None)) and not future.done():
                    future.set_result(137)

        return close

    def _soon(self, work: Any) -> None:
        async def quietly() -> None:
            try:
                await work
            except Gone:
                return
            except CannotRun as error:
                log.error("%s", error)

        task = asyncio.ensure_future(quietly())
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def usage(self, uid: str) -> dict[str, Usage]:
        pod = self._pod(uid)
        answer, _ = await pod.ask({"do": "usage"})
        return {name: Usage(cpu, int(memory), int(count)) for name, (cpu, memory, count) in answer["usage"].items()}

    def log_file(self, uid: str, name: str, attempt: int) -> str:
        pod = self._pods.get(uid)
        folder = pod.folder if pod else self._data / "node" / "pods" / uid
        return str(folder / "containers" / name / str(attempt) / store.LOG)

    def limits_by(self) -> str:
        if self._zygote.cgroup:
            return "cgroup v2"
        return (
            "rlimits: no cgroup v2 is delegated here. Processes are limited by RLIMIT_NPROC; a container over its "
            "memory limit is killed when that is seen, every 100 ms; CPU limits are not kept"
        )
