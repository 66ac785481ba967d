"""The supervisor of one pod of plain processes: no namespaces, and orphans are reaped explicitly."""

# What is forked for every pod and container does without pathlib, which is slow and heavy.
# ruff: noqa: PTH103
import os
import signal
import socket
from typing import Any

from windlass.node.runtimes.process import marks
from windlass.node.runtimes.process.containers import PlainContainer
from windlass.node.runtimes.sandbox import limits, syscalls
from windlass.node.runtimes.sandbox.containers import Container
from windlass.node.runtimes.sandbox.supervisor import Supervisor


class PlainSupervisor(Supervisor):
    def set_up(self) -> None:
        """Take over the pod; first end whatever an earlier supervisor left running."""
        self.take_hold()
        marks.kill_everywhere({run["id"] for run in self.remembered})
        syscalls.become_reaper()
        self._reap_orphans()
        self._listen()

    def make_container(self, spec: dict[str, Any]) -> Container:
        return PlainContainer(self, spec)

    def memory_volume(self, key: str, size: int) -> str:
        """Return a folder of /dev/shm; its size is not enforced."""
        path = f"{memory_folder(self.pod['uid'])}/{key}"
        os.makedirs(path, 0o700, exist_ok=True)
        return path

    def _reap_orphans(self) -> None:
        """Get SIGCHLD as a wake-up, to reap children that nobody else waits for."""
        wakes, woken = socket.socketpair()
        for end in (wakes, woken):
            end.setblocking(False)
        self._wakes = wakes, woken
        signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        self.watch(wakes.fileno(), self._child_ended)

    def _child_ended(self) -> None:
        try:
            while self._wakes[0].recv(4096):
                pass
        except BlockingIOError:
            pass
        plain = [each for each in self.containers.values() if isinstance(each, PlainContainer)]
        waited_for = {pid for each in plain for pid in each.waited_for()}
        for pid in limits.children(os.getpid()):
            if pid not in waited_for and marks.is_zombie(pid):
                os.waitpid(pid, os.WNOHANG)

    def end(self) -> list[str]:
        for container in self.containers.values():
            container.kill_all()
        for pid in limits.tree([os.getpid()]):
            if pid != os.getpid():
                marks.kill(pid, signal.SIGKILL)
        return super().end()


def memory_folder(uid: str) -> str:
    return f"/dev/shm/windlass-{os.getuid()}-{uid}"
