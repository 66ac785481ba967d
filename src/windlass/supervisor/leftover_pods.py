"""Pods that keep running because Windlass was killed instead of stopped.

Their processes are the node's zygote and the supervisors that it forked, found by their common command line, and the
containers that supervisors recorded. A supervisor that was forked while the node was being killed has recorded nothing.
"""

import contextlib
import json
import signal
import time
from pathlib import Path

from windlass.supervisor import process
from windlass.supervisor.datadir import DataDir

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_WITHIN = 5.0
_LAUNCHERS = ("sandbox/launch.py", "process/launch.py")

Process = tuple[int, int]
"""A pid and its start time."""


def end_pods(data: DataDir) -> int:
    """Kill the processes of such pods, and their network uplink; return the number of pods."""
    files = sorted((data.root / "node" / "pods").glob("*/facts.json"))
    pods = [found for file in files if (found := _running_processes(file))]
    recorded = [each for pod in pods for each in pod]
    until = time.monotonic() + _WITHIN
    while found := [*_forks_of_zygote(data.root.resolve()), *(each for each in recorded if process.is_alive(*each))]:
        for each in found:
            process.send(*each, signal.SIGKILL)
        if time.monotonic() > until:
            break
        time.sleep(0.02)
    _end_uplink(data.root / "node" / "uplink.json")
    return len(pods)


def _forks_of_zygote(root: Path) -> list[Process]:
    """The zygote of the node at this data directory, and what runs of its forks."""
    found: list[Process] = []
    for pid in process.pids():
        words = process.command_line(pid)
        if str(root) in words and any(word.endswith(_LAUNCHERS) for word in words) and (born := process.birth(pid)):
            found.append((pid, born))
    return found


def _running_processes(file: Path) -> list[Process]:
    """The processes of a pod as its supervisor recorded them: itself, and the first process of each container."""
    try:
        facts = json.loads(file.read_bytes())
        if facts["boot"] != _BOOT.read_text().strip():
            return []
        runs = [run for run in facts["containers"] if run["state"] == "running"]
        recorded = [(one["pid"], one["start_time"]) for one in (facts, *runs)]
    except (OSError, ValueError, KeyError):
        return []
    return [each for each in recorded if each[1] and process.is_alive(*each)]


def _end_uplink(file: Path) -> None:
    with contextlib.suppress(OSError, ValueError, KeyError):
        recorded = json.loads(file.read_bytes())
        process.send(recorded["pid"], int(recorded["started"]), signal.SIGTERM)
