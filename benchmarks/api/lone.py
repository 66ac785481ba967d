"""Where the time of a lone create goes: one client that waits for each answer, step by step, beside the least possible.

The server carries a clock at each step (`traced.py`). In the same run, in turns with it, this process writes the same
object to SQLite and to a journal, and wrk creates it in the bare handler: what a create cannot be quicker than.
"""

import json
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.api import pods, wrk
from benchmarks.api.report import Table
from benchmarks.api.servers import Bare, Traced
from windlass.apiserver.store import file
from windlass.apiserver.store.commit import Entry, append
from windlass.apiserver.store.journal import create

if TYPE_CHECKING:
    from benchmarks.api.parts import Bench

WRITES = 200  # of each way in each round
PAUSE = 0.0003  # seconds between them, as between two creates: a disk that was idle for a moment answers later


@dataclass(frozen=True)
class Traces:
    """What the traced server found: how many creates, and the median seconds of each step and of all of them."""

    creates: int
    total: float
    steps: dict[str, float]

    @classmethod
    def read(cls, path: Path) -> "Traces":
        found = json.loads(path.read_text())
        return cls(found["creates"], found["total"] / 1e9, {step: ns / 1e9 for step, ns in found["steps"].items()})


def breakdown(bench: "Bench") -> None:
    """The steps of a create on one connection, and what bounds them."""
    scale = bench.scale
    traced, bare = Traced(bench.new_folder()), Bare(bench.new_folder())
    floor = Floor(bench.new_folder())
    loads: dict[str, list[wrk.Load]] = {Traced.name: [], Bare.name: []}
    try:
        for server in (traced, bare):
            server.start()
            server.prepare()
        for turn in range(scale.rounds):
            for server in (traced, bare):
                loads[server.name].append(
                    wrk.run(
                        server, "create", connections=1, seconds=scale.seconds, prefix=f"lone-{turn}-", body=bench.sent
                    )
                )
            floor.measure(WRITES)
    finally:
        for server in (traced, bare):
            server.stop()
        floor.close()
    bench.report.add_table(table(Traces.read(traced.trace), floor.medians(), *(_p50(loads[name]) for name in loads)))


def _p50(loads: list[wrk.Load]) -> float:
    return statistics.median(load.p50 for load in loads)


def table(traces: Traces, floor: dict[str, float], client: float, bare: float) -> Table:
    """Steps in their order, with their part of what the client waits; then the ways to be compared."""
    outside = {"client, network, TLS: receive": max(client - traces.total, 0.0)}
    rows = [
        (step, f"{seconds * 1e6:.0f} µs", f"{seconds / client:.0%}")
        for step, seconds in (outside | traces.steps).items()
    ]
    rows.append(("all, as the client sees it", f"{client * 1e6:.0f} µs", ""))
    references = {**floor, "a create in the bare handler": bare}
    rows += [(f"for comparison: {name}", f"{seconds * 1e6:.0f} µs", f"{seconds / client:.0%}")
             for name, seconds in references.items()]  # fmt: skip
    return Table(f"a lone create, median of {traces.creates:,}", rows)


class Floor:
    """The same bytes made durable by nobody but the disk: medians of many, taken in turns."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        journal = create(folder / "journal.db")
        assert journal is not None, f"no room for a journal in {folder}"
        self._journal = journal
        store = folder / "sqlite.db"
        self._sqlite = file.open_file(store)
        self._rev = 0
        self._value = json.dumps(pods.pod("lone")).encode().ljust(3100)
        self._took: dict[str, list[float]] = {}

    def measure(self, writes: int) -> None:
        for _ in range(writes):
            time.sleep(PAUSE)
            self._time("the object in SQLite, fsync", self._insert)
            time.sleep(PAUSE)
            self._time("the object in the journal, synced", self._append)

    def medians(self) -> dict[str, float]:
        return {name: statistics.median(took) for name, took in self._took.items()}

    def close(self) -> None:
        self._journal.close()
        self._sqlite.close()

    def _time(self, name: str, write: Callable[[list[Entry]], None]) -> None:
        self._rev += 1
        entries: list[Entry] = [(self._rev, "/pods", f"default/lone-{self._rev}", 1, self._rev, self._value)]
        began = time.perf_counter()
        write(entries)
        self._took.setdefault(name, []).append(time.perf_counter() - began)

    def _insert(self, entries: list[Entry]) -> None:
        append(self._sqlite, entries, None)

    def _append(self, entries: list[Entry]) -> None:
        record = self._journal.prepare(entries, self._rev - 1)
        assert record is not None
        self._journal.write(record)
        self._journal.release(self._rev)
