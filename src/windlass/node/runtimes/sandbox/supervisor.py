"""The supervisor of one pod: holds its namespaces, its containers' processes and output. Outlives the agent."""

# What is forked for every pod and container does without pathlib, which is slow and heavy.
# ruff: noqa: PTH102, PTH103, PTH104, PTH108, PTH123
import errno
import fcntl
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from windlass.node.runtimes.sandbox import identity, limits, rootfs, store, syscalls, trees, wire
from windlass.node.runtimes.sandbox.containers import Container, Refused, Session

_CHECK_INTERVAL = 0.1
"""How often a container with a memory limit is checked, where cgroups do not enforce it."""
_IDLE_CHECK_INTERVAL = 3.2
"""How often, once it has not used the processor for a while."""


class Node(NamedTuple):
    """What all pods of a node share."""

    data: str
    ids: identity.Range
    real_root: bool
    net: int
    cgroup: str
    skeleton: str = ""
    """The folder of `skeleton.prepare`."""


class Peer:
    """A connected agent."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection, self.received, self.sessions = connection, wire.Received(), dict[int, Session]()


class Supervisor:
    def __init__(self, node: Node, pod: dict[str, Any]) -> None:
        self.node, self.pod = node, pod
        self.folder: str = pod["folder"]
        self.containers: dict[tuple[str, int], Container] = {}
        self.remembered: list[dict[str, Any]] = []
        self.peers: dict[int, Peer] = {}
        self.handlers: dict[int, Callable[[], None]] = {}
        self.poll = select.epoll()
        self.shm = f"{self.folder}/shm"
        self.pause = 0
        self.created_at = time.time()
        self.look_at, self.look_gap = 0.0, _CHECK_INTERVAL
        self.going = True
        self.cleaners: set[int] = set()
        """Processes that remove the files of ended containers."""
        self._kept = store.StateFile(self.folder, store.FACTS)
        self._start_time, self._boot = store.start_time(os.getpid()), store.boot_id()

    # Setting up

    def set_up(self) -> None:
        """Set up the pod's namespaces, hostname and shared memory."""
        self.take_hold()
        flags = syscalls.NEWUTS | syscalls.NEWNS
        flags |= 0 if self.pod["host_ipc"] else syscalls.NEWIPC
        flags |= 0 if self.pod["host_network"] else syscalls.NEWNET
        syscalls.unshare(flags)
        syscalls.sethostname(self.pod["hostname"])
        if not self.pod["host_network"]:
            self._network()
        for name, value in self.pod["sysctls"].items():
            store.write_text("/proc/sys/" + name.replace(".", "/"), value)
        self._shared_memory()
        if self.pod["share_processes"]:
            self.pause = self._pause()
        self._listen()

    def take_hold(self) -> None:
        """Take the pod's lock, and load what earlier supervisors recorded."""
        self.lock = os.open(f"{self.folder}/{store.LOCK}", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if before := store.load(self.folder, store.FACTS):
            self.remembered = [store.ended(run, self.created_at) for run in before["containers"]]

    def _network(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH14x", b"lo", 0x1 | 0x40))  # SIOCSIFFLAGS: UP, RUNNING
        store.write_text("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0")
        limit = 2**31 - 1 if self.node.ids.base else self.node.ids.size - 1
        store.write_text("/proc/sys/net/ipv4/ping_group_range", f"0 {limit}")

    def _shared_memory(self) -> None:
        if self.pod["host_ipc"]:
            self.shm = "/dev/shm"
            return
        os.makedirs(self.shm, exist_ok=True)
        self._tmpfs(self.shm, self.pod["shm_size"])

    def _tmpfs(self, path: str, size: int) -> None:
        owner = f"uid={self.node.ids.base},gid={self.node.ids.base}"
        limit = f",size={size}" if size else ""
        syscalls.mount("tmpfs", path, "tmpfs", syscalls.MS_NOSUID | syscalls.MS_NODEV, f"mode=1777,{owner}{limit}")

    def memory_volume(self, key: str, size: int) -> str:
        """Return a tmpfs that all the pod's containers share, and that lives as long as the pod."""
        path = f"{self.folder}/memory/{key}"
        if not os.path.ismount(path):
            os.makedirs(path, exist_ok=True)
            self._tmpfs(path, size)
        return path

    def _pause(self) -> int:
        """Start the first process of the pid namespace that the pod's containers share; it adopts all orphans."""
        pid = syscalls.clone(syscalls.NEWPID)
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            syscalls.die_with_parent(signal.SIGKILL)
            os.closerange(0, 1024)
            syscalls.set_name("pause")
            while True:
                signal.pause()
        return pid

    def _listen(self) -> None:
        folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            if os.path.lexists(f"{self.folder}/{store.SOCKET}"):
                os.unlink(f"{self.folder}/{store.SOCKET}")
            self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.listener.bind(f"/proc/self/fd/{folder}/{store.SOCKET}")  # a socket's own path may be 107 long at most
        finally:
            os.close(folder)
        self.listener.listen(8)
        self.listener.setblocking(False)
        self.watch(self.listener.fileno(), self._accept)

    # The loop

    def watch(self, fd: int, handler: Callable[[], None], events: int = select.EPOLLIN) -> None:
        if fd in self.handlers:
            self.poll.modify(fd, events)
        else:
            self.poll.register(fd, events)
        self.handlers[fd] = handler

    def unwatch(self, fd: int) -> None:
        if self.handlers.pop(fd, None):
            self.poll.unregister(fd)

    def run(self) -> None:
        while self.going:
            for fd, _events in self.poll.poll(self._wait()):
                if handler := self.handlers.get(fd):
                    self._handle(fd, handler)
            if self.look_at and time.monotonic() >= self.look_at:
                self._check_limits()

    def _handle(self, fd: int, handler: Callable[[], None]) -> None:
        """Call a handler; if it fails, log the exception and stop watching the descriptor, so that the pod survives."""
        try:
            handler()
        except Exception:  # noqa: BLE001 - the containers live as long as this loop
            _write_down(self.folder)
            self.unwatch(fd)

    def _wait(self) -> float:
        return max(0.0, self.look_at - time.monotonic()) if self.look_at else -1

    def check_limits_soon(self) -> None:
        self.look_gap = _CHECK_INTERVAL
        self.look_at = time.monotonic() + self.look_gap

    def _check_limits(self) -> None:
        """Kill what exceeds its memory limit. Idle containers cannot grow, so they are checked less and less often."""
        watched = [c for c in self.containers.values() if c.watched]
        moved = [c.check_limits() for c in watched]
        self.look_gap = _CHECK_INTERVAL if any(moved) else min(self.look_gap * 2, _IDLE_CHECK_INTERVAL)
        self.look_at = time.monotonic() + self.look_gap if watched else 0.0

    # Agents

    def _accept(self) -> None:
        self.add_peer(self.listener.accept()[0])

    def add_peer(self, connection: socket.socket) -> None:
        connection.settimeout(5)  # an agent that does not read is as one that has gone
        peer = Peer(connection)
        self.peers[connection.fileno()] = peer
        self.watch(connection.fileno(), lambda: self._read(peer))
        self.send(peer, {"facts": self.facts()})

    def send(self, peer: Peer, message: wire.Message, descriptors: list[int] | tuple[int, ...] = ()) -> None:
        try:
            wire.send(peer.connection, message | {"descriptors": len(descriptors)}, descriptors)
        except OSError:
            self._drop(peer)

    def _drop(self, peer: Peer) -> None:
        if self.peers.pop(peer.connection.fileno(), None):
            self.unwatch(peer.connection.fileno())
            for session in list(peer.sessions.values()):
                session.kill()
            peer.connection.close()

    def _read(self, peer: Peer) -> None:
        messages = peer.received.read(peer.connection)
        if messages is None:
            self._drop(peer)
            return
        for message in messages:
            try:
                self._do(peer, message)
            except Refused as error:
                self.send(peer, {"id": message["id"], "gone": str(error)})
            except OSError as error:
                self.send(
                    peer, {"id": message["id"], "error": f"{error.filename or ''}: {error.strerror}", "exit_code": 128}
                )

    def _do(self, peer: Peer, message: wire.Message) -> None:
        match message["do"]:
            case "update":
                self.pod |= message["pod"]
                return
            case "container":
                self._start(peer, message)
                return
            case "signal":
                if container := self.newest(message["name"], running=True):
                    container.send_signal(message["signal"])
            case "exec":
                self.running(message["name"]).exec(peer, message)
                return
            case "attach":
                self.running(message["name"]).attach(peer, message)
                return
            case "resize":
                if container := self.newest(message["name"], running=True):
                    container.resize(message["columns"], message["rows"])
            case "close":
                if session := peer.sessions.pop(message["session"], None):
                    session.kill()
            case "usage":
                running = [c for c in self.containers.values() if c.facts["state"] == "running" and c.facts["pid"]]
                self.send(peer, {"id": message["id"], "usage": {c.name: c.usage() for c in running}})
                return
            case "end":
                left = self.end()
                self.send(peer, {"id": message["id"]})
                for path in left:
                    trees.remove(path)
                return
            case other:
                raise Refused(f"unknown request {other}")
        self.send(peer, {"id": message["id"]})

    def _start(self, peer: Peer, message: wire.Message) -> None:
        spec = message["container"]
        key = spec["name"], spec["attempt"]
        for run in self.remembered:
            if (run["name"], run["attempt"]) == key:
                self.send(peer, {"id": message["id"], "facts": self.facts()})
                return
        if key not in self.containers:
            self.containers[key] = self.make_container(spec)
        self.containers[key].when_started(lambda: self.send(peer, {"id": message["id"]}))

    def make_container(self, spec: dict[str, Any]) -> Container:
        return Container(self, spec)

    # Facts

    def newest(self, name: str, *, running: bool = False) -> Container | None:
        runs = [c for (n, _), c in self.containers.items() if n == name]
        if running:
            runs = [c for c in runs if c.facts["state"] == "running" and c.started]
        return max(runs, key=lambda c: c.attempt, default=None)

    def running(self, name: str) -> Container:
        if container := self.newest(name, running=True):
            return container
        raise Refused(f"container {name} is not running")

    def facts(self) -> dict[str, Any]:
        return {
            "uid": self.pod["uid"],
            "pid": os.getpid(),
            "start_time": self._start_time,
            "boot": self._boot,
            "net": self.node.net,
            "created_at": self.created_at,
            "containers": [*self.remembered, *(c.facts for c in self.containers.values() if c.started)],
        }

    def changed(self) -> None:
        """Record a start or an end on disk before any agent is notified."""
        facts = self.facts()
        self._kept.save(facts)
        for peer in list(self.peers.values()):
            self.send(peer, {"facts": facts})

    def end(self) -> list[str]:
        """Kill everything and clean up; returns folders that were moved aside and are to be removed."""
        self.going = False
        for container in self.containers.values():
            container.kill_all()
        if self.pause:
            os.kill(self.pause, signal.SIGKILL)
        self._reap_all()
        for name in store.FILES:
            try:
                os.unlink(f"{self.folder}/{name}")
            except FileNotFoundError:
                continue
        return [path for container in self.containers.values() for path in self.put_away(container.folder)]

    def put_away(self, folder: str) -> list[str]:
        """Move the files of an ended run aside, to be removed later.

        The pod may be created again at once, with runs of the same numbers.
        """
        if rootfs.remove_root(folder):
            return []
        away = f"{self.folder}/removed-{os.getpid()}-{folder.removeprefix(self.folder).replace('/', '-')}"
        try:
            os.mkdir(away, 0o700)
            for name in store.LAYERS:
                if os.path.lexists(f"{folder}/{name}"):
                    os.rename(f"{folder}/{name}", f"{away}/{name}")
        except OSError:  # a full disk: it is removed where it is
            return [away, *(f"{folder}/{name}" for name in store.LAYERS)]
        return [away]

    def _reap_all(self) -> None:
        """Reap all children in any order, except cleaners.

        The first process of a pid namespace ends only after those of exec in it were reaped.
        """
        while set(limits.children(os.getpid())) - self.cleaners:
            os.waitpid(-1, 0)


def main(node: Node, pod: dict[str, Any], connection: socket.socket, make: type[Supervisor] = Supervisor) -> None:
    """Run a supervisor, in a fork of the zygote."""
    os.setsid()
    syscalls.set_name("windlass-pod")
    null = os.open("/dev/null", os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
    os.close(null)
    os.chdir("/")
    supervisor = make(node, pod)
    try:
        supervisor.set_up()
        supervisor.changed()
    except OSError as error:
        held = error.errno in (errno.EAGAIN, errno.EACCES) and error.filename is None
        wire.send(connection, {"held": True} if held else {"error": f"{error.filename or 'sandbox'}: {error.strerror}"})
        os._exit(1)
    try:
        supervisor.add_peer(connection)
        supervisor.run()
    except BaseException:  # noqa: BLE001 - written down, and its end seen by the agent
        _write_down(pod["folder"])
        sys.exit(1)


def _write_down(folder: str) -> None:
    """Log the current exception in the pod's folder."""
    import traceback

    with open(f"{folder}/supervisor.log", "a", encoding="utf-8") as file:
        file.write(traceback.format_exc())
