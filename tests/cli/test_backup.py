"""A backup is of one moment, taken while others write; a restore happens whole or not at all."""

import asyncio
import sqlite3
import stat
import tarfile
import threading
from collections.abc import Iterable
from contextlib import closing
from itertools import chain, count
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.supervisor.builders import a_data_dir, a_lock
from tests.support import eventually
from windlass.apiserver.store import Store
from windlass.apiserver.store import restore as restore_store
from windlass.apiserver.store.file import current_rows, newest_revision
from windlass.cli.main import cli
from windlass.supervisor.backup import dated_name, prune_backups, surplus_backups, write_backup
from windlass.supervisor.datadir import DataDir
from windlass.supervisor.restore import extract, finish_restore, unpack


def a_store(data: DataDir, *names: str, until: threading.Event | None = None) -> None:
    """Write each name; then numbers, for as long as `until` is not set."""
    data.pki.mkdir(exist_ok=True)
    (data.pki / "ca.key").write_text("the key")
    asyncio.run(fill(data, chain(names, map(str, count()) if until else ()), until))


async def fill(data: DataDir, names: Iterable[str], until: threading.Event | None) -> None:
    store = Store.open(data.store)
    for name in names:
        await store.put(("things", "", name), b"{}")
        if until and until.is_set():
            break
    await store.close()


def names(data: DataDir) -> list[str]:
    with closing(sqlite3.connect(data.store)) as database:
        return [row.key[2] for row in current_rows(database)]


def run(*argv: str) -> Result:
    return CliRunner().invoke(cli, argv)


@pytest.fixture
def full(tmp_path: Path) -> DataDir:
    data = a_data_dir(tmp_path)
    a_store(data, "a", "b")
    return data


@pytest.fixture
def empty(tmp_path: Path) -> DataDir:
    return a_data_dir(tmp_path / "other")


def test_what_was_backed_up_comes_back(full: DataDir, empty: DataDir, tmp_path: Path) -> None:
    file = tmp_path / "b.tar"
    taken = run("backup", str(file), "--data-dir", str(full.root))
    restored = run("restore", str(file), "--data-dir", str(empty.root))

    assert (taken.exit_code, restored.exit_code) == (0, 0), taken.output + restored.output
    assert names(empty) == ["a", "b"]
    assert (empty.pki / "ca.key").read_text() == "the key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_backup_under_writes_holds_a_prefix_of_them(full: DataDir, empty: DataDir, tmp_path: Path) -> None:
    stop = threading.Event()
    writer = threading.Thread(target=a_store, args=(full,), kwargs={"until": stop})
    writer.start()
    try:
        eventually(lambda: len(names(full)) > 2, 60, "the writer writes")
        for number in range(5):
            write_backup(full, tmp_path / f"{number}.tar")
    finally:
        stop.set()
        writer.join()
    unpack(tmp_path / "4.tar", empty)
    finish_restore(empty)

    assert len(names(empty)) > 2
    assert names(empty) == names(full)[: len(names(empty))]


def test_a_restore_over_objects_must_be_forced(full: DataDir, empty: DataDir, tmp_path: Path) -> None:
    file = tmp_path / "b.tar"
    write_backup(full, file)
    a_store(empty, "precious")
    refused = run("restore", str(file), "--data-dir", str(empty.root))
    kept = names(empty)
    forced = run("restore", str(file), "--data-dir", str(empty.root), "--force")

    assert (refused.exit_code, kept) == (1, ["precious"])
    assert "already has objects. Replace them with --force" in refused.output
    assert (forced.exit_code, names(empty)) == (0, ["a", "b"])


def test_a_restore_on_a_running_windlass_is_refused(full: DataDir, empty: DataDir, tmp_path: Path) -> None:
    write_backup(full, tmp_path / "b.tar")
    lock = a_lock(empty)
    refused = run("restore", str(tmp_path / "b.tar"), "--data-dir", str(empty.root))
    lock.release()

    assert refused.exit_code == 1
    assert "Stop it first: windlass down" in refused.output


def test_a_restore_cut_short_goes_on_at_the_next_start(full: DataDir, empty: DataDir, tmp_path: Path) -> None:
    write_backup(full, tmp_path / "b.tar")
    a_store(empty, "old")
    unpack(tmp_path / "b.tar", empty)
    restore_store(empty.pending_restore / "store.db", empty.store)  # and killed right after its first step
    finish_restore(empty)

    assert names(empty) == ["a", "b"]
    assert (empty.pki / "ca.key").read_text() == "the key"
    assert not empty.pending_restore.exists()


@pytest.mark.parametrize("damage", ["not a tar", "truncated", "foreign tar", "newer", "broken store", "missing"])
def test_what_is_no_whole_backup_changes_nothing(damage: str, full: DataDir, empty: DataDir, tmp_path: Path) -> None:
    file = tmp_path / "b.tar"
    write_backup(full, file)
    spoil(file, damage)
    a_store(empty, "old")
    refused = run("restore", str(file), "--data-dir", str(empty.root), "--force")

    assert refused.exit_code == 1
    assert refused.output.startswith("error: ")
    assert "Traceback" not in refused.output
    assert names(empty) == ["old"]
    assert not list(empty.root.glob("restore.*"))


def spoil(file: Path, damage: str) -> None:
    if damage == "not a tar":
        file.write_bytes(b"hello")
    elif damage == "truncated":
        file.write_bytes(file.read_bytes()[:5000])
    elif damage == "missing":
        file.unlink()
    else:
        folder = file.parent / "spoiled"
        with tarfile.open(file) as tar:
            tar.extractall(folder, filter="data")
        if damage == "foreign tar":
            (folder / "backup.json").unlink()
        elif damage == "newer":
            (folder / "backup.json").write_text('{"windlass": "9.0", "layout": 9, "taken": 0}')
        else:
            (folder / "store.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 4096)
        with tarfile.open(file, "w") as tar:
            for path in folder.iterdir():
                tar.add(path, path.name)


def test_a_backup_does_not_replace_a_file_unless_forced(full: DataDir, tmp_path: Path) -> None:
    file = tmp_path / "b.tar"
    file.write_text("mine")
    refused = run("backup", str(file), "--data-dir", str(full.root))
    forced = run("backup", str(file), "--data-dir", str(full.root), "--force")

    assert (refused.exit_code, forced.exit_code) == (1, 0)
    assert tarfile.is_tarfile(file)


def test_a_backup_of_nothing_or_to_nowhere_says_so(full: DataDir, empty: DataDir, tmp_path: Path) -> None:
    nothing = run("backup", str(tmp_path / "b.tar"), "--data-dir", str(empty.root))
    nowhere = run("backup", str(tmp_path / "no" / "b.tar"), "--data-dir", str(full.root))

    assert "there is nothing to back up" in nothing.output
    assert "cannot write" in nowhere.output
    assert (nothing.exit_code, nowhere.exit_code) == (1, 1)


def test_resource_versions_go_on_from_beyond_those_that_were_lost(full: DataDir, tmp_path: Path) -> None:
    file = tmp_path / "b.tar"
    write_backup(full, file)
    a_store(full, "c")
    with closing(sqlite3.connect(full.store)) as database:
        seen = newest_revision(database)
    run("restore", str(file), "--data-dir", str(full.root), "--force")

    with closing(sqlite3.connect(full.store)) as database:
        assert newest_revision(database) > seen
    assert names(full) == ["a", "b"]


@pytest.mark.parametrize("name", ["/tmp/x", "../x", "pki/../../x", "link"])
def test_what_leads_out_of_a_backup_is_not_unpacked(name: str, tmp_path: Path) -> None:
    member = tarfile.TarInfo(name)
    if name == "link":
        member.type, member.linkname = tarfile.SYMTYPE, "/etc"
    with tarfile.open(tmp_path / "bad.tar", "w") as tar:
        tar.addfile(member)

    with tarfile.open(tmp_path / "bad.tar") as tar, pytest.raises(tarfile.ExtractError, match="must not be"):
        extract(tar, tmp_path / "here")
    assert not (tmp_path / "here").exists()


def test_the_history_of_pipelines_is_in_the_backup(full: DataDir, empty: DataDir, tmp_path: Path) -> None:
    full.pipelines.parent.mkdir(mode=0o700)
    with closing(sqlite3.connect(full.pipelines)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE runs (name TEXT)")
        database.execute("INSERT INTO runs VALUES ('first')")
        database.commit()
        write_backup(full, tmp_path / "backup.tar")

    unpack(tmp_path / "backup.tar", empty)
    finish_restore(empty)

    with closing(sqlite3.connect(empty.pipelines)) as database:
        assert database.execute("SELECT name FROM runs").fetchall() == [("first",)]
    assert stat.S_IMODE(empty.pipelines.stat().st_mode) == 0o600


@pytest.mark.parametrize(("keep", "gone"), [(0, ""), (1, "ab"), (2, "a"), (3, ""), (9, "")])
def test_the_newest_dated_backups_are_kept(keep: int, gone: str) -> None:
    dated = {letter: dated_name(day * 86_400.0) for day, letter in enumerate("abc", start=20_000)}

    assert surplus_backups(["mine.tar", "windlass-.tar", *dated.values()], keep) == [dated[letter] for letter in gone]


def test_pruning_deletes_surplus_backups_and_nothing_else(full: DataDir) -> None:
    full.backups.mkdir()
    names = ["windlass-20250101T000000Z.tar", "windlass-20250102T000000Z.tar", "mine.tar"]
    for name in names:
        (full.backups / name).touch()

    deleted = prune_backups(full, 1)

    assert [file.name for file in deleted] == names[:1]
    assert sorted(file.name for file in full.backups.iterdir()) == ["mine.tar", "windlass-20250102T000000Z.tar"]
