"""A supervisor's state on disk, which survives the death of supervisor, agent or machine."""

# What is forked for every pod and container does without pathlib, which is slow and heavy.
# ruff: noqa: PTH105
import json
import os
from typing import Any

FACTS = "facts.json"
SOCKET = "supervisor.sock"
LOCK = "supervisor.lock"
LOG = "output.log"
FILES = (FACTS, SOCKET, LOCK)
LAYERS = ("root", "work", "layers")
"""Folders of a run that hold what it wrote outside of volumes."""

_ONE_WRITE = 4096
"""Bytes that a single write puts into one page, which a signal cannot split."""


def boot_id() -> str:
    return read_text("/proc/sys/kernel/random/boot_id").strip()


def read_text(path: str) -> str:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        chunks: list[bytes] = []
        while chunk := os.read(fd, 1 << 16):
            chunks.append(chunk)
        return b"".join(chunks).decode(errors="replace")
    finally:
        os.close(fd)


def write_text(path: str, text: str) -> None:
    """Write a kernel file with a single write."""
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def start_time(pid: int) -> int:
    """Return when a process started, in ticks since boot: with the pid it identifies a process. 0 if there is none."""
    try:
        return int(read_text(f"/proc/{pid}/stat").rpartition(")")[2].split()[19])
    except (OSError, IndexError, ValueError):
        return 0


class StateFile:
    """A file that always holds a complete state, though its writer may be killed while writing.

    Short content overwrites the old content in one call, which the kernel does completely or not at all; that saves the
    disk a new file each time. The kernel flushes it in its own time: a power failure loses the last seconds, but also
    everything that was running.
    """

    def __init__(self, folder: str, name: str) -> None:
        self._path, self._fd, self._length = f"{folder}/{name}", -1, 0

    def save(self, content: dict[str, Any]) -> None:
        data = json.dumps(content, separators=(",", ":")).encode()
        if self._fd >= 0 and len(data) <= _ONE_WRITE and self._length <= _ONE_WRITE:
            os.pwrite(self._fd, data.ljust(self._length), 0)
            self._length = max(self._length, len(data))
        else:
            self._replace(data)

    def _replace(self, data: bytes) -> None:
        fd = os.open(f"{self._path}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        self._length = len(data)
        while data:
            data = data[os.write(fd, data) :]
        os.replace(f"{self._path}.new", self._path)
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = fd


def load(folder: str, name: str) -> dict[str, Any] | None:
    try:
        return json.loads(read_text(f"{folder}/{name}"))
    except (OSError, ValueError):
        return None


def ended(run: dict[str, Any], now: float) -> dict[str, Any]:
    """Return a run whose end was not observed as ended."""
    if run["state"] == "exited":
        return run
    return run | {
        "state": "exited",
        "pid": 0,
        "finished_at": now,
        "exit_code": 255,
        "reason": "ContainerStatusUnknown",
        "message": "The container could not be located when the pod's supervisor was gone",
    }
