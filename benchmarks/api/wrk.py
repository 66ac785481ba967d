"""wrk, the load generator: a C program, so that the client takes as little of the machine as can be."""

import json
import os
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from benchmarks.api.servers import Served

_LONGEST_FILL = 900  # seconds
_SCRIPT = Path(__file__).with_name("load.lua")


class WrkMissing(Exception):
    """There is no wrk, and it could not be installed."""

    def __init__(self) -> None:
        super().__init__("wrk is not on the PATH and could not be installed. On Debian: apt-get install wrk")


@dataclass(frozen=True)
class Load:
    """What one run of wrk saw, and what it cost the server."""

    requests: int
    seconds: float
    p50: float
    p99: float
    cpu: float
    """Seconds of processor time that the server took."""

    @property
    def rate(self) -> float:
        return self.requests / self.seconds

    @property
    def cpu_each(self) -> float:
        return self.cpu / max(self.requests, 1)


def ensure() -> None:
    """Find wrk, or install Debian's package where that is allowed."""
    if shutil.which("wrk"):
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "wrk"]):
            subprocess.run(
                command, check=False, capture_output=True, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
            )
    if not shutil.which("wrk"):
        raise WrkMissing


def run(
    server: Served, operation: str, *, connections: int, seconds: float, prefix: str, body: Path, number: int = 1
) -> Load:
    """One load on one server; raises where the server refused or dropped a request."""
    before = server.cpu_seconds()
    with _started(server, operation, connections, seconds, prefix, body, number) as process:
        printed, _ = process.communicate()
    return _load(server, operation, printed, server.cpu_seconds() - before)


def fill(server: Served, count: int, prefix: str, body: Path) -> None:
    """Create `count` objects, 16 at a time."""
    with _started(server, "fill", 16, _LONGEST_FILL, prefix, body, count) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if line == "filled\n":
                    break
        finally:
            process.send_signal(signal.SIGINT)
        printed, _ = process.communicate()
    _load(server, "fill", printed, 0.0)


def _started(
    server: Served, operation: str, connections: int, seconds: float, prefix: str, body: Path, number: int
) -> "subprocess.Popen[str]":
    argv = ["wrk", "-t1", f"-c{connections}", f"-d{max(round(seconds), 1)}s", "--timeout", "30s", "--latency"]
    argv += ["-s", str(_SCRIPT), server.url, "--", operation, prefix, str(number), str(body)]
    environment = {**os.environ, "BENCH_TOKEN": server.token}
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)


def _load(server: Served, operation: str, printed: str, cpu: float) -> Load:
    lines = [line for line in printed.splitlines() if line.startswith("{")]
    if not lines:
        raise RuntimeError(f"wrk failed: {printed}")
    found = json.loads(lines[-1])
    if found["refused"] or found["broken"]:
        raise RuntimeError(f"{server.name} refused {found['refused']} and dropped {found['broken']} of {operation}")
    return Load(found["requests"], found["seconds"], found["p50"], found["p99"], cpu)
