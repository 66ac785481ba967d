"""One run of a container in its pod's supervisor: its start, output, limits, end and record."""

# What is forked for every pod and container does without pathlib, which is slow and heavy.
# ruff: noqa: PTH103, PTH116
import fcntl
import os
import signal
import socket
import struct
import termios
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from windlass.node.runtimes.sandbox import child, identity, limits, rootfs, store, syscalls, trees, wire
from windlass.node.runtimes.sandbox.logs import Log
from windlass.node.runtimes.sandbox.sessions import Attached, Executed, Refused, Session, start_outcome

if TYPE_CHECKING:
    from windlass.node.runtimes.sandbox.supervisor import Peer, Supervisor

__all__ = ["Container", "Refused", "Session"]

_MAX_TERMINATION_MESSAGE = 4096
_READ = 1 << 16
_UNHEEDED = {signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH}
"""Signals whose default action is to do nothing."""

Facts = dict[str, Any]


class Container:
    def __init__(self, pod: "Supervisor", spec: dict[str, Any]) -> None:
        self.pod, self.spec = pod, spec
        self.name: str = spec["name"]
        self.attempt: int = spec["attempt"]
        self.folder = f"{pod.folder}/containers/{self.name}/{self.attempt}"
        self.started = False
        self.failure: dict[str, Any] | None = None
        self.out_of_memory = False
        self.master = self.stdin = -1
        self.sources: dict[int, str] = {}
        self.attached: list[Attached] = []
        self.executed: list[Executed] = []
        self._waiting: list[Callable[[], None]] = []
        self._most_cpu = 0.0
        self.facts: Facts = {
            "name": self.name,
            "attempt": self.attempt,
            "id": os.urandom(32).hex(),
            "state": "running",
            "pid": 0,
            "started_at": time.time(),
            "spec_hash": spec["spec_hash"],
        }
        self._make_folder()
        self.log = Log(f"{self.folder}/{store.LOG}")
        self.cgroup = self._make_cgroup()
        self._start()

    @property
    def watched(self) -> bool:
        return self.facts["state"] == "running" and not self.cgroup and self.spec["limits"]["memory"] is not None

    # Starting

    def _make_folder(self) -> None:
        os.makedirs(self.folder, 0o700, exist_ok=True)
        for leftover in store.LAYERS:
            trees.remove(f"{self.folder}/{leftover}")
        for mount in self.spec["mounts"]:
            if mount["source"].startswith("tmpfs:"):
                mount["source"] = self.pod.memory_volume(mount["source"][6:], mount["size"])
                mount["own"] = True
        if path := self.spec["termination_message_path"]:
            file = f"{self.folder}/termination-log"
            fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC)
            os.fchmod(fd, 0o666)
            os.fchown(fd, self.pod.node.ids.base, self.pod.node.ids.base)
            os.close(fd)
            own = {"source": file, "target": path, "read_only": False, "size": 0, "own": True}
            self.spec["mounts"].append(own)

    def _make_cgroup(self) -> limits.Cgroup | None:
        if not self.pod.node.cgroup:
            return None
        name = f"{self.pod.pod['uid']}.{self.name}.{self.attempt}"
        return limits.Cgroup(f"{self.pod.node.cgroup}/{name}", self.spec["limits"])

    def _place(self) -> rootfs.Place:
        node, pod = self.pod.node, self.pod.pod
        texts = pod["hostname"], pod["hosts"], pod["resolv_conf"]
        return rootfs.Place(self.folder, self.pod.shm, node.data, node.ids, node.real_root, *texts, node.skeleton)

    def _start(self) -> None:
        theirs = [-1, -1, -1] if self.spec["tty"] else self._pipes()
        ours, channel = socket.socketpair()
        pid = self._spawn(ours, channel, theirs)
        channel.close()
        for fd in theirs:
            if fd >= 0:
                os.close(fd)
        self.facts |= {"pid": pid, "start_time": store.start_time(pid)}
        self.channel, self._received = ours, wire.Received()
        self.pod.watch(ours.fileno(), self._read_channel)
        self.pidfd = os.pidfd_open(pid)
        self._mounts = 0 if self.alone else _mount_namespace(pid)
        self.pod.watch(self.pidfd, self._ended)

    def _spawn(self, ours: socket.socket, channel: socket.socket, theirs: list[int]) -> int:
        joins = self._joined_processes()
        flags = syscalls.NEWNS | (0 if joins else syscalls.NEWPID)
        pid = child.spawn(joins, flags)
        if pid == 0:
            ours.close()
            child.run_container(channel, self._place(), self.spec, theirs)
        for fd, _ in joins:
            os.close(fd)
        self.alone = not joins
        return pid

    def _joined_processes(self) -> list[tuple[int, int]]:
        target = self.pod.pause
        if beside := self.spec["share_processes_with"]:
            target = self.pod.running(beside).facts["pid"]
        return [(_namespace(target, "pid"), syscalls.NEWPID)] if target else []

    def _pipes(self) -> list[int]:
        theirs = [-1]
        if self.spec["stdin"]:
            theirs[0], self.stdin = os.pipe()
        for stream in ("stdout", "stderr"):
            reader, writer = os.pipe()
            theirs.append(writer)
            self._pump_from(reader, stream)
        self.own(theirs)
        return theirs

    def own(self, descriptors: list[int]) -> None:
        """Give pipes to the container's user, who may open /dev/stdout again."""
        ids = self.pod.node.ids
        user, group = (identity.host_id(ids, self.spec[key] or 0) for key in ("user", "group"))
        for fd in descriptors:
            if fd >= 0:
                os.fchown(fd, user, group)

    def _read_channel(self) -> None:
        """Read messages of the first process before it executes the program."""
        for message, descriptors in start_outcome(self.channel, self._received):
            if message is None:
                self._began()
            elif "mapped" in message:
                self._let_go()
            elif "terminal" in message:
                self.master = descriptors[0]
                self._pump_from(self.master, "stdout")
            elif not self.failure:
                self.failure = message
                self._began()

    def _let_go(self) -> None:
        pid, spec = self.facts["pid"], self.spec
        try:
            identity.write_maps(pid, self.pod.node.ids, spec["user"] or 0, spec["group"] or 0, spec["groups"])
            if self.cgroup:
                self.cgroup.add(pid)
            self.channel.send(b"G")
        except (OSError, ValueError) as error:
            self.failure = {"error": f"cannot give the container its user: {error}", "exit_code": 128}
            os.kill(pid, signal.SIGKILL)
            self._began()

    def _began(self) -> None:
        if self.channel.fileno() >= 0:
            self.pod.unwatch(self.channel.fileno())
            self.channel.close()
        if self.started:
            return
        self.started = True
        self.facts["started_at"] = time.time()
        if self.failure:
            self._remember_end(self.failure["exit_code"], 0, "ContainerCannotRun", self.failure["error"])
        else:
            self.pod.changed()
            if self.watched:
                self.pod.check_limits_soon()
        waiting, self._waiting = self._waiting, []
        for callback in waiting:
            callback()

    def when_started(self, callback: Callable[[], None]) -> None:
        if self.started:
            callback()
        else:
            self._waiting.append(callback)

    # Output

    def _pump_from(self, fd: int, stream: str) -> None:
        os.set_blocking(fd, False)
        self.sources[fd] = stream
        self.pod.watch(fd, lambda: self._pump(fd, limit=4))

    def _pump(self, fd: int, *, limit: int) -> None:
        stream = self.sources.get(fd)
        if stream is None:
            return
        for _ in range(limit):
            try:
                data = os.read(fd, _READ)
            except BlockingIOError:
                return
            except OSError:  # a terminal that nobody holds any more
                data = b""
            if not data:
                self._close_source(fd)
                return
            self.log.add(stream, data)
            for attached in self.attached:
                attached.put(stream, data)

    def _close_source(self, fd: int) -> None:
        stream = self.sources.pop(fd)
        self.pod.unwatch(fd)
        self.log.end(stream)
        os.close(fd)
        if fd == self.master:
            self.master = -1
        if not self.sources and self.facts["state"] == "exited":
            self.log.close()

    # Ending

    def _ended(self) -> None:
        pid, status = os.waitpid(self.facts["pid"], os.WNOHANG)
        if pid == 0:
            return
        self.pod.unwatch(self.pidfd)
        os.close(self.pidfd)
        while not self.started:
            self._read_channel()
        for fd in list(self.sources):
            self._pump(fd, limit=64)
        if self.cgroup:
            self.out_of_memory = self.out_of_memory or self.cgroup.oom_kills() > 0
        if not self.failure:
            code = os.waitstatus_to_exitcode(status)
            self._remember_end(128 - code if code < 0 else code, max(0, -code), "", self._message())
        if not self.alone:
            self._kill_leftovers()
        for session in [*self.attached]:
            session.exited(self.facts["exit_code"])
        if self.stdin >= 0:
            os.close(self.stdin)
            self.stdin = -1
        if not self.sources:
            self.log.close()
        self._clean_up()

    def _message(self) -> str:
        if not self.spec["termination_message_path"]:
            return ""
        fd = os.open(f"{self.folder}/termination-log", os.O_RDONLY | os.O_CLOEXEC)
        try:
            return os.read(fd, _MAX_TERMINATION_MESSAGE).decode(errors="replace")
        finally:
            os.close(fd)

    def _remember_end(self, code: int, number: int, reason: str, message: str) -> None:
        self.facts = self.facts | {
            "state": "exited",
            "finished_at": time.time(),
            "exit_code": code,
            "signal": number,
            "oom_killed": self.out_of_memory,
            "reason": reason,
            "message": message,
        }
        self.pod.changed()

    def _clean_up(self) -> None:
        """Remove what it wrote outside of volumes; in a separate process if that is much."""
        if self.cgroup:
            self.cgroup.remove()
        left = self.pod.put_away(self.folder)
        if not left:
            return
        pid = os.fork()
        if pid == 0:
            for path in left:
                trees.remove(path)
            os._exit(0)
        pidfd = os.pidfd_open(pid)
        self.pod.cleaners.add(pid)

        def reap() -> None:
            self.pod.unwatch(pidfd)
            os.close(pidfd)
            os.waitpid(pid, 0)
            self.pod.cleaners.discard(pid)

        self.pod.watch(pidfd, reap)

    def send_signal(self, name: str) -> None:
        number = signal.Signals[name]
        if number == signal.SIGKILL or (self.alone and self._would_not_notice(number)):
            self.kill_all()
        else:
            _kill(self.facts["pid"], number)

    def _would_not_notice(self, number: signal.Signals) -> bool:
        """Whether the signal's default action would end it, were it not the first process of its pid namespace."""
        if number in _UNHEEDED:
            return False
        lines = store.read_text(f"/proc/{self.facts['pid']}/status").splitlines()
        masks = {line[:6]: int(line[8:], 16) for line in lines if line.startswith(("SigIgn", "SigCgt"))}
        return not any(mask >> (number - 1) & 1 for mask in masks.values())

    def kill_all(self) -> None:
        if self.facts["state"] != "running":
            return
        if not self.alone:
            self._kill_leftovers()
        _kill(self.facts["pid"], signal.SIGKILL)

    def _kill_leftovers(self) -> None:
        """In a shared pid namespace: kill the processes that see this container's files."""
        for pid in limits.tree([os.getpid()]):
            try:
                same = os.stat(f"/proc/{pid}/ns/mnt").st_ino == self._mounts
            except OSError:
                continue
            if same:
                _kill(pid, signal.SIGKILL)

    # Looking

    def _pids(self) -> list[int]:
        return limits.tree([self.facts["pid"], *(e.pid for e in self.executed)])

    def usage(self) -> list[float]:
        if self.cgroup:
            return [*self.cgroup.usage()]
        pids = self._pids()
        self._most_cpu = max(self._most_cpu, limits.cpu_seconds(pids))
        return [self._most_cpu, limits.memory_bytes(pids), len(pids)]

    def check_limits(self) -> bool:
        """Kill it if it exceeds its memory limit. Whether it has used the processor since the last check."""
        before = self._most_cpu
        _cpu, memory, _count = self.usage()
        if memory > self.spec["limits"]["memory"]:
            self.out_of_memory = True
            self.kill_all()
        return self._most_cpu > before

    # Others

    def exec(self, peer: "Peer", message: wire.Message) -> None:
        self.executed.append(Executed(self, peer, message))

    def attach(self, peer: "Peer", message: wire.Message) -> None:
        self.attached.append(Attached(self, peer, message))

    def resize(self, columns: int, rows: int) -> None:
        if self.master >= 0:
            fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def _mount_namespace(pid: int) -> int:
    try:
        return os.stat(f"/proc/{pid}/ns/mnt").st_ino
    except OSError:
        return 0  # it has failed already, and says why


def _namespace(pid: int, kind: str) -> int:
    return os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC)


def _kill(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
