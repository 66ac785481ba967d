"""Gets of one pod on 16 connections, first beside an idle manager, then beside one with 60,000 pods that fit nowhere.

`python -m benchmarks.scheduler.pending [--pods 60000] [--seconds 5] [--rounds 3]`: both in one run, on one server; the
ratio is printed. It needs wrk. The second half begins as soon as the pods exist: the manager still decides on them and
writes their conditions.
"""

import argparse
import asyncio
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.api import wrk
from benchmarks.api.pods import NAME
from benchmarks.api.servers import Served
from benchmarks.node.parts import say
from benchmarks.scheduler.cluster import ControlPlane, a_node, a_pod, running
from windlass.apis.core_v1 import ServiceAccount
from windlass.kube.errors import NotFound

CONNECTIONS, NODES = 16, 10
READ = "read-"
"""The prefix of the name of the pod that is read."""


class RunningServer(Served):
    """The API server of a control plane, for wrk."""

    name = "Windlass"

    def __init__(self, plane: ControlPlane) -> None:
        super().__init__(plane.folder)
        self.url, self._pid = plane.url, plane.server
        self.token = (plane.folder / "credentials/admin.token").read_text()

    @property
    def pid(self) -> int:
        return self._pid


@dataclass(frozen=True)
class Gets:
    """All rounds of one half: the loads, and the share of a processor that the manager took meanwhile."""

    loads: Sequence[wrk.Load]
    manager: float

    @property
    def rate(self) -> float:
        return statistics.median(load.rate for load in self.loads)

    @property
    def cost(self) -> float:
        """Seconds of the server's processor time for a get: other load on the machine changes it least."""
        return statistics.median(load.cpu_each for load in self.loads)

    @property
    def p99(self) -> float:
        return statistics.median(load.p99 for load in self.loads)


def measure(plane: ControlPlane, pods: int, seconds: float, rounds: int) -> tuple[Gets, Gets, float]:
    """Both halves, and the seconds that it took to create the pods in between."""
    server, body = RunningServer(plane), plane.folder.parent / "pod.json"
    asyncio.run(prepare(plane))
    body.write_text(json.dumps(a_pod(NAME, cpu="100"), separators=(",", ":")))
    wrk.fill(server, 1, READ, body)
    idle = gets(plane, server, body, seconds, rounds)
    began = time.monotonic()
    wrk.fill(server, pods, "waits-", body)
    created = time.monotonic() - began
    return idle, gets(plane, server, body, seconds, rounds), created


async def prepare(plane: ControlPlane) -> None:
    """Nodes that are too small for the pods, and the service account of the namespace, which the manager makes."""
    async with await plane.client() as client:
        for number in range(NODES):
            await client.create(a_node(number))
        while True:
            try:
                await client.get(ServiceAccount, "default", "default")
            except NotFound:
                await asyncio.sleep(0.1)
            else:
                return


def gets(plane: ControlPlane, server: Served, body: Path, seconds: float, rounds: int) -> Gets:
    used, began = plane.use().manager, time.monotonic()
    loads = [
        wrk.run(server, "get", connections=CONNECTIONS, seconds=seconds, prefix=READ, body=body) for _ in range(rounds)
    ]
    return Gets(loads, (plane.use().manager - used) / (time.monotonic() - began))


def report(pods: int, idle: Gets, beside: Gets, created: float) -> None:
    say(f"gets, {CONNECTIONS} connections, idle manager", f"{idle.rate:,.0f}/s", f"p99 {idle.p99 * 1e3:.1f} ms")
    ratio = f"{beside.rate / idle.rate:.2f}"
    say(f"gets beside {pods} pending pods", f"{beside.rate:,.0f}/s", f"p99 {beside.p99 * 1e3:.1f} ms", ratio)
    ratio = f"{beside.cost / idle.cost:.2f}"
    say("  the server's processor time of a get", f"{idle.cost * 1e6:.0f} µs", f"{beside.cost * 1e6:.0f} µs", ratio)
    say("  manager, idle and beside them", f"{idle.manager:.0%}", f"{beside.manager:.0%} of a core")
    say("  the pods were created in", f"{created:.0f} s", f"{pods / created:,.0f} pods/s")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scheduler.pending", description="Gets beside pods.")
    parser.add_argument("--pods", type=int, default=60_000)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where Windlass keeps its data (a disk, not tmpfs)")
    options = parser.parse_args()
    try:
        wrk.ensure()
    except wrk.WrkMissing as missing:
        print(f"error: {missing}", file=sys.stderr)
        return 2
    folder = Path(tempfile.mkdtemp(prefix="windlass-bench-", dir=options.folder))
    try:
        with running(folder / "data") as plane:
            report(options.pods, *measure(plane, options.pods, options.seconds, options.rounds))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
