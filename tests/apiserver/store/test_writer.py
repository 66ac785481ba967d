"""The hand-over between the event loop and the writing thread: nothing is told too early, and nothing waits long."""

import asyncio
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import uvloop

from tests.apiserver.store.builders import fill, names, pod, put
from windlass.apiserver.store import Store, file
from windlass.apiserver.store.commit import append

ROUNDS, WRITES = 10, 10


async def write_on_a_busy_loop(path: Path) -> float:
    """Seconds for a write, one after the other while the loop never rests, in the best of some rounds."""
    store = Store.open(path)
    busy = True
    here, there = socket.socketpair()

    async def spin() -> None:
        while busy:
            until = time.perf_counter() + 0.0001
            while time.perf_counter() < until:
                pass
            here.send(b"x")
            there.recv(1)
            await asyncio.sleep(0)

    spinning = [asyncio.create_task(spin()) for _ in range(4)]
    took: list[float] = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for number in range(WRITES):
            await put(store, pod("a"), b"%d" % number)
        took.append((time.perf_counter() - start) / WRITES)
    busy = False
    await asyncio.gather(*spinning)
    await store.close()
    here.close()
    there.close()
    return min(took)


def test_a_busy_event_loop_does_not_starve_writes(tmp_path: Path) -> None:
    # About 2 ms a write on a quiet machine; where the loop does not make way it is 100 ms and more in every round.
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        took = runner.run(write_on_a_busy_loop(tmp_path / "state.db"))

    assert took < 0.05


async def test_nobody_is_told_of_a_write_before_it_is_durable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store.open(tmp_path / "state.db")
    await fill(store, "a")
    before = store.revision
    started, disk_answers = threading.Event(), threading.Event()

    def slow_append(connection: sqlite3.Connection, **rows: Any) -> None:
        started.set()
        disk_answers.wait()
        append(connection, **rows)

    monkeypatch.setattr("windlass.apiserver.store.committer.append", slow_append)
    watcher = store.watch("pods", since=before)
    write = store.put(pod("b"), b"")
    await asyncio.to_thread(started.wait)

    assert not write.done()
    assert names(store.rows("pods")) == ["a"]
    assert list(watcher.take()) == []
    assert store.revision == watcher.revision == before
    disk_answers.set()
    await write
    assert names(store.rows("pods")) == ["a", "b"]
    await store.close()


async def test_the_writing_connection_waits_for_the_disk_at_every_commit(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state.db")

    assert await store.between_commits(lambda connection: file.pragma(connection, "synchronous")) == 2
    journal = await store.between_commits(lambda connection: connection.execute("PRAGMA journal_mode").fetchone())
    assert journal == ("wal",)
    await store.close()


ACKNOWLEDGE_TEN = """
import asyncio, os, sys
from pathlib import Path
from windlass.apiserver.store import Store

async def main():
    store = Store.open(Path(sys.argv[1]))
    for n in range(10):
        await store.put(("pods", "default", f"p{n}"), bytes(3000))
        os.write(1, b"acknowledged")

asyncio.run(main())
"""


def test_the_kernel_was_asked_to_sync_before_each_acknowledgement(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("there is no strace")
    ran = subprocess.run(
        [
            *(strace, "-f", "-o", trace, "-e", "trace=pwrite64,fdatasync,fsync,write"),
            *(sys.executable, "-c", ACKNOWLEDGE_TEN, tmp_path / "state.db"),
        ],
        capture_output=True,
    )
    if ran.returncode:
        pytest.skip("this machine does not let strace trace")

    acknowledged, synced = 0, True
    for line in trace.read_text().splitlines():
        if " pwrite64(" in line:
            synced = False
        elif re.search(r"f(data)?sync(\(\d+\)| resumed>\))\s+= 0", line):
            synced = True
        elif 'write(1, "acknowledged"' in line:
            assert synced, f"acknowledged before it was synced: {line}"
            acknowledged += 1
    assert acknowledged == 10
