"""Sessions with a container from outside: processes of exec, and attached clients."""

import os
import select
import signal
import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from windlass.node.runtimes.sandbox import child, syscalls, wire
from windlass.node.runtimes.sandbox.streams import Outlet

if TYPE_CHECKING:
    from windlass.node.runtimes.sandbox.containers import Container
    from windlass.node.runtimes.sandbox.supervisor import Peer


class Refused(Exception):
    """The target of the session does not exist."""


class Session(Protocol):
    def kill(self) -> None:
        """The client has gone."""
        ...


def start_outcome(channel: socket.socket, received: wire.Received) -> Iterator[tuple[wire.Message | None, list[int]]]:
    """Return the messages of a process that is about to execute its program; None: it has (or has died)."""
    messages = received.read(channel)
    if messages is None:
        yield None, []
        return
    for message in messages:
        yield message, received.take(1 if "terminal" in message else 0)


class Executed:
    """A process beside the container's own. It ends with the connection of the agent that requested it."""

    def __init__(self, container: "Container", peer: "Peer", message: wire.Message) -> None:
        self._container, self._pod, self._peer = container, container.pod, peer
        self._request, self._session = message["id"], message["session"]
        self._ours: list[int] = []
        self._failure: wire.Message | None = None
        theirs = [-1, -1, -1] if message["tty"] else self._pipes(message)
        container.own(theirs)
        environment = _defaults(message["tty"], single_id=self._pod.node.ids.size == 1)
        spec = container.spec | {
            "argv": message["argv"],
            "tty": message["tty"],
            "environment": environment | container.spec["environment"],
        }
        self._channel, channel = socket.socketpair()
        self.pid = self._spawn(channel, spec, theirs)
        channel.close()
        for fd in theirs:
            if fd >= 0:
                os.close(fd)
        if container.cgroup:
            container.cgroup.add(self.pid)
        self._pidfd = os.pidfd_open(self.pid)
        self._received = wire.Received()
        self._pod.watch(self._channel.fileno(), self._read_channel)
        self._channel.send(b"G")

    def _spawn(self, channel: socket.socket, spec: child.Spec, theirs: list[int]) -> int:
        first = self._container.facts["pid"]
        kinds = {"pid": syscalls.NEWPID, "mnt": syscalls.NEWNS, "user": syscalls.NEWUSER}
        fds = {name: os.open(f"/proc/{first}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC) for name in kinds}
        try:
            pid = child.spawn([(fds[name], kinds[name]) for name in ("pid", "mnt")], 0)
            if pid == 0:
                self._channel.close()
                child.run_exec(channel, fds["user"], spec, theirs, self._pod.node.ids.size)
        finally:
            for fd in fds.values():
                os.close(fd)
        return pid

    def _pipes(self, message: wire.Message) -> list[int]:
        theirs = [-1, -1, -1]
        if message["stdin"]:
            theirs[0], mine = os.pipe()
            self._ours.append(mine)
        for number, stream in ((1, "stdout"), (2, "stderr")):
            if message[stream]:
                mine, theirs[number] = os.pipe()
                self._ours.append(mine)
        return theirs

    def _read_channel(self) -> None:
        for message, descriptors in start_outcome(self._channel, self._received):
            if message is None:
                self._answer()
            elif "terminal" in message:
                self._ours.append(descriptors[0])
            else:
                self._failure = message

    def _answer(self) -> None:
        self._pod.unwatch(self._channel.fileno())
        self._channel.close()
        if self._failure:
            self._pod.send(self._peer, self._failure | {"id": self._request})
        else:
            self._peer.sessions[self._session] = self
            self._pod.send(self._peer, {"id": self._request}, self._ours)
        for fd in self._ours:
            os.close(fd)
        self._pod.watch(self._pidfd, self._ended)

    def _ended(self) -> None:
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid == 0:
            return
        self._pod.unwatch(self._pidfd)
        os.close(self._pidfd)
        self._container.executed.remove(self)
        if self._peer.sessions.pop(self._session, None):
            code = os.waitstatus_to_exitcode(status)
            self._pod.send(self._peer, {"session": self._session, "exit": 128 - code if code < 0 else code})

    def kill(self) -> None:
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            return


class Attached:
    """Gets a copy of the container's output from now on, and may provide its input."""

    def __init__(self, container: "Container", peer: "Peer", message: wire.Message) -> None:
        self._container, self._pod, self._peer, self._session = container, container.pod, peer, message["session"]
        self._outlets: dict[str, Outlet] = {}
        self._terminal: socket.socket | None = None
        self._keys: Outlet | None = None
        give = self._with_terminal() if container.spec["tty"] else self._with_pipes(message)
        peer.sessions[self._session] = self
        self._pod.send(peer, {"id": message["id"], "tty": container.spec["tty"], "stdin": self._has_stdin}, give)
        for fd in give:
            os.close(fd)

    def _with_pipes(self, message: wire.Message) -> list[int]:
        container, give = self._container, list[int]()
        self._has_stdin = message["stdin"] and container.stdin >= 0
        if self._has_stdin:
            give.append(os.dup(container.stdin))
            if container.spec["stdin_once"]:
                os.close(container.stdin)
                container.stdin = -1
        for stream in ("stdout", "stderr"):
            if message[stream]:
                theirs, mine = os.pipe()
                self._outlets[stream] = Outlet(self._pod, mine)
                give.append(theirs)
        return give

    def _with_terminal(self) -> list[int]:
        self._has_stdin = True
        mine, theirs = socket.socketpair()
        mine.setblocking(False)
        self._terminal, self._keys = mine, Outlet(self._pod, os.dup(self._container.master))
        self._outlets["stdout"] = Outlet(self._pod, os.dup(mine.fileno()))
        self._pod.watch(mine.fileno(), self._typed, select.EPOLLIN)
        return [theirs.detach()]

    def _typed(self) -> None:
        assert self._terminal is not None
        assert self._keys is not None
        data = self._terminal.recv(4096)
        if not data:
            self._pod.unwatch(self._terminal.fileno())
        elif self._container.spec["stdin"]:
            self._keys.put(data)

    def put(self, stream: str, data: bytes) -> None:
        if outlet := self._outlets.get(stream):
            outlet.put(data)

    def exited(self, code: int) -> None:
        if self._peer.sessions.pop(self._session, None):
            self._pod.send(self._peer, {"session": self._session, "exit": code})
        self.kill()

    def kill(self) -> None:
        """Detach; the container keeps running."""
        if self in self._container.attached:
            self._container.attached.remove(self)
        for outlet in self._outlets.values():
            outlet.finish()
        if self._keys:
            self._keys.finish()
        if self._terminal and self._terminal.fileno() >= 0:
            self._pod.unwatch(self._terminal.fileno())
            self._terminal.close()


def _defaults(tty: bool, *, single_id: bool) -> dict[str, str]:
    """Return variables that a command has unless its container sets them.

    With a single id, root in a container cannot give files to any other user, and `kubectl cp`, which runs tar, would
    fail.
    """
    return ({"TERM": "xterm"} if tty else {}) | ({"TAR_OPTIONS": "--no-same-owner"} if single_id else {})
