"""Killed at any moment, under load, over and over: nothing acknowledged is lost, and revisions only go up."""

import os
import random
import select
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from windlass.apiserver.store import Store, file, journal

ROUNDS = int(os.environ.get("WINDLASS_CRASH_ROUNDS", "20"))


@dataclass
class Acknowledged:
    """What the killed processes said was durable: per key the newest revision, and its number (None: deleted)."""

    newest: dict[str, tuple[int, str | None]] = field(default_factory=dict[str, tuple[int, str | None]])
    revision: int = 0

    def read(self, line: str) -> None:
        key, rev, number = line.split()
        assert int(rev) >= self.revision if key == "open" else int(rev) > 0
        if key != "open" and int(rev) > self.newest.get(key, (0, None))[0]:
            self.newest[key] = (int(rev), None if number == "-" else number)
        self.revision = max(self.revision, int(rev))


def run_and_kill(path: Path, chance: random.Random, acknowledged: Acknowledged) -> None:
    """Start the load, kill it some time after it has begun to write, and note all that it acknowledged."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.apiserver.store.load", path, str(chance.randrange(10**9))],
        stdout=subprocess.PIPE,
        bufsize=0,
    )
    assert process.stdout is not None
    output = b""
    alive_for = chance.uniform(0.0, 0.4)
    kill_at = float("inf")
    while True:
        ready, _, _ = select.select([process.stdout], [], [], max(0.0, min(kill_at - time.monotonic(), 10.0)))
        if ready:
            piece = process.stdout.read(65536)
            if not piece:
                break
            output += piece
            if output.count(b"\n") > 1 and kill_at == float("inf"):
                kill_at = time.monotonic() + alive_for
        if time.monotonic() >= kill_at:
            process.send_signal(signal.SIGKILL)
            kill_at = float("inf")
    process.stdout.close()
    assert process.wait() == -signal.SIGKILL
    for line in output.decode().splitlines():
        acknowledged.read(line)


async def verify(path: Path, acknowledged: Acknowledged) -> None:
    """All that was acknowledged is there; what else is there counts as acknowledged from now on, for it was read."""
    store = Store.open(path)
    try:
        assert store.revision >= acknowledged.revision
        for name, (rev, number) in acknowledged.newest.items():
            row = store.get(("pods", "default", name))
            if row is None:
                gone = await deletion_of(store, name)
                assert number is None or gone > rev, f"{name} at {rev} was acknowledged and is lost"
                acknowledged.newest[name] = (max(gone, rev), None)
            elif row.rev > rev:  # durable, and the process was killed before it could say so
                acknowledged.newest[name] = (row.rev, row.value.decode().strip())
            else:
                assert (row.rev, row.value.decode().strip()) == (rev, number)
        pair = {name: store.get(("pods", "pair", name)) for name in ("one", "two")}
        assert (pair["one"] and pair["one"].value) == (pair["two"] and pair["two"].value)
        acknowledged.revision = store.revision
    finally:
        await store.close()


async def deletion_of(store: Store, name: str) -> int:
    """The revision at which the log says that the object was deleted; 0 where it does not, or not any more."""
    query = "SELECT coalesce(max(rev), 0) FROM log WHERE path = ? AND change = 3"
    found = await store.between_commits(lambda connection: connection.execute(query, (f"default/{name}",)).fetchone())
    return int(found[0])


@pytest.mark.crash
async def test_nothing_acknowledged_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    chance = random.Random(7)
    path, acknowledged = tmp_path / "state.db", Acknowledged()
    for _ in range(ROUNDS):
        run_and_kill(path, chance, acknowledged)
        await verify(path, acknowledged)

    assert len(acknowledged.newest) > 50


def append_half_a_commit(path: Path, chance: random.Random) -> None:
    """A commit that was under way: its pages are in the side file in part, after all that was acknowledged."""
    wal = path.with_name(path.name + "-wal")
    durable = wal.stat().st_size
    with wal.open("r+b") as handle:
        frames = handle.read()[32:]
        frame = 24 + 8192
        whole = len(frames) // frame
        handle.seek(durable)
        for _ in range(chance.randrange(1, 6)):
            pick = chance.randrange(whole)
            handle.write(frames[pick * frame : pick * frame + chance.randrange(1, frame + 1)])


def append_half_a_record(path: Path, chance: random.Random) -> None:
    """The same in the journal: after its newest record there is part of one that was under way."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        flushed = file.newest_revision(connection)
    content = journal.read(path)
    blocks = [content[start : start + journal.BLOCK] for start in range(0, len(content), journal.BLOCK)]

    def last_revision(number: int) -> int:
        return int.from_bytes(blocks[number][16:24], "little")

    records = [number for number, block in enumerate(blocks) if block[:8] == content[:8] != bytes(8)]
    if not records:  # a record begins with the journal's id, and a journal with a record
        return
    newest = max(records, key=last_revision)
    length = 32 + int.from_bytes(blocks[newest][24:28], "little")
    free = (newest - -length // journal.BLOCK) % len(blocks)
    if free in records and last_revision(free) > flushed:
        return  # the journal is full: it would not be written to
    with journal.journal_path(path).open("r+b") as handle:
        handle.seek(free * journal.BLOCK)
        handle.write(blocks[newest][: chance.randrange(1, journal.BLOCK)])


@pytest.mark.crash
async def test_a_torn_tail_of_the_side_file_loses_only_what_was_not_acknowledged(tmp_path: Path) -> None:
    chance = random.Random(11)
    path, acknowledged = tmp_path / "state.db", Acknowledged()
    for _ in range(ROUNDS // 2):
        run_and_kill(path, chance, acknowledged)
        append_half_a_record(path, chance)
        append_half_a_commit(path, chance)
        await verify(path, acknowledged)


@pytest.mark.crash
async def test_a_side_file_cut_at_any_byte_gives_a_prefix_of_the_commits(tmp_path: Path) -> None:
    """The store at each cut holds the first so many commits, whole: no half of a pair, no gap."""
    chance = random.Random(13)
    store = Store.open(tmp_path / "state.db")
    for number in range(40):
        one, two = (store.put(("pods", "pair", name), b"%d" % number) for name in ("one", "two"))
        await one
        await two
    content = {side: Path(f"{store.path}{side}").read_bytes() for side in ("", "-wal")}
    await store.close()

    revisions: list[int] = []
    for cut in sorted(chance.randrange(len(content["-wal"]) + 1) for _ in range(60)):
        path = tmp_path / f"cut-{cut}.db"
        path.write_bytes(content[""])
        Path(f"{path}-wal").write_bytes(content["-wal"][:cut])
        torn = Store.open(path)
        pair = torn.rows("pods")
        assert len({row.value for row in pair}) <= 1
        assert torn.revision == max([row.rev for row in pair], default=0)
        assert torn.revision % 2 == 0
        revisions.append(torn.revision)
        await torn.close()
    assert revisions == sorted(revisions)
    assert len(set(revisions)) > 10
