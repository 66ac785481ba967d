"""What is measured, one function a part. Each starts servers of its own, so that no part sees what another left."""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.api import pods, wrk
from benchmarks.api.lone import breakdown
from benchmarks.api.report import Line, Report, amount
from benchmarks.api.servers import Bare, Served, Windlass

S = TypeVar("S", bound=Served)

_TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


@dataclass(frozen=True)
class Scale:
    """How much of everything a run does."""

    seconds: float = 5
    rounds: int = 3
    connections: tuple[int, ...] = (1, 16)
    watch_seconds: float = 8
    known: int = 1000
    """Objects that gets and patches go round."""
    listed: int = 15_500
    watchers: int = 500
    sizes: tuple[int, ...] = (1_000, 10_000, 100_000)


QUICK = Scale(seconds=1, rounds=1, connections=(4,), watch_seconds=1, known=50, listed=300, watchers=20, sizes=(200,))


class Bench:
    """One run: its folder, its size and its report."""

    def __init__(self, folder: Path, scale: Scale) -> None:
        self.folder = folder
        self.scale = scale
        self.report = Report()
        self._folders = count()
        self.sent = folder / "sent.json"
        """The body that a client sends."""
        self.stored = folder / "stored.json"
        """The same pod as Windlass stores it: what the bare handler is filled with where size matters."""
        self.sent.write_text(pods.template())

    @contextmanager
    def windlass(self) -> Iterator[Windlass]:
        with self._running(Windlass(self.new_folder())) as server:
            server.prepare()
            if not self.stored.exists():
                answer = server.request("POST", pods.PODS, json.dumps(pods.pod("sample")).encode())
                server.request("DELETE", f"{pods.PODS}/sample?gracePeriodSeconds=0")
                self.stored.write_text(pods.template(json.loads(answer)))
            yield server

    @contextmanager
    def both(self) -> Iterator[tuple[Windlass, Bare]]:
        with self.windlass() as windlass, self._running(Bare(self.new_folder())) as bare:
            yield windlass, bare

    def new_folder(self) -> Path:
        return self.folder / f"server-{next(self._folders)}"

    @contextmanager
    def _running(self, server: S) -> Iterator[S]:
        try:
            server.start()
            yield server
        finally:
            server.stop()


# Requests


def requests(bench: Bench, operations: tuple[str, ...] = ("create", "get", "patch")) -> None:
    """Creates, gets and merge patches on 1 and on 16 connections, the two servers taking turns."""
    with bench.both() as (windlass, bare):
        if operations != ("create",):
            wrk.fill(windlass, bench.scale.known, "known-", bench.sent)
            wrk.fill(bare, bench.scale.known, "known-", bench.stored)
        for operation in operations:
            for connections in bench.scale.connections:
                _compare(bench, (windlass, bare), operation, connections)


def _compare(bench: Bench, servers: tuple[Windlass, Bare], operation: str, connections: int) -> None:
    scale = bench.scale
    runs: dict[str, list[wrk.Load]] = {server.name: [] for server in servers}
    for turn in range(scale.rounds):
        for server in servers:
            prefix = f"c{connections}-{turn}-" if operation == "create" else "known-"
            run = wrk.run(
                server,
                operation,
                connections=connections,
                seconds=scale.seconds,
                prefix=prefix,
                body=bench.sent,
                number=scale.known,
            )
            runs[server.name].append(run)
    mine, bares = runs[Windlass.name], runs[Bare.name]
    note = ", ".join(
        f"{name} p50 {statistics.median(r.p50 for r in runs[name]) * 1e3:.2f} ms "
        f"p99 {statistics.median(r.p99 for r in runs[name]) * 1e3:.2f} ms"
        for name in runs
    )
    plural = "connection" if connections == 1 else "connections"
    bench.report.add(
        Line(
            f"{operation}, {connections} {plural}",
            "/s",
            statistics.median(run.rate for run in mine),
            statistics.median(run.rate for run in bares),
            _cpu_each(mine),
            _cpu_each(bares),
            note,
        )
    )


def _cpu_each(runs: list[wrk.Load]) -> float:
    return sum(run.cpu for run in runs) / sum(run.requests for run in runs)


# Lists and memory


def lists(bench: Bench) -> None:
    """A list of many pods in full and as a Table, read as a stream; memory before and after."""
    listed = bench.scale.listed
    with bench.both() as (windlass, bare):
        time.sleep(0.5)  # memory when nothing happens: let the start's last chores end
        bench.report.add(Line("memory, idle", "MB", windlass.memory(), bare.memory()))
        wrk.fill(windlass, listed, "pod-", bench.sent)
        wrk.fill(bare, listed, "pod-", bench.stored)
        seconds, size = _fastest(bench, lambda: windlass.download(pods.PODS))
        bare_seconds, bare_size = _fastest(bench, lambda: bare.download(pods.PODS))
        note = f"{size / 1e6:.1f} MB ({size / listed:,.0f} bytes a pod), bare {bare_size / 1e6:.1f} MB"
        bench.report.add(Line(f"list of {listed:,} pods", "s", seconds, bare_seconds, note=note))
        seconds, size = _fastest(bench, lambda: windlass.download(pods.PODS, _TABLE))
        bench.report.add(Line(f"list of {listed:,} pods as a Table", "s", seconds, note=f"{size / 1e6:.1f} MB"))
        bench.report.add(Line(f"memory at {listed:,} pods", "MB", windlass.memory(), bare.memory()))


def _fastest(bench: Bench, download: Callable[[], tuple[float, int]]) -> tuple[float, int]:
    return min(download() for _ in range(bench.scale.rounds))


# Watches


def fan_out(bench: Bench) -> None:
    """One writer that waits for each answer, many watchers: events delivered in a second, and how late."""
    found: dict[str, dict[str, float]] = {}
    with bench.both() as servers:
        for server in servers:
            found[server.name] = _watched(bench, server)
    mine, bares = found[Windlass.name], found[Bare.name]
    name = f"{bench.scale.watchers} watchers, events"
    note = f"the watching client took {mine['client_cpu'] * 1e6:.0f} µs of CPU an event; CPU/request is CPU/event here"
    bench.report.add(Line(name, "/s", mine["rate"], bares["rate"], mine["cpu"], bares["cpu"], note))
    for part in ("p50", "p99"):
        bench.report.add(
            Line(f"{bench.scale.watchers} watchers, {part} delay", "ms", mine[part] * 1e3, bares[part] * 1e3)
        )


def _watched(bench: Bench, server: Served) -> dict[str, float]:
    listed = server.request("GET", f"{pods.PODS}?limit=1")
    revision = json.loads(listed)["metadata"]["resourceVersion"]
    argv = [sys.executable, "-m", "benchmarks.api.watchers", str(server.port), server.token]
    argv += [str(bench.scale.watchers), revision]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as watchers:
        assert watchers.stdin is not None
        assert watchers.stdout is not None
        assert watchers.stdout.readline() == "ready\n", "the watchers did not come up"
        before, began = server.cpu_seconds(), time.monotonic_ns()
        stored = None if isinstance(server, Windlass) else json.loads(bench.stored.read_text())
        written = _write(server, bench.scale.watch_seconds, stored)
        watchers.stdin.write(f"{written}\n")
        watchers.stdin.flush()
        found = json.loads(watchers.stdout.readline())
        cpu = server.cpu_seconds() - before
        watchers.stdin.close()
    events = found["events"]
    return {
        "rate": events / ((found["last"] - began) / 1e9),
        "cpu": cpu / events,
        "client_cpu": found["cpu"] / events,
        "p50": found["p50"],
        "p99": found["p99"],
    }


def _write(server: Served, seconds: float, stored: dict[str, Any] | None) -> int:
    """Create pods one after the other; how many."""
    connection = server.connect()
    written, until = 0, time.monotonic() + seconds
    while time.monotonic() < until:
        sent = f"{time.monotonic_ns():020d}"
        body = pods.pod(f"w-{written}", sent=sent)
        if stored is not None:
            body = {**stored, "metadata": {**stored["metadata"], **body["metadata"]}}
        connection.request("POST", pods.PODS, json.dumps(body, separators=(",", ":")).encode(), server.headers())
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 201, answer.status
        written += 1
    connection.close()
    return written


# Starting


def starts(bench: Bench) -> None:
    """From the start of the process to the first ready answer: on an empty folder, and on one that was used."""
    mine: list[tuple[float, float]] = []
    bares: list[tuple[float, float]] = []
    for _ in range(bench.scale.rounds):
        for kind, times in ((Windlass, mine), (Bare, bares)):
            server = kind(bench.new_folder())
            first = server.start()
            server.stop()
            again = server.start()
            server.stop()
            times.append((first, again))
    for index, name in enumerate(("ready, first start", "ready, next start")):
        seconds = [statistics.median(each[index] for each in times) for times in (mine, bares)]
        bench.report.add(Line(name, "s", seconds[0], seconds[1]))


# Growth


def growth(bench: Bench) -> None:
    """Memory and lists at growing numbers of objects, which should grow in step, and creates, which should not."""
    with bench.windlass() as server:
        empty, total = server.memory(), 0
        for size in bench.scale.sizes:
            wrk.fill(server, max(size - total, 1), f"g{size}-", bench.sent)
            memory = server.memory()
            seconds, _ = _fastest(bench, lambda: server.download(pods.PODS))
            one, many = (
                wrk.run(
                    server,
                    "create",
                    connections=connections,
                    seconds=1 if size < 10_000 else bench.scale.seconds,  # not so many that it is the next size
                    prefix=f"g{size}-{connections}-",
                    body=bench.sent,
                )
                for connections in (1, 16)
            )
            total = size + one.requests + many.requests
            each = (memory - empty) / size * 1e3
            note = f"{each:.1f} KB an object; list {amount(seconds / size * 1e6, 'µs')} an object"
            bench.report.add(Line(f"{size:,} pods: memory", "MB", memory, note=note))
            bench.report.add(Line(f"{size:,} pods: list", "s", seconds))
            bench.report.add(Line(f"{size:,} pods: create, 1 connection, p50", "ms", one.p50 * 1e3, cpu=one.cpu_each))
            bench.report.add(Line(f"{size:,} pods: create, 16 connections", "/s", many.rate, cpu=many.cpu_each))
        server.stop()
        bench.report.add(Line(f"{total:,} pods: ready, next start", "s", server.start()))


PARTS: dict[str, Callable[[Bench], None]] = {
    "start": starts,
    "requests": requests,
    "create": lambda bench: requests(bench, ("create",)),
    "get": lambda bench: requests(bench, ("get",)),
    "patch": lambda bench: requests(bench, ("patch",)),
    "list": lists,
    "watch": fan_out,
    "growth": growth,
    "lone": breakdown,
}
WHOLE = ("start", "requests", "lone", "list", "watch", "growth")
