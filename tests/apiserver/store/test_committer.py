"""Small commits are in the journal first and in SQLite later: nobody can tell, whatever fails and whenever it ends."""

import asyncio
import errno
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.apiserver.store.builders import collect, fill, names, pod, put
from windlass.apiserver.store import StorageFailed, StorageFull, Store, StoreUnusable, file, restore
from windlass.apiserver.store.commit import append
from windlass.apiserver.store.committer import FLUSH_ENTRIES
from windlass.apiserver.store.journal import journal_path

APPEND = "windlass.apiserver.store.committer.append"


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = Store.open(tmp_path / "state.db")
    await opened.use_journal()
    yield opened
    await opened.close()


def in_sqlite(path: Path) -> list[str]:
    """What a reader of the data file alone would see."""
    with closing(sqlite3.connect(path)) as connection:
        return [path.partition("/")[2] for (path,) in connection.execute("SELECT path FROM log ORDER BY rev")]


def as_killed(store: Store, folder: Path) -> Path:
    """A copy of the files as `kill -9` leaves them."""
    folder.mkdir()
    for side in ("", "-wal", ".journal"):
        shutil.copy(f"{store.path}{side}", folder / f"state.db{side}")
    return folder / "state.db"


def full(*_: object, **__: object) -> None:
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    raise error


async def test_a_small_write_is_durable_without_sqlite_and_without_another_thread(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("windlass.apiserver.store.writer.Writer.submit", None)  # an error for its caller
    row = await put(store, pod("a"), b"1")
    monkeypatch.undo()

    assert in_sqlite(store.path) == []
    killed = Store.open(as_killed(store, tmp_path / "killed"))
    assert names(killed.rows("pods")) == ["a"]
    assert killed.revision == row.rev
    await killed.close()


async def test_what_a_killed_server_had_in_its_journal_is_changed_listed_and_watched(
    store: Store, tmp_path: Path
) -> None:
    await fill(store, "a", "b", "c")
    before = store.revision
    await put(store, pod("a"), b"new")
    await store.delete(pod("b"), b"end")

    killed = Store.open(as_killed(store, tmp_path / "killed"))
    assert [row.value for row in killed.rows("pods")] == [b"new", b"c"]
    assert names(killed.rows_at("pods", None, before)) == ["a", "b", "c"]
    changes = await collect(killed.watch("pods", since=before), 2)
    assert [(change.type, change.previous and change.previous.value) for change in changes] == [
        ("MODIFIED", b"a"),
        ("DELETED", b"b"),
    ]
    assert (await put(killed, pod("d"))).rev == store.revision + 1
    await killed.close()


async def test_a_server_that_is_killed_again_and_again_loses_nothing(tmp_path: Path) -> None:
    path, kept = tmp_path / "0" / "state.db", list[str]()
    path.parent.mkdir()
    for number in range(1, 6):
        store = Store.open(path)
        assert names(store.rows("pods")) == kept
        if number % 2:
            await store.use_journal()
        for name in ("x", "y"):
            kept.append(f"{number}{name}")
            await put(store, pod(kept[-1]))
        path = as_killed(store, tmp_path / str(number))
        await store.close()


@pytest.mark.parametrize(
    ("before", "commits_first"),
    [
        pytest.param("one write", True, id="whoever is alone does not wait for others"),
        pytest.param("a read", False, id="a reader"),
        pytest.param("two writes", False, id="another writer"),
    ],
)
async def test_those_who_have_asked_meanwhile_are_answered_before_the_loop_waits_for_the_disk(
    store: Store, before: str, commits_first: bool
) -> None:
    names = ("a", "b") if before == "two writes" else ("a",)
    await asyncio.gather(*[put(store, pod(name)) for name in names])
    if before == "a read":
        store.get(pod("a"))
    loop, (ours, theirs) = asyncio.get_running_loop(), socket.socketpair()
    committed = loop.create_future()

    def answer() -> None:
        loop.remove_reader(ours)
        committed.set_result(write.done())

    with ours, theirs:
        theirs.send(b"a request that has arrived")
        write = store.put(pod("c"), b"c")
        loop.add_reader(ours, answer)
        assert await committed == commits_first
        await write


async def test_what_gathers_in_the_journal_is_copied_to_sqlite(store: Store) -> None:
    for number in range(FLUSH_ENTRIES):
        await put(store, pod(f"p{number:04d}"))
    await store.between_commits(lambda connection: None)  # whose turn comes after the copying

    assert len(in_sqlite(store.path)) == FLUSH_ENTRIES


async def test_a_large_write_goes_to_sqlite_with_all_that_is_before_it(store: Store) -> None:
    await fill(store, "a")
    await put(store, pod("large"), bytes(1_000_000))

    assert in_sqlite(store.path) == ["a", "large"]
    await put(store, pod("b"))
    assert in_sqlite(store.path) == ["a", "large"]


async def test_a_journal_that_is_full_holds_up_nobody(store: Store, tmp_path: Path) -> None:
    value = bytes(200_000)  # 49 of the 2,048 blocks
    for number in range(60):
        await put(store, pod(f"p{number:02d}"), value)

    killed = Store.open(as_killed(store, tmp_path / "killed"))
    assert len(killed.rows("pods")) == 60
    await killed.close()


async def test_a_slow_disk_is_not_waited_for_on_the_event_loop(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("windlass.apiserver.store.pace.Pace.is_quick", lambda *_: False)
    disk_answers, real = threading.Event(), os.pwrite

    def slow(*arguments: Any) -> int:
        disk_answers.wait()
        return real(*arguments)

    monkeypatch.setattr(os, "pwrite", slow)
    first = store.put(pod("a"), b"")
    await asyncio.sleep(0.01)  # the first is with the thread now
    rest = [store.put(pod("b"), b""), store.put(pod("c"), b"")]
    try:
        async with asyncio.timeout(30):
            await store.between_commits(lambda connection: None)
        assert not first.done()
        assert store.get(pod("a")) is None
        commits = store.commits
    finally:
        disk_answers.set()
    await asyncio.gather(first, *rest)

    assert names(store.rows("pods")) == ["a", "b", "c"]
    assert store.commits == commits + 2, "what gathered meanwhile is one commit"
    assert in_sqlite(store.path) == []


async def test_writes_go_on_while_the_writing_connection_is_busy(store: Store) -> None:
    go_on = threading.Event()
    chore = asyncio.ensure_future(store.between_commits(lambda connection: go_on.wait()))
    await asyncio.sleep(0)
    async with asyncio.timeout(30):
        await fill(store, "a", "b")
    go_on.set()

    await chore
    assert names(store.rows("pods")) == ["a", "b"]


async def test_reading_the_past_within_a_batch_does_not_divide_it(store: Store, tmp_path: Path) -> None:
    await fill(store, "a")
    past, commits = store.revision, store.commits
    await put(store, pod("a"), b"new")
    one = store.put(pod("one"), b"")
    assert [row.value for row in store.rows_at("pods", None, past)] == [b"a"]
    two = store.put(pod("two"), b"")
    await asyncio.gather(one, two)

    assert store.commits == commits + 2


# When the disk refuses


@pytest.mark.parametrize("quick", [True, False])
async def test_a_write_that_the_journal_cannot_take_is_refused_and_the_next_is_not(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quick: bool
) -> None:
    monkeypatch.setattr("windlass.apiserver.store.pace.Pace.is_quick", lambda *_: quick)
    await fill(store, "a")
    failed = store.next_revision
    for code, kind in ((errno.ENOSPC, StorageFull), (errno.EIO, StorageFailed)):
        with monkeypatch.context() as patched:
            patched.setattr(os, "pwrite", _failing(code))
            refused = [store.put(pod("a"), b"lost"), store.put(pod("b"), b"lost")]
            outcomes = await asyncio.gather(*refused, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [kind, kind]
        assert not store.healthy
        assert [row.value for row in store.rows("pods")] == [b"a"]
        await put(store, pod("a"), b"a")
        assert store.healthy

    assert store.revision > failed + 1
    killed = Store.open(as_killed(store, tmp_path / "killed"))
    assert [(row.key[2], row.value) for row in killed.rows("pods")] == [("a", b"a")]
    await killed.close()


def _failing(code: int) -> Any:
    def fail(*_: object) -> int:
        raise OSError(code, os.strerror(code))

    return fail


async def test_a_refused_record_that_reached_the_disk_does_not_come_back(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(store, "a")
    real = os.pwrite

    def land_and_fail(*arguments: Any) -> int:
        real(*arguments)
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(os, "pwrite", land_and_fail)
        with pytest.raises(StorageFailed):
            await put(store, pod("ghost"))
    await store.between_commits(lambda connection: None)
    await put(store, pod("b"))
    await put(store, pod("c"))

    killed = Store.open(as_killed(store, tmp_path / "killed"))
    assert names(killed.rows("pods")) == ["a", "b", "c"]
    await killed.close()


async def test_a_data_file_that_cannot_take_the_journal_refuses_the_next_write_and_loses_none(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(store, "a")
    past = store.revision
    await put(store, pod("a"), b"new")
    with monkeypatch.context() as patched:
        patched.setattr(APPEND, full)
        with pytest.raises(StorageFull):
            await store.between_commits(lambda connection: None)
        with pytest.raises(StorageFull):
            store.rows_at("pods", None, past)
        with pytest.raises(StorageFull):
            await put(store, pod("b"))
        assert [row.value for row in store.rows("pods")] == [b"new"]
        killed = Store.open(as_killed(store, tmp_path / "killed"))
        assert [row.value for row in killed.rows("pods")] == [b"new"]
        patched.undo()
        await killed.close()

    await put(store, pod("c"))
    assert [row.value for row in store.rows_at("pods", None, past)] == [b"a"]
    assert names(store.rows("pods")) == ["a", "c"]


async def test_a_copy_to_the_data_file_that_failed_and_was_made_all_the_same_is_made_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def land_and_fail(connection: sqlite3.Connection, **entries: Any) -> None:
        append(connection, **entries)
        raise sqlite3.OperationalError("disk I/O error")

    await fill(store, "a")
    with monkeypatch.context() as patched:
        patched.setattr(APPEND, land_and_fail)
        with pytest.raises(StorageFailed):
            await store.between_commits(lambda connection: None)
    assert in_sqlite(store.path) == ["a"]

    await fill(store, "b")
    assert in_sqlite(store.path) == ["a", "b"]


async def test_a_full_disk_does_not_keep_a_killed_server_from_starting(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(store, "a")
    killed = as_killed(store, tmp_path / "killed")
    with monkeypatch.context() as patched:
        patched.setattr(APPEND, full)
        again = Store.open(killed)
        with pytest.raises(StorageFull):
            await again.use_journal()
        assert names(again.rows("pods")) == ["a"]
        await again.close()

    again = Store.open(killed)
    assert names(again.rows("pods")) == ["a"]
    await again.close()


# Files beside the data file


async def test_a_backup_has_what_only_the_journal_has(store: Store, tmp_path: Path) -> None:
    await fill(store, "a")
    await put(store, pod("large"), bytes(1_000_000))
    await fill(store, "b")
    await store.backup(tmp_path / "copy.db")

    assert in_sqlite(store.path) == ["a", "large"]
    copy = Store.open(tmp_path / "copy.db")
    assert names(copy.rows("pods")) == ["a", "b", "large"]
    await copy.close()


async def test_a_restore_leaves_nothing_of_the_journal(store: Store, tmp_path: Path) -> None:
    await fill(store, "a")
    await store.backup(tmp_path / "copy.db")
    await fill(store, "b")
    killed = as_killed(store, tmp_path / "killed")

    revision = restore(tmp_path / "copy.db", killed)

    assert revision > store.revision
    assert not journal_path(killed).exists()
    restored = Store.open(killed)
    assert names(restored.rows("pods")) == ["a"]
    await restored.close()


async def test_an_older_windlass_refuses_a_file_only_while_it_is_not_complete(tmp_path: Path) -> None:
    def mark(path: Path) -> int:
        with closing(sqlite3.connect(path)) as connection:
            return file.pragma(connection, "user_version")

    store = Store.open(tmp_path / "state.db")
    assert mark(store.path) == file.ALONE
    await store.use_journal()
    await fill(store, "a")
    assert mark(store.path) == file.WITH_JOURNAL
    await store.close()
    assert mark(store.path) == file.ALONE
    assert in_sqlite(store.path) == ["a"]


async def test_a_journal_that_cannot_be_read_is_not_started_without(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(store, "a")
    killed = as_killed(store, tmp_path / "killed")
    journal_path(killed).unlink()
    journal_path(killed).mkdir()

    with pytest.raises(StoreUnusable, match="Is a directory"):
        Store.open(killed)


async def test_a_data_file_put_back_by_hand_is_not_mixed_with_a_later_journal(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state.db")
    await fill(store, "a")
    await store.close()
    shutil.copy(store.path, tmp_path / "monday.db")
    store = Store.open(tmp_path / "state.db")
    await store.use_journal()
    await fill(store, "b")
    killed = as_killed(store, tmp_path / "killed")
    await store.close()

    shutil.copy(tmp_path / "monday.db", killed)
    Path(f"{killed}-wal").unlink()
    again = Store.open(killed)
    assert names(again.rows("pods")) == ["a"]
    await again.close()


ACKNOWLEDGE_TEN = """
import asyncio, os, sys
from pathlib import Path
from windlass.apiserver.store import Store

async def main():
    store = Store.open(Path(sys.argv[1]))
    await store.use_journal()
    for n in range(10):
        await store.put(("pods", "default", f"p{n}"), bytes(3000))
        os.write(1, b"acknowledged")

asyncio.run(main())
"""


def test_the_kernel_has_synced_the_record_before_each_acknowledgement(tmp_path: Path) -> None:
    trace, strace = tmp_path / "trace", shutil.which("strace")
    if strace is None:
        pytest.skip("there is no strace")
    ran = subprocess.run(
        [
            *(strace, "-f", "-o", trace, "-e", "trace=openat,pwrite64,fdatasync,write"),
            *(sys.executable, "-c", ACKNOWLEDGE_TEN, tmp_path / "state.db"),
        ],
        capture_output=True,
    )
    if ran.returncode:
        pytest.skip("this machine does not let strace trace")

    journal, records, acknowledged, synced = "", 0, 0, False
    under_way: dict[str, bool] = {}  # by thread: whether it is writing a record
    for line in trace.read_text().splitlines():
        thread = line.split()[0]
        if opened := re.search(r'openat\(.*\.journal".*O_DSYNC.*\) = (\d+)', line):
            journal = opened[1]
        elif " pwrite64(" in line:
            under_way[thread] = f" pwrite64({journal}, " in line
        if re.search(r"pwrite64.* = 4096$", line) and under_way.get(thread):
            records, synced = records + 1, True
        elif re.search(r"fdatasync.* = 0$", line):  # a disk that is too slow for the loop: SQLite's commit
            synced = True
        elif 'write(1, "acknowledged"' in line:
            assert synced, f"acknowledged before it was synced: {line}"
            acknowledged, synced = acknowledged + 1, False
    assert acknowledged == 10
    assert records > 0
