"""Copies of the data file: created while a server writes, and restored while none runs.

A restored store starts at a revision that is higher than any that a client can have seen, and reports everything before
as compacted. So watchers and caches from before the restore notice, and list again.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from windlass.apiserver.store import file, journal
from windlass.apiserver.store.commit import append
from windlass.apiserver.store.errors import StoreCorrupt, StoreError

REVISION_LEAP = 1_000_000
"""The revision increment of a restore: more than the number of writes between the backup and the loss."""


def copy_to(source: Path, target: Path) -> None:
    """Create a consistent copy in a single file that only the user can read; `target` is created atomically."""
    draft = target.with_name(target.name + ".part")
    try:
        draft.unlink(missing_ok=True)
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        newest = journal.read(source)  # before SQLite: what leaves the journal after this is in SQLite by then
        with closing(sqlite3.connect(source, timeout=10)) as origin, closing(file.connect(draft)) as copy:
            origin.backup(copy)  # in one step, hence one snapshot; writers continue meanwhile
            _complete(copy, newest)
            copy.execute("PRAGMA journal_mode = DELETE").fetchall()
        _sync(draft)
        draft.replace(target)
        file.sync_directory(target.parent)
    except (OSError, sqlite3.OperationalError) as error:
        draft.unlink(missing_ok=True)
        raise StoreError(f"cannot write the backup {target}: {error}") from error


def _complete(copy: sqlite3.Connection, newest: bytes) -> None:
    """Add the commits that only the journal has, so that the copy is complete without it."""
    entries = journal.entries_after(newest, file.get_meta(copy, "journal"), file.newest_revision(copy))
    if entries:
        append(copy, entries, None)
    file.set_journal(copy, 0)


def restore(backup: Path, path: Path) -> int:
    """Replace the data file at `path`, which no server may have open, by the backup; returns the new revision."""
    with file.lock(path):
        known = _revision_of(path)
        draft = path.with_name(path.name + ".restoring")
        draft.unlink(missing_ok=True)
        try:
            copy_to(_checked(backup), draft)
            revision = _leap(draft, known)
            for side in ("-wal", "-shm", ".journal"):  # of the old file: they would be applied to the new one
                path.with_name(path.name + side).unlink(missing_ok=True)
            draft.replace(path)
            file.sync_directory(path.parent)
        except (OSError, sqlite3.OperationalError) as error:
            raise file.unusable(path, error) from error
        finally:
            draft.unlink(missing_ok=True)
    return revision


def _checked(backup: Path) -> Path:
    if not backup.exists():
        raise StoreError(f"there is no backup {backup}")
    try:
        with closing(sqlite3.connect(backup)) as connection:
            file.check_format(backup, connection)
            (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        raise StoreCorrupt(backup, error) from error
    if found != "ok":
        raise StoreCorrupt(backup, found)
    return backup


def _revision_of(path: Path) -> int:
    """The newest revision of the file that is about to be replaced; 0 if it cannot be read."""
    if not path.exists():
        return 0
    try:
        with closing(sqlite3.connect(path)) as connection:
            flushed = file.newest_revision(connection)
            entries = journal.entries_after(journal.read(path), file.get_meta(connection, "journal"), flushed)
            return entries[-1][0] if entries else flushed
    except (sqlite3.Error, OSError):
        return 0


def _leap(path: Path, known: int) -> int:
    with closing(file.connect(path)) as connection:
        revision = max(file.newest_revision(connection), known) + REVISION_LEAP
        connection.execute("BEGIN IMMEDIATE")
        # What compaction would look at lies behind the leap, so what it would remove goes now.
        connection.execute("DELETE FROM log WHERE rev NOT IN (SELECT max(rev) FROM log GROUP BY resource, path)")
        connection.execute("DELETE FROM log WHERE change = 3")
        file.set_meta(connection, "compacted", revision)
        file.set_meta(connection, "clean", 1)
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
    return revision


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
