"""A disk that is full or refuses to write: every write that is lost is told, and all is well once the disk is."""

import asyncio
import os
import resource
import shutil
import sqlite3
import subprocess
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

from tests.apiserver.store.builders import collect, fill, names, pod, put
from windlass.apiserver.store import StorageFailed, StorageFull, Store, StoreUnusable

BIG = bytes(100_000)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = Store.open(tmp_path / "state.db")
    yield opened
    await opened.close()


async def allow_pages(store: Store, pages: int) -> None:
    """SQLite's own limit on the file's size fails exactly as a full disk does."""
    await store.between_commits(lambda connection: connection.execute(f"PRAGMA max_page_count = {pages}").fetchall())


@contextmanager
def no_file_may_grow() -> Iterator[None]:
    """Every write beyond what files have now is an I/O error."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_a_full_disk_is_told_and_recovered_from_without_a_restart(store: Store) -> None:
    await fill(store, "a", "b")
    await allow_pages(store, 1)
    with pytest.raises(StorageFull) as refused:
        await put(store, pod("c"), BIG)
    assert refused.value.status()["code"] == 507

    await allow_pages(store, 1_000_000)
    await put(store, pod("d"), BIG)
    assert names(store.rows("pods")) == ["a", "b", "d"]


async def test_an_io_error_is_told_and_recovered_from_without_a_restart(store: Store) -> None:
    await fill(store, "a")
    with no_file_may_grow():
        with pytest.raises(StorageFailed) as refused:
            await put(store, pod("b"), BIG)
        with pytest.raises(StorageFailed):
            await put(store, pod("c"), BIG)
    assert refused.value.status()["code"] == 500

    await put(store, pod("d"), BIG)
    assert names(store.rows("pods")) == ["a", "d"]


async def test_a_disk_that_turns_read_only_is_told_and_recovered_from(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(store, "a")
    read_only = partial(sqlite3.connect, f"{store.path.as_uri()}?mode=ro", uri=True, isolation_level=None)
    with monkeypatch.context() as patched:
        patched.setattr(store._committer._writer, "_connect", read_only)  # pyright: ignore[reportPrivateUsage] - fakes the kernel
        with no_file_may_grow(), pytest.raises(StorageFailed):
            await put(store, pod("b"), BIG)
        with pytest.raises(StorageFailed, match="readonly"):
            await put(store, pod("c"))

    await put(store, pod("e"))
    assert names(store.rows("pods")) == ["a", "e"]


async def test_what_was_decided_on_top_of_a_failed_write_fails_too(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(store, "a")
    decided = threading.Event()

    def fail_once_decided(connection: sqlite3.Connection, **_: object) -> None:
        decided.wait()
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    with monkeypatch.context() as patched:
        patched.setattr("windlass.apiserver.store.committer.append", fail_once_decided)
        first = store.put(pod("a"), b"first")
        await asyncio.sleep(0.01)  # the first is with the writer now
        on_top = [store.put(pod("a"), b"second"), store.put(pod("b"), b"other")]
        decided.set()
        outcomes = await asyncio.gather(first, *on_top, return_exceptions=True)

    assert [type(outcome) for outcome in outcomes] == [StorageFull] * 3
    assert [row.value for row in store.newest_rows("pods")] == [b"a"]
    await put(store, pod("a"), b"third")
    assert [row.value for row in store.rows("pods")] == [b"third"]


async def test_the_revisions_of_failed_writes_are_not_given_out_again(store: Store) -> None:
    await fill(store, "a")
    watcher = store.watch("pods", since=store.revision)
    await allow_pages(store, 1)
    failed = store.next_revision
    with pytest.raises(StorageFull):
        await put(store, pod("b"), BIG)
    assert store.revision < failed
    await allow_pages(store, 1_000_000)
    written = await put(store, pod("b"), BIG)

    assert written.rev > failed
    assert [change.rev for change in await collect(watcher, 1)] == [written.rev]


async def test_reads_go_on_while_the_disk_is_full(store: Store) -> None:
    await fill(store, "a", "b")
    then = store.revision
    await put(store, pod("a"), b"new")
    await allow_pages(store, 1)
    with pytest.raises(StorageFull):
        await put(store, pod("c"), BIG)

    assert names(store.rows("pods")) == ["a", "b"]
    assert [row.value for row in store.rows_at("pods", None, then)] == [b"a", b"b"]
    await allow_pages(store, 1_000_000)


async def test_a_failed_commit_that_reached_the_disk_after_all_is_taken_back(store: Store) -> None:
    await fill(store, "a")
    written = store.next_revision

    def land_and_fail(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO log VALUES (?, 'pods', 'default/ghost', 1, ?, x'')", (written, written))
        raise sqlite3.OperationalError("disk I/O error")

    with pytest.raises(StorageFailed):
        await store.between_commits(land_and_fail)
    store._committer.unsure, store.next_revision = True, written + 1  # pyright: ignore[reportPrivateUsage] - as after a failed batch
    await put(store, pod("b"))
    await store.close()

    again = Store.open(store.path)
    assert names(again.rows("pods")) == ["a", "b"]
    await again.close()


async def test_a_compaction_that_failed_is_done_by_the_next(store: Store) -> None:
    for value in range(300):
        await put(store, pod("a"), b"%d" % value)
    with no_file_may_grow(), pytest.raises(StorageFailed):
        await store.compact()
    await store.compact()

    rows = await store.between_commits(lambda connection: connection.execute("SELECT count(*) FROM log").fetchone())
    assert rows == (1,)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = (
        os.geteuid() == 0
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=2m", "windlass-test", disk], capture_output=True
        ).returncode
    )
    if not mounted:
        pytest.skip("only root may mount a small disk")
    yield disk
    subprocess.run(["umount", disk], check=True)


async def test_a_real_disk_that_fills_up_refuses_and_recovers(small_disk: Path) -> None:
    store = Store.open(small_disk / "state.db")
    kept: list[str] = []

    async def fill_with_pods() -> None:
        for n in range(100):
            await put(store, pod(f"p{n:03d}"), BIG)
            kept.append(f"p{n:03d}")

    with pytest.raises(StorageFull):
        await fill_with_pods()
    assert names(store.rows("pods")) == kept

    subprocess.run(["mount", "-o", "remount,size=64m", small_disk], check=True)
    await put(store, pod("z"), BIG)
    await store.close()
    again = Store.open(small_disk / "state.db")
    assert names(again.rows("pods")) == [*kept, "z"]
    await again.close()


def fill_up(disk: Path) -> Path:
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as handle, suppress(OSError):
        while handle.write(BIG):
            pass
    return filler


async def test_a_server_that_was_killed_starts_on_a_full_disk_to_answer_reads(small_disk: Path) -> None:
    store = Store.open(small_disk / "state.db")
    await put(store, pod("a"))
    killed = small_disk / "killed.db"
    for side in ("", "-wal", "-shm", ".lock"):
        shutil.copy(f"{store.path}{side}", f"{killed}{side}")
    await store.close()
    filler = fill_up(small_disk)

    full = Store.open(killed)
    assert names(full.rows("pods")) == ["a"]
    with pytest.raises(StorageFull):
        await put(full, pod("b"), BIG)
    filler.unlink()
    await put(full, pod("b"), BIG)
    await full.close()


async def test_a_server_that_cannot_start_because_the_disk_is_full_says_so(small_disk: Path) -> None:
    fill_up(small_disk)

    with pytest.raises(StoreUnusable, match="disk is full"):
        Store.open(small_disk / "state.db")
