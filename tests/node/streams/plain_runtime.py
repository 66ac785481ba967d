"""A runtime for tests of the streams: real processes of this machine, without any sandbox, by the same contract."""

import asyncio
import contextlib
import fcntl
import os
import pty
import shutil
import signal
import socket
import struct
import subprocess
import termios
import time
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

from windlass.kube.json import Object
from windlass.node.runtimes.base import (
    CannotRun,
    ContainerFacts,
    ContainerSpec,
    Gone,
    PodFacts,
    PodSpec,
    Process,
    Usage,
)
from windlass.node.streams.archive import Archive
from windlass.node.streams.pods import Changes, RunningPod


class PlainProcess:
    """A command with its ends of the streams."""

    def __init__(self, argv: list[str], *, stdin: bool, stdout: bool, stderr: bool, tty: bool) -> None:
        self.stdin: int | None = None
        self.stdout: int | None = None
        self.stderr: int | None = None
        if tty:
            master, slave = pty.openpty()
            self._popen = subprocess.Popen(
                argv, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
            )  # fmt: skip
            os.close(slave)
            self.stdin = self.stdout = master
        else:
            theirs: list[int] = []
            ends: list[int] = []
            for number, wanted in enumerate((stdin, stdout, stderr)):
                read, write = os.pipe()
                mine, its = (write, read) if number == 0 else (read, write)
                theirs.append(its)
                ends.append(mine)
                if not wanted:
                    os.close(mine)
            self._popen = subprocess.Popen(
                argv, stdin=theirs[0], stdout=theirs[1], stderr=theirs[2], start_new_session=True
            )
            for fd in theirs:
                os.close(fd)
            self.stdin = ends[0] if stdin else None
            self.stdout = ends[1] if stdout else None
            self.stderr = ends[2] if stderr else None
        for fd in (self.stdin, self.stdout, self.stderr):
            if fd is not None:
                os.set_blocking(fd, False)
        self.pid = self._popen.pid

    async def wait(self) -> int:
        code = await asyncio.to_thread(self._popen.wait)
        return code if code >= 0 else 128 - code

    def resize(self, columns: int, rows: int) -> None:
        if self.stdout is not None:
            fcntl.ioctl(self.stdout, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._popen.pid, signal.SIGKILL)
        for fd in {fd for fd in (self.stdin, self.stdout, self.stderr) if fd is not None}:
            os.close(fd)
        self.stdin = self.stdout = self.stderr = None


class Attached:
    """A second reader's ends of a container's streams; its end is the container's."""

    def __init__(self, container: "Container", *, stdin: bool, stdout: bool, stderr: bool) -> None:
        self._container = container
        self.stdin = os.dup(container.stdin) if stdin and container.stdin is not None else None
        self.stdout, out = os.pipe() if stdout else (None, None)
        self.stderr, error = os.pipe() if stderr else (None, None)
        self._ends = {"stdout": out, "stderr": error}
        container.attached.append(self)
        for fd in (self.stdin, self.stdout, self.stderr, out, error):
            if fd is not None:
                os.set_blocking(fd, False)

    def put(self, stream: str, data: bytes) -> None:
        fd = self._ends[stream]
        if fd is not None:
            with contextlib.suppress(OSError):
                os.write(fd, data)

    def finish(self) -> None:
        for fd in self._ends.values():
            if fd is not None:
                os.close(fd)
        self._ends = {"stdout": None, "stderr": None}

    async def wait(self) -> int:
        await self._container.ended.wait()
        return self._container.facts.exit_code

    def resize(self, columns: int, rows: int) -> None:
        return

    def close(self) -> None:
        if self in self._container.attached:
            self._container.attached.remove(self)
        self.finish()
        for fd in (self.stdin, self.stdout, self.stderr):
            if fd is not None:
                os.close(fd)
        self.stdin = self.stdout = self.stderr = None


class Container:
    """A running container whose output goes to its log."""

    def __init__(self, process: PlainProcess, facts: ContainerFacts, log: Path, rotate_at: int) -> None:
        self.process, self.facts, self._log, self._rotate_at = process, facts, log, rotate_at
        self.stdin = process.stdin
        self.attached: list[Attached] = []
        self.ended = asyncio.Event()
        self._file = log.open("ab", buffering=0)

    async def pump(self, stream: str, fd: int) -> None:
        from windlass.node.streams import pipes

        rest = b""
        while data := await pipes.read(fd):
            for reader in self.attached:
                reader.put(stream, data)
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self._line(stream, "F", line)
            while len(rest) > 16384:
                self._line(stream, "P", rest[:16384])
                rest = rest[16384:]
        if rest:
            self._line(stream, "F", rest)

    def _line(self, stream: str, tag: str, text: bytes) -> None:
        now = time.time_ns()
        whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now // 10**9))
        self._file.write(f"{whole}.{now % 10**9:09d}Z {stream} {tag} ".encode() + text + b"\n")
        if self._file.tell() > self._rotate_at:
            self._file.close()
            for number in range(4, 0, -1):
                old = self._log if number == 1 else Path(f"{self._log}.{number - 1}")
                if old.exists():
                    old.rename(f"{self._log}.{number}")
            self._file = self._log.open("ab", buffering=0)

    def close(self) -> None:
        self._file.close()
        for reader in list(self.attached):
            reader.finish()


class PlainRuntime:
    """Containers are host processes; a pod is a folder."""

    name = "plain"

    def __init__(self, folder: Path, rotate_at: int = 10 << 20) -> None:
        self._folder = self.folder = folder
        self._rotate_at = rotate_at
        self._pods: dict[str, dict[str, list[Container]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.told = Changes()

    async def start(self) -> None:
        return

    async def stop(self, *, pods: bool) -> None:
        for uid in list(self._pods) if pods else ():
            await self.remove_pod(uid)
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def facts(self) -> dict[str, PodFacts]:
        return {uid: PodFacts(uid, 0, True, 0.0, tuple(self._facts(uid))) for uid in self._pods}

    def _facts(self, uid: str) -> Iterable[ContainerFacts]:
        return [run.facts for runs in self._pods[uid].values() for run in runs]

    async def pod_facts(self, uid: str) -> PodFacts | None:
        return (await self.facts()).get(uid)

    def changes(self) -> AsyncIterator[str]:
        raise NotImplementedError("the streams are told through `Pods.changed`")

    async def start_pod(self, pod: PodSpec) -> PodFacts:
        self._pods.setdefault(pod.uid, {})
        return PodFacts(pod.uid, 0, True, time.time())

    async def start_container(self, uid: str, container: ContainerSpec) -> ContainerFacts:
        argv = list(container.argv)
        if shutil.which(argv[0]) is None:
            raise CannotRun(f'exec: "{argv[0]}": executable file not found in $PATH', exit_code=127)
        process = PlainProcess(argv, stdin=container.stdin, stdout=True, stderr=not container.tty, tty=container.tty)
        log = Path(self.log_file(uid, container.name, container.attempt))
        log.parent.mkdir(parents=True, exist_ok=True)
        facts = ContainerFacts(
            container.name, container.attempt, f"plain://{process.pid}", "running", process.pid, time.time()
        )
        run = Container(process, facts, log, self._rotate_at)
        self._pods[uid].setdefault(container.name, []).append(run)
        task = asyncio.create_task(self._hold(uid, run))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return facts

    async def _hold(self, uid: str, run: Container) -> None:
        process = run.process
        pumps = [run.pump(name, fd) for name, fd in (("stdout", process.stdout), ("stderr", process.stderr)) if fd]
        await asyncio.gather(*pumps)
        code = await process.wait()
        before = run.facts
        run.facts = ContainerFacts(
            before.name, before.attempt, before.id, "exited", before.pid, before.started_at, time.time(), code
        )
        run.close()
        run.ended.set()
        process.close()
        self.told.notify(uid)

    async def signal_container(self, uid: str, name: str, signal: str) -> None:
        run = self._running(uid, name)
        os.killpg(run.process.pid, 15 if signal == "SIGTERM" else 9)

    def _running(self, uid: str, name: str) -> Container:
        runs = self._pods.get(uid, {}).get(name, [])
        if not runs or runs[-1].facts.state != "running":
            raise Gone(name)
        return runs[-1]

    async def remove_pod(self, uid: str) -> None:
        for runs in self._pods.get(uid, {}).values():
            if runs[-1].facts.state == "running":
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(runs[-1].process.pid, 9)
                await runs[-1].ended.wait()
        self._pods.pop(uid, None)
        self.told.notify(uid)

    async def remove_folder(self, folder: Path) -> None:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def exec(
        self, uid: str, name: str, argv: list[str], *, stdin: bool, stdout: bool, stderr: bool, tty: bool
    ) -> Process:
        self._running(uid, name)
        if shutil.which(argv[0]) is None:
            raise CannotRun(f'exec: "{argv[0]}": executable file not found in $PATH', exit_code=127)
        return PlainProcess(argv, stdin=stdin, stdout=stdout, stderr=stderr, tty=tty)

    async def attach(self, uid: str, name: str, *, stdin: bool, stdout: bool, stderr: bool) -> Process:
        return Attached(self._running(uid, name), stdin=stdin, stdout=stdout, stderr=stderr)

    async def usage(self, uid: str) -> dict[str, Usage]:
        used: dict[str, Usage] = {}
        ticks, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
        for name, runs in self._pods.get(uid, {}).items():
            with contextlib.suppress(OSError):
                stat = Path(f"/proc/{runs[-1].process.pid}/stat").read_text().rpartition(")")[2].split()
                used[name] = Usage((int(stat[11]) + int(stat[12])) / ticks, int(stat[21]) * page, 1)
        return used

    def log_file(self, uid: str, name: str, attempt: int) -> str:
        return str(self._folder / uid / name / f"{attempt}.log")

    @property
    def has_groups(self) -> bool:
        return False

    @property
    def hides_devices(self) -> bool:
        return False

    def limits_by(self) -> str:
        return "nothing"


class PlainPods:
    """The agent's part: which pods there are, and connections to this machine's loopback."""

    def __init__(self, runtime: PlainRuntime) -> None:
        self.runtime = runtime
        self.archive = Archive(runtime.folder / "archive")
        self.known: dict[str, Object] = {}

    async def run(self, pod: Object, attempt: int = 0) -> None:
        uid = str(pod["metadata"]["uid"])
        self.known[uid] = pod
        await self.runtime.start_pod(PodSpec(uid, pod["metadata"]["namespace"], pod["metadata"]["name"], "", ""))
        for container in pod["spec"]["containers"]:
            await self.runtime.start_container(
                uid,
                ContainerSpec(
                    container["name"], attempt, tuple(container["command"]), {},
                    stdin=container.get("stdin", False), tty=container.get("tty", False),
                ),
            )  # fmt: skip

    async def remove(self, uid: str) -> None:
        pod, runs = self.known.pop(uid, None), [(run.name, run.attempt) for run in self._runs(uid)]
        if pod is not None:
            self.archive.keep(pod, runs, self.runtime.log_file)
        await self.runtime.remove_pod(uid)

    def _runs(self, uid: str) -> list[ContainerFacts]:
        return [run.facts for runs in self.runtime._pods.get(uid, {}).values() for run in runs]

    def archived(self, namespace: str, name: str) -> RunningPod | None:
        return self.archive.find(namespace, name)

    def find(self, namespace: str, name: str, uid: str = "") -> RunningPod | None:
        for pod in self.all():
            if (pod.namespace, pod.name) == (namespace, name) and uid in ("", pod.uid):
                return pod
        return None

    def all(self) -> list[RunningPod]:
        held = self.runtime._pods
        return [
            RunningPod(uid, pod, {n: [run.facts for run in runs] for n, runs in held.get(uid, {}).items()}, "127.0.0.1")
            for uid, pod in self.known.items()
        ]

    def changed(self, uid: str) -> "asyncio.Future[None]":
        return self.runtime.told.next(uid)

    async def dial(self, pod: RunningPod, port: int) -> socket.socket:
        found = socket.socket()
        found.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(found, (pod.ip, port))
        except OSError:
            found.close()
            raise
        return found
