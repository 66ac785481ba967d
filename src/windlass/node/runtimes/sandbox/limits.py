"""Enforces the limits of containers: with cgroups v2 where they are delegated, else by polling."""

# What is forked for every pod and container does without pathlib, which is slow and heavy.
# ruff: noqa: PTH103, PTH106, PTH110, PTH112, PTH120, PTH208
import os
from typing import Any

from windlass.node.runtimes.sandbox.store import read_text, write_text

_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")
_NEEDED = ("cpu", "memory", "pids")

Limits = dict[str, Any]


def delegated(name: str = "windlass") -> str:
    """Return a cgroup v2 folder in which containers' cgroups can have all controllers; "" if there is none."""
    mounted = [line.split() for line in read_text("/proc/self/mounts").splitlines()]
    roots = [fields[1] for fields in mounted if fields[2] == "cgroup2"]
    own = [line[3:] for line in read_text("/proc/self/cgroup").splitlines() if line.startswith("0::")]
    if not roots or not own:
        return ""
    folder, root = roots[0] + own[0].rstrip("/"), roots[0]
    while len(folder) >= len(root):
        if os.access(f"{folder}/cgroup.procs", os.W_OK) and _prepared(f"{folder}/{name}"):
            return f"{folder}/{name}"
        folder = os.path.dirname(folder)
    return ""


def _prepared(folder: str) -> bool:
    """Whether the folder has its controllers. One whose parent has processes of its own cannot have any."""
    wanted = " ".join(f"+{controller}" for controller in _NEEDED)
    parent = os.path.dirname(folder)
    try:
        if not set(_NEEDED) <= set(read_text(f"{parent}/cgroup.controllers").split()):
            return False
        write_text(f"{parent}/cgroup.subtree_control", wanted)
        os.makedirs(folder, exist_ok=True)
        write_text(f"{folder}/cgroup.subtree_control", wanted)
    except OSError:
        return False
    return True


def settings(limits: Limits) -> dict[str, str]:
    """Return the files of a container's cgroup."""
    files = {"pids.max": str(limits["pids"] or 4096), "memory.oom.group": "1"}
    if limits["memory"] is not None:
        files |= {"memory.max": str(limits["memory"]), "memory.swap.max": "0"}
    if limits["cpu_millis"] is not None:
        files["cpu.max"] = f"{max(limits['cpu_millis'] * 100, 1000)} 100000"
    if limits["cpu_request_millis"]:
        shares = max(2, limits["cpu_request_millis"] * 1024 // 1000)  # as kubelet turns requests into weights
        files["cpu.weight"] = str(1 + (min(shares, 262144) - 2) * 9999 // 262142)
    return files


class Cgroup:
    """The cgroup of one container."""

    def __init__(self, folder: str, limits: Limits) -> None:
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        for name, value in settings(limits).items():
            if os.path.exists(f"{folder}/{name}"):
                write_text(f"{folder}/{name}", value)

    def add(self, pid: int) -> None:
        write_text(f"{self.folder}/cgroup.procs", str(pid))

    def oom_kills(self) -> int:
        return self._events().get("oom_kill", 0)

    def _events(self) -> dict[str, int]:
        try:
            lines = read_text(f"{self.folder}/memory.events").splitlines()
        except OSError:
            return {}
        return {key: int(value) for key, value in map(str.split, lines)}

    def usage(self) -> tuple[float, int, int]:
        stat = dict(line.split() for line in read_text(f"{self.folder}/cpu.stat").splitlines())
        memory = int(read_text(f"{self.folder}/memory.current"))
        return int(stat["usage_usec"]) / 1e6, memory, int(read_text(f"{self.folder}/pids.current"))

    def remove(self) -> None:
        """Remove it; one with processes that are still ending stays, and is removed with the pod."""
        forget([self.folder])


def containers_of(folder: str) -> dict[str, list[str]]:
    """Return the cgroups of containers in a delegated one, by their pod's uid."""
    found: dict[str, list[str]] = {}
    for name in os.listdir(folder) if folder else ():
        if name.count(".") == 2 and os.path.isdir(f"{folder}/{name}"):
            found.setdefault(name.partition(".")[0], []).append(f"{folder}/{name}")
    return found


def forget(folders: list[str]) -> None:
    """Remove cgroups in which nothing runs any more."""
    for folder in folders:
        try:
            os.rmdir(folder)
        except OSError:
            continue


def tree(roots: list[int]) -> list[int]:
    """Return processes and all their descendants."""
    found, waiting = list[int](), list(roots)
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        waiting += children(pid)
    return found


def children(pid: int) -> list[int]:
    found = list[int]()
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            found += map(int, read_text(f"/proc/{pid}/task/{task}/children").split())
    except OSError:
        return found  # ended meanwhile
    return found


def cpu_seconds(pids: list[int]) -> float:
    """Return the CPU time of processes and of the children they have waited for."""
    ticks = 0
    for pid in pids:
        try:
            ticks += sum(map(int, read_text(f"/proc/{pid}/stat").rpartition(")")[2].split()[11:15]))
        except OSError:
            continue
    return ticks / _TICKS


def memory_bytes(pids: list[int]) -> int:
    """Return the memory that cannot be reclaimed by reading a file again: anonymous and shared."""
    total = 0
    for pid in pids:
        try:
            for line in read_text(f"/proc/{pid}/status").splitlines():
                if line.startswith(("RssAnon:", "RssShmem:")):
                    total += int(line.split()[1]) * 1024
        except OSError:
            continue
    return total
