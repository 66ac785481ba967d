"""Pods that keep running because Windlass was killed instead of stopped."""

import contextlib
import json
import signal
import time
from pathlib import Path

from windlass.supervisor import process
from windlass.supervisor.datadir import DataDir

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_WITHIN = 5.0

Process = tuple[int, int]
"""A pid and its start time."""


def end_pods(data: DataDir) -> int:
    """Kill the processes of such pods, and their network uplink; return the number of pods."""
    pods = [
        found
        for file in sorted((data.root / "node" / "pods").glob("*/facts.json"))
        if (found := _running_processes(file))
    ]
    for each in (each for pod in pods for each in pod):
        process.send(*each, signal.SIGKILL)
    until = time.monotonic() + _WITHIN
    while any(process.is_alive(*each) for pod in pods for each in pod) and time.monotonic() < until:
        time.sleep(0.02)
    _end_uplink(data.root / "node" / "uplink.json")
    return len(pods)


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
