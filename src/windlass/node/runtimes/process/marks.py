"""Finds the processes of a container without namespaces.

They descend from its first process, or carry its mark: an environment variable that all children inherit, daemons too.
A supervisor is the subreaper of all its pod's processes (`PR_SET_CHILD_SUBREAPER`), so it finds them among its own
descendants.
"""

# What is forked for every pod and container does without pathlib, which is slow and heavy.
# ruff: noqa: PTH208
import os
import signal

from windlass.node.runtimes.sandbox import limits

VARIABLE = "WINDLASS_CONTAINER_ID"
_MAX_ROUNDS = 50


def is_marked(pid: int, container_id: str) -> bool:
    wanted = f"{VARIABLE}={container_id}".encode()
    try:
        fd = os.open(f"/proc/{pid}/environ", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        text = b""
        while chunk := os.read(fd, 1 << 16):
            text += chunk
    except OSError:
        return False  # ended meanwhile
    finally:
        os.close(fd)
    return wanted in text.split(b"\0")


def of_container(supervisor: int, roots: list[int], container_id: str) -> list[int]:
    """Return the processes of a container below its supervisor."""
    known = set(limits.tree(roots))
    others = [pid for pid in limits.tree([supervisor]) if pid != supervisor and pid not in known]
    for pid in others:
        if pid not in known and is_marked(pid, container_id):
            known.update(limits.tree([pid]))
    return [pid for pid in known if not is_zombie(pid)]


def everywhere(container_ids: set[str]) -> list[int]:
    """Return the processes on this machine of containers whose supervisor has died: any process may be their parent."""
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [pid for pid in pids if pid != os.getpid() and any(is_marked(pid, each) for each in container_ids)]


def kill_everywhere(container_ids: set[str]) -> None:
    """Kill until none is left, since one may fork while another is killed."""
    for _ in range(_MAX_ROUNDS):
        found = everywhere(container_ids) if container_ids else []
        if not found:
            return
        for pid in found:
            kill(pid, signal.SIGKILL)


def is_zombie(pid: int) -> bool:
    try:
        fd = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return True
    try:
        return os.read(fd, 4096).rpartition(b")")[2].split()[0] in (b"Z", b"X")
    except (OSError, IndexError):
        return True
    finally:
        os.close(fd)


def kill(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return  # ended, or a program of another user that it could start
