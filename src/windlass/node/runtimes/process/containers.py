"""One run of a container made of plain processes."""

# What is forked for every pod and container does without pathlib, which is slow and heavy.
# ruff: noqa: PTH103, PTH120
import os
import shutil
import signal
import socket
from typing import TYPE_CHECKING

from windlass.node.runtimes.process import child, marks
from windlass.node.runtimes.process.links import variable_of
from windlass.node.runtimes.sandbox import wire
from windlass.node.runtimes.sandbox.child import Spec
from windlass.node.runtimes.sandbox.containers import Container
from windlass.node.runtimes.sandbox.sessions import Executed

if TYPE_CHECKING:
    from windlass.node.runtimes.sandbox.supervisor import Peer

_MAX_ROUNDS = 50


class PlainContainer(Container):
    alone = False
    """Never the first process of a pid namespace: signals have their default actions."""
    is_waited_for = True

    def _make_folder(self) -> None:
        root = f"{self.folder}/root"
        shutil.rmtree(root, ignore_errors=True)
        os.makedirs(f"{root}/tmp", 0o700)
        for target, source in self.spec["files"].items():
            os.makedirs(os.path.dirname(f"{root}{target}"), exist_ok=True)
            shutil.copy(source, f"{root}{target}")
        for number, mount in enumerate(self.spec["mounts"]):
            kind, _, key = mount["source"].partition(":")
            if kind == "tmpfs":
                mount["source"] = self.pod.memory_volume(key or f"{self.name}-{number}", mount["size"])
                self.spec["environment"][variable_of(mount["target"])] = mount["source"]
        os.close(os.open(f"{self.folder}/termination-log", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
        self.spec["environment"][marks.VARIABLE] = self.facts["id"]
        self.spec["pod_folder"] = self.pod.folder
        self.spec["hosts"] = self.pod.pod["hosts"]

    def _spawn(self, ours: socket.socket, channel: socket.socket, theirs: list[int]) -> int:
        pid = os.fork()
        if pid == 0:
            ours.close()
            child.run_container(channel, self.folder, self.spec, theirs)
        return pid

    def own(self, descriptors: list[int]) -> None:
        """Do nothing: all descriptors already belong to this user."""

    def _let_go(self) -> None:
        if self.cgroup:
            self.cgroup.add(self.facts["pid"])
        self.channel.send(b"G")

    def waited_for(self) -> list[int]:
        """Return the children whose exit is awaited elsewhere than where orphans are reaped."""
        own = [self.facts["pid"]] if self.is_waited_for else []
        return [*own, *(each.pid for each in self.executed)]

    def _ended(self) -> None:
        super()._ended()
        self.is_waited_for = self.pidfd in self.pod.handlers

    def _clean_up(self) -> None:
        if self.cgroup:
            self.cgroup.remove()
        if os.fork() == 0:  # it may be much; who it was is known to the reaper of orphans
            shutil.rmtree(f"{self.folder}/root", ignore_errors=True)
            os._exit(0)

    def _pids(self) -> list[int]:
        roots = [self.facts["pid"], *(each.pid for each in self.executed)]
        return marks.of_container(os.getpid(), roots, self.facts["id"])

    def _kill_leftovers(self) -> None:
        """Kill until none is left, since one may fork while another is killed."""
        for _ in range(_MAX_ROUNDS):
            found = self._pids()
            if not found:
                return
            for pid in found:
                marks.kill(pid, signal.SIGKILL)

    def exec(self, peer: "Peer", message: wire.Message) -> None:
        self.executed.append(PlainExecuted(self, peer, message))


class PlainExecuted(Executed):
    def _spawn(self, channel: socket.socket, spec: Spec, theirs: list[int]) -> int:
        pid = os.fork()
        if pid == 0:
            self._channel.close()
            child.run_exec(channel, self._container.folder, spec, theirs)
        return pid
