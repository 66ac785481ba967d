"""The SQLite store keeps the contract, with memory for recent changes and without any, and survives a restart."""

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.apiserver.store.builders import collect, fill, names, pod, put, told
from tests.apiserver.store.contract import StoreContract
from windlass.apiserver.store import (
    Compacted,
    StorageFailed,
    Store,
    StoreCorrupt,
    StoreError,
    StoreInUse,
    StoreTooNew,
    StoreUnusable,
    file,
    restore,
)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = Store.open(tmp_path / "state.db")
    yield opened
    await opened.close()


class TestStore(StoreContract):
    """As it is used."""


class TestStoreThatRemembersNothing(StoreContract):
    """Every list and watch of the past is read from the file."""

    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[Store]:
        opened = Store.open(tmp_path / "state.db", recent=0)
        yield opened
        await opened.close()


class TestStoreWithJournal(StoreContract):
    """As a server uses it: small commits are in the journal first."""

    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[Store]:
        opened = Store.open(tmp_path / "state.db")
        await opened.use_journal()
        yield opened
        await opened.close()


class TestStoreWithJournalOnASlowDisk(StoreContract):
    """The journal is written by a thread."""

    @pytest.fixture
    async def store(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Store]:
        monkeypatch.setattr("windlass.apiserver.store.pace.Pace.is_quick", lambda *_: False)
        opened = Store.open(tmp_path / "state.db")
        await opened.use_journal()
        yield opened
        await opened.close()


class TestStoreWithJournalThatRemembersNothing(StoreContract):
    """Every list and watch of the past needs what the journal has not yet handed on."""

    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[Store]:
        opened = Store.open(tmp_path / "state.db", recent=0)
        await opened.use_journal()
        yield opened
        await opened.close()


class TestStoreThatWasUsedBefore(StoreContract):
    """Other objects came and went, the server was restarted, and revisions go on from there."""

    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[Store]:
        former = Store.open(tmp_path / "state.db")
        await put(former, ("leases", "kube-system", "x"))
        await former.delete(("leases", "kube-system", "x"), b"")
        await former.close()
        opened = Store.open(tmp_path / "state.db")
        yield opened
        await opened.close()


async def restarted(store: Store) -> Store:
    await store.close()
    return Store.open(store.path)


async def test_a_restart_finds_everything(store: Store) -> None:
    await fill(store, "a", "b", "c")
    await put(store, pod("a"), b"new")
    await store.delete(pod("b"), b"end")
    before = [(row.key, row.rev, row.created_rev, row.value) for row in store.rows("pods")]
    revision = store.revision

    again = await restarted(store)
    assert [(row.key, row.rev, row.created_rev, row.value) for row in again.rows("pods")] == before
    assert (again.revision, again.next_revision) == (revision, revision + 1)
    await again.close()


async def test_after_a_restart_a_list_at_an_older_revision_still_has_what_was_deleted_since(store: Store) -> None:
    await fill(store, "a", "b")
    then = store.revision
    await store.delete(pod("b"), b"end")

    again = await restarted(store)
    assert names(again.rows_at("pods", None, then)) == ["a", "b"]
    await again.close()


async def test_after_a_restart_a_watch_goes_on_from_before_it(store: Store) -> None:
    start = store.revision
    await fill(store, *(f"p{n:04d}" for n in range(1200)))  # more than one piece of history
    await store.delete(pod("p0003"), b"end")

    again = await restarted(store)
    watcher = again.watch("pods", since=start)
    assert watcher.revision == start
    live = again.put(pod("new"), b"")
    seen = await collect(watcher, 1202)
    await live
    assert [change.rev for change in seen] == list(range(start + 1, start + 1203))
    assert told(seen)[-2:] == [("DELETED", "p0003", start + 1201), ("ADDED", "new", start + 1202)]
    await again.close()


async def test_a_watch_that_is_overtaken_by_compaction_says_so(store: Store) -> None:
    start = store.revision
    await fill(store, *(f"p{n:04d}" for n in range(1200)))

    again = await restarted(store)
    watcher = again.watch("pods", since=start)
    await anext(watcher)
    await again.compact()
    with pytest.raises(Compacted):
        await collect(watcher, 1200)
    assert again.watchers() == 0
    await again.close()


async def test_revisions_do_not_go_back_when_the_newest_one_is_compacted_away(store: Store) -> None:
    await put(store, pod("a"))
    gone = await store.delete(pod("a"), b"end")
    await store.compact()

    again = await restarted(store)
    assert again.revision == gone.rev
    assert (await put(again, pod("a"))).rev == gone.rev + 1
    await again.close()


async def test_compaction_leaves_one_row_for_each_object(store: Store) -> None:
    for value in range(300):
        await asyncio.gather(store.put(pod("a"), b"%d" % value), store.put(pod(f"once-{value}"), b""))
        await store.delete(pod(f"once-{value}"), b"")
    await store.compact()

    kept = await store.between_commits(lambda connection: connection.execute("SELECT path FROM log").fetchall())
    assert kept == [("default/a",)]


async def test_compaction_gives_space_back(store: Store) -> None:
    big = bytes(200_000)
    for _ in range(150):
        await put(store, pod("a"), big)
    await store.compact()
    await store.close()

    assert store.path.stat().st_size < 15_000_000


async def test_writes_go_on_during_compaction(store: Store) -> None:
    await asyncio.gather(*[store.put(pod("a"), b"%d" % value) for value in range(3000)])
    compacting = asyncio.create_task(store.compact())
    commits = store.commits
    while not compacting.done():
        await put(store, pod("b"))

    assert store.commits - commits > 5
    await compacting


async def test_writes_without_an_await_between_them_are_one_transaction(store: Store) -> None:
    commits = store.commits
    await asyncio.gather(*[store.put(pod(f"p{n}"), b"") for n in range(200)])

    assert store.commits == commits + 1


async def test_writes_gather_while_a_commit_is_under_way(store: Store) -> None:
    async def writer(name: str) -> None:
        for _ in range(20):
            await put(store, pod(name))

    await asyncio.gather(*[writer(f"w{n}") for n in range(20)])

    assert store.commits < 200


async def test_a_reader_that_is_too_slow_is_let_go_and_can_resume(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state.db", watcher_queue=10)
    watcher = store.watch("pods", since=store.revision)
    await put(store, pod("first"))
    seen = await collect(watcher, 1)
    for n in range(20):
        await put(store, pod(f"p{n}"))

    with pytest.raises(StopAsyncIteration):
        await anext(watcher)
    assert watcher.lagged
    assert watcher.revision == seen[-1].rev
    resumed = await collect(store.watch("pods", since=seen[-1].rev), 20)
    assert [change.key[2] for change in resumed] == [f"p{n}" for n in range(20)]
    await store.close()


async def test_memory_of_recent_changes_is_bounded_and_what_it_lost_is_read_from_the_file(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state.db", recent=100, recent_bytes=1000)
    start = store.revision
    for n in range(40):
        await asyncio.gather(store.put(pod(f"p{n}"), bytes(100)), store.put(("nodes", "", f"n{n}"), b""))

    seen = await collect(store.watch("pods", since=start), 40)
    assert [change.key[2] for change in seen] == [f"p{n}" for n in range(40)]
    await store.close()


async def test_closing_keeps_what_was_accepted(store: Store) -> None:
    accepted = [store.put(pod(f"p{n}"), b"") for n in range(5)]
    again = await restarted(store)

    assert all(future.done() for future in accepted)
    assert again.count("pods") == 5
    with pytest.raises(StorageFailed):
        store.put(pod("late"), b"")
    await again.close()


async def test_closing_ends_the_watches(store: Store) -> None:
    watcher = store.watch("pods", since=store.revision)
    await store.close()

    with pytest.raises(StopAsyncIteration):
        await anext(watcher)


async def test_two_servers_cannot_open_one_file(store: Store) -> None:
    with pytest.raises(StoreInUse, match="in use by another server"):
        Store.open(store.path)


async def test_a_file_of_a_newer_format_is_refused(store: Store) -> None:
    await store.close()
    with closing(sqlite3.connect(store.path)) as connection:
        connection.execute(f"PRAGMA user_version = {file.FORMAT + 1}")

    with pytest.raises(StoreTooNew, match=f"format {file.FORMAT + 1}"):
        Store.open(store.path)


@pytest.mark.parametrize("content", [b"this is not a database, but it is long enough to be taken for one" * 200, b"x"])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "state.db"
    path.write_bytes(content)

    with pytest.raises(StoreCorrupt, match="windlass restore"):
        Store.open(path)


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "state.db")) as connection:
        connection.execute("CREATE TABLE songs (title)")

    with pytest.raises(StoreCorrupt, match="mark of a Windlass data file"):
        Store.open(tmp_path / "state.db")


async def test_damage_is_found_after_an_unclean_stop(store: Store, tmp_path: Path) -> None:
    await asyncio.gather(*[store.put(pod(f"p{n}"), bytes(3000)) for n in range(300)])
    await store.close()
    damaged = tmp_path / "damaged.db"
    content = bytearray(store.path.read_bytes())
    for page in range(3, 60):
        content[page * 8192 : page * 8192 + 2000] = b"\xa5" * 2000
    damaged.write_bytes(content)

    with pytest.raises(StoreCorrupt, match=r"windlass restore"):
        Store.open(damaged)


async def test_a_stop_that_was_not_clean_is_followed_by_a_check_and_a_clean_one_is_not(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[Path] = []
    monkeypatch.setattr(file, "check_integrity", lambda path, connection: checked.append(path))
    await put(store, pod("a"))
    crashed = tmp_path / "crashed.db"
    for side in ("", "-wal"):
        shutil.copy(f"{store.path}{side}", f"{crashed}{side}")
    await (await restarted(store)).close()
    assert checked == []

    await Store.open(crashed).close()
    assert checked == [crashed]


def test_a_directory_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable, match="--data-dir"):
        Store.open(tmp_path / "nowhere" / "state.db")


async def test_only_the_user_can_read_the_file(store: Store) -> None:
    await put(store, pod("a"))

    assert {path.stat().st_mode & 0o077 for path in store.path.parent.glob("state.db*") if path.suffix != ".lock"} == {
        0
    }


async def test_labels_are_decoded_once_when_asked_for(store: Store) -> None:
    row = await put(store, pod("a"), b'{"metadata":{"name":"a","labels":{"app":"web"}},"spec":{"x":[1,2]}}')
    bare = await put(store, pod("b"), b'{"metadata":{"name":"b","labels":null}}')

    assert row.labels == {"app": "web"}
    assert row.labels is row.labels
    assert bare.labels == {}


async def test_a_backup_is_taken_under_load_and_is_consistent(store: Store, tmp_path: Path) -> None:
    stop = asyncio.Event()

    async def pairs() -> None:
        n = 0
        while not stop.is_set():
            await asyncio.gather(store.put(pod("one"), b"%d" % n), store.put(pod("two"), b"%d" % n))
            n += 1

    writing = asyncio.create_task(pairs())
    while store.commits < 20:
        await asyncio.sleep(0)
    await store.backup(tmp_path / "copy.db")
    stop.set()
    await writing

    copy = Store.open(tmp_path / "copy.db")
    one, two = copy.rows("pods")
    assert one.value == two.value
    assert copy.path.stat().st_mode & 0o077 == 0
    await copy.close()


async def test_a_restore_brings_the_objects_back_at_a_revision_nobody_has_seen(store: Store, tmp_path: Path) -> None:
    await fill(store, "a", "b", "gone")
    await put(store, pod("a"), b"2")
    await store.delete(pod("gone"), b"")
    await store.backup(tmp_path / "copy.db")
    backed_up = store.revision
    await put(store, pod("after"))
    seen = store.revision
    await store.close()

    revision = restore(tmp_path / "copy.db", store.path)
    again = Store.open(store.path)
    assert [(row.key[2], row.value) for row in again.rows("pods")] == [("a", b"2"), ("b", b"b")]
    assert again.revision == revision > seen
    with pytest.raises(Compacted):
        again.watch("pods", since=backed_up)
    watcher = again.watch("pods", since=again.revision)
    await again.delete(pod("b"), b"end")
    assert (await collect(watcher, 1))[0].previous is not None
    await again.close()


async def test_a_restore_refuses_a_running_servers_file_and_a_bad_backup(store: Store, tmp_path: Path) -> None:
    await store.backup(tmp_path / "copy.db")
    with pytest.raises(StoreInUse):
        restore(tmp_path / "copy.db", store.path)
    with pytest.raises(StoreError, match="no backup"):
        restore(tmp_path / "missing.db", tmp_path / "new.db")
    (tmp_path / "bad.db").write_bytes(b"no database" * 1000)
    with pytest.raises(StoreCorrupt):
        restore(tmp_path / "bad.db", tmp_path / "new.db")
    assert not (tmp_path / "new.db").exists()


async def test_a_nudge_lets_a_reader_go_on_without_a_change_and_loses_none(store: Store) -> None:
    watcher = store.watch("pods", since=store.revision)

    watcher.nudge()
    assert not await anext(watcher)
    waiting = asyncio.ensure_future(anext(watcher))
    await asyncio.sleep(0)
    watcher.nudge()
    assert not await waiting
    row = await store.put(("pods", "a", "one"), b'{"metadata":{}}')
    assert [change.rev for change in await anext(watcher)] == [row.rev]
    watcher.close()


async def test_a_writer_goes_on_before_watchers_are_told_and_no_bookmark_runs_ahead_of_them(store: Store) -> None:
    early = store.watch("pods", since=store.revision)
    row = await store.put(("pods", "a", "one"), b'{"metadata":{}}')
    late = store.watch("pods", since=row.rev - 1)

    assert early.revision < row.rev
    assert late.revision < row.rev
    for watcher in (early, late):
        assert [change.rev for change in await anext(watcher)] == [row.rev]
        assert watcher.revision == row.rev
        assert not watcher.take()
        watcher.close()


async def test_a_list_that_is_taken_directly_does_not_wake_the_reader(store: Store) -> None:
    watcher = store.watch("pods", since=store.revision)
    taken: list[int] = []
    watcher.direct = lambda changes: len(taken) < 2 and not taken.extend(change.rev for change in changes)
    reader = asyncio.ensure_future(anext(watcher))
    rows = [await store.put(("pods", "a", f"p{n}"), b'{"metadata":{}}') for n in range(3)]

    assert [change.rev for change in await reader] == [rows[2].rev]
    assert taken == [rows[0].rev, rows[1].rev]
    watcher.close()
