"""What a supervisor keeps on disk, so that it is known though supervisor, agent or machine die."""

# What is forked for every pod and container does without pathlib, which is slow and heavy.
# ruff: noqa: PTH105
import json
import os
from typing import Any

FACTS = "facts.json"
SANDBOX = "sandbox.json"
SOCKET = "supervisor.sock"
LOCK = "supervisor.lock"
LOG = "output.log"
FILES = (FACTS, SANDBOX, SOCKET, LOCK)


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
    """For files of the kernel: one write."""
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def start_time(pid: int) -> int:
    """When a process began, in ticks since boot: with the pid it names a process for good. 0 if there is none."""
    try:
        return int(read_text(f"/proc/{pid}/stat").rpartition(")")[2].split()[19])
    except (OSError, IndexError, ValueError):
        return 0


def save(folder: str, name: str, content: dict[str, Any], *, durable: bool) -> None:
    """All of it or what was before; `durable`: it is on the disk when this returns."""
    path = f"{folder}/{name}"
    fd = os.open(f"{path}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        data = json.dumps(content, separators=(",", ":")).encode()
        while data:
            data = data[os.write(fd, data) :]
        if durable:
            os.fsync(fd)
    finally:
        os.close(fd)
    os.replace(f"{path}.new", path)
    if durable:
        _sync_folder(folder)


def _sync_folder(folder: str) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def load(folder: str, name: str) -> dict[str, Any] | None:
    try:
        return json.loads(read_text(f"{folder}/{name}"))
    except (OSError, ValueError):
        return None


def ended(run: dict[str, Any], now: float) -> dict[str, Any]:
    """A run as it is when nobody saw its end."""
    if run["state"] == "exited":
        return run
    return run | {
        "state": "exited",
        "pid": 0,
        "finished_at": now,
        "exit_code": 255,
        "reason": "ContainerStatusUnknown",
        "message": "The container could not be located when the pod's supervisor was looked for",
    }
