"""One server that is measured: a process, what it answers, and what it takes."""

import json
import os
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from aiohttp import ClientSession

_ROOT = Path(__file__).parents[2]
_REPORT = Path(__file__).with_name("report.lua")
_TICKS = os.sysconf("SC_CLK_TCK")
MANY = 16  # connections
STARTED_WITHIN = 20.0  # seconds


@dataclass
class Figures:
    """What each round found."""

    rates: list[float] = field(default_factory=list[float])
    """Requests in a second on many connections."""
    delays: list[float] = field(default_factory=list[float])
    """Median seconds of a request on one connection."""
    costs: list[float] = field(default_factory=list[float])
    """Seconds of processor time of a request on many connections."""
    round_trips: list[float] = field(default_factory=list[float])
    """Messages there and back in a second, on one WebSocket."""
    memory: float = 0.0
    """Resident MB after the last round."""

    @property
    def rate(self) -> float:
        return median(self.rates)

    @property
    def delay(self) -> float:
        return median(self.delays)

    @property
    def cost(self) -> float:
        return median(self.costs)

    @property
    def trips(self) -> float:
        return median(self.round_trips)


class Server:
    """`python -m benchmarks.http_stacks.MODULE PORT [BACKEND_PORT]`, started by entering the block."""

    def __init__(self, name: str, module: str, backend: "Server | None" = None) -> None:
        self.name = name
        self.figures = Figures()
        self.port = _free_port()
        ports = [str(self.port), *([str(backend.port)] if backend else [])]
        self._command = [sys.executable, "-m", f"benchmarks.http_stacks.{module}", *ports]

    def __enter__(self) -> "Server":
        self._process = subprocess.Popen(self._command, cwd=_ROOT, stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + STARTED_WITHIN
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{self.name} did not start: {' '.join(self._command)}")
            time.sleep(0.02)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(10)

    async def measure(self, seconds: int) -> None:
        """One round."""
        before = self._cpu_seconds()
        many = self._load(MANY, seconds)
        self.figures.costs.append((self._cpu_seconds() - before) / many["requests"])
        self.figures.rates.append(many["requests"] / many["seconds"])
        self.figures.delays.append(self._load(1, seconds)["p50"])
        self.figures.round_trips.append(await self._converse(seconds))
        self.figures.memory = self._memory()

    def _load(self, connections: int, seconds: int) -> dict[str, float]:
        url = f"http://127.0.0.1:{self.port}/document"
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", str(_REPORT), url]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found = json.loads(printed.splitlines()[-1])
        if found["failed"]:
            raise RuntimeError(f"{self.name}: {found['failed']} requests failed")
        return found

    async def _converse(self, seconds: int) -> float:
        count, began = 0, time.perf_counter()
        async with (
            ClientSession() as session,
            session.ws_connect(f"http://127.0.0.1:{self.port}/echo") as conversation,
        ):
            while time.perf_counter() - began < seconds:
                await conversation.send_str("a cell of a notebook was run")
                await conversation.receive_str()
                count += 1
        return count / (time.perf_counter() - began)

    def _answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True

    def _cpu_seconds(self) -> float:
        after_name = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(after_name[11]) + int(after_name[12])) / _TICKS

    def _memory(self) -> float:
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
