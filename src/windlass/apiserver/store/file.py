"""The SQLite file that holds everything: one append-only log of changes, and a little metadata.

Every write is a row of `log` whose `rev` is the resource version. An object's current state is the row of its newest
revision; older rows serve lists at an old revision and watches from one, until compaction removes them. So the file is
self-contained, and a crash can only lose a tail that was not acknowledged.

The file is in WAL mode with `synchronous=FULL`: one commit is one fsync of the WAL, and an acknowledged commit survives
a power failure. While a server runs, the newest commits may be in the journal only (`journal.py`).
"""

import fcntl
import logging
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from sys import intern
from typing import IO

from windlass.apiserver.store.errors import StoreCorrupt, StoreInUse, StoreTooNew, StoreUnusable
from windlass.apiserver.store.rows import Row

ALONE, WITH_JOURNAL = 1, 2
"""The format version of a file: it has every commit, or the journal beside it has the newest ones."""
FORMAT = WITH_JOURNAL
APPLICATION_ID = 0x57494E44  # "WIND": distinguishes a data file from any other SQLite file

CREATED, MODIFIED, DELETED = 1, 2, 3

CHECK_SECONDS = 2.0
"""The time limit of the check after an unclean stop. A file of 100,000 objects of 3 KB takes 0.3 s."""

SOME_ROOM = 128 * 1024  # what SQLite needs for its side files

CHECKPOINT_PAGES = 2000  # 16 MB of side file at most before it is folded into the main one

SCHEMA = """
CREATE TABLE log (
    rev INTEGER PRIMARY KEY,
    resource TEXT NOT NULL,
    path TEXT NOT NULL,
    change INTEGER NOT NULL,
    created_rev INTEGER NOT NULL,
    value BLOB NOT NULL
);
CREATE INDEX log_by_path ON log (resource, path, rev, change);
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
"""
# `path` is "namespace/name" in one column, so that the index has Kubernetes' order of keys.

# The subquery runs over the index alone; reading the values in order of revision is reading the file in order.
CURRENT = """
SELECT resource, path, rev, created_rev, value FROM log
WHERE rev IN (SELECT max(rev) FROM log GROUP BY resource, path) AND change <> 3
ORDER BY rev
"""

log = logging.getLogger(__name__)


def connect(path: Path) -> sqlite3.Connection:
    """A connection in autocommit mode."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=160, timeout=10)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
    connection.execute("PRAGMA journal_size_limit = 67108864")
    return connection


def lock(path: Path) -> IO[bytes]:
    """Lock the file against other servers until the result is closed; the lock of a killed server is released."""
    # A file of its own: SQLite loses its own locks when any handle of the data file is closed.
    try:
        handle = path.with_name(path.name + ".lock").open("ab")
    except OSError as error:
        raise unusable(path, error) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        handle.close()
        raise StoreInUse(path) from error
    return handle


def open_file(path: Path) -> sqlite3.Connection:
    """Open the data file: created if missing, and checked if it was not closed properly."""
    try:
        if not path.exists():
            _create(path)
        connection = connect(path)
    except (OSError, sqlite3.OperationalError) as error:
        raise unusable(path, error) from error
    except sqlite3.DatabaseError as error:
        raise StoreCorrupt(path, error) from error
    try:
        check_format(path, connection)
        if not get_meta(connection, "clean"):
            check_integrity(path, connection)
        _mark_unclean(path, connection)
    except BaseException as error:
        connection.close()
        if isinstance(error, sqlite3.OperationalError):
            raise unusable(path, error) from error
        if isinstance(error, sqlite3.DatabaseError):
            raise StoreCorrupt(path, error) from error
        raise
    return connection


def unusable(path: Path, error: Exception) -> StoreUnusable:
    """Explain an SQLite error: SQLite reports `disk I/O error` for a full disk too."""
    try:
        room = shutil.disk_usage(path.parent).free
    except OSError:
        return StoreUnusable(path, f"there is no directory {path.parent}")
    return StoreUnusable(path, "the disk is full" if room < SOME_ROOM else error)


def _mark_unclean(path: Path, connection: sqlite3.Connection) -> None:
    try:
        set_meta(connection, "clean", 0)
    except sqlite3.OperationalError as error:  # a full disk must not keep a server from answering reads
        log.warning("%s cannot be written to (%s): writes will be refused until it can", path, error)


def _create(path: Path) -> None:
    """Create the file under another name first, and rename it: a crash leaves no partial data file."""
    draft = path.with_name(path.name + ".new")
    for leftover in (draft, draft.with_name(draft.name + "-wal"), draft.with_name(draft.name + "-shm")):
        leftover.unlink(missing_ok=True)
    os.close(os.open(draft, os.O_CREAT | os.O_WRONLY, 0o600))  # Secrets are in it; the side files take this mode too
    with closing(connect(draft)) as connection:
        connection.execute("PRAGMA page_size = 8192")
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(SCHEMA)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {ALONE}")
        set_meta(connection, "clean", 1)
    draft.rename(path)
    sync_directory(path.parent)


def sync_directory(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def check_format(path: Path, connection: sqlite3.Connection) -> None:
    if pragma(connection, "application_id") != APPLICATION_ID:
        raise StoreCorrupt(path, "it does not bear the mark of a Windlass data file")
    found = pragma(connection, "user_version")
    if found > FORMAT:
        raise StoreTooNew(path, found, FORMAT)


def check_integrity(path: Path, connection: sqlite3.Connection) -> None:
    deadline = time.monotonic() + CHECK_SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > deadline, 100_000)
    try:
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        log.warning("the check of %s was cut short after %.0f s; no damage found so far", path, CHECK_SECONDS)
        return
    finally:
        connection.set_progress_handler(None, 0)
    if found != "ok":
        raise StoreCorrupt(path, found)


def pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def get_meta(connection: sqlite3.Connection, key: str) -> int:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return int(row[0]) if row else 0


def set_meta(connection: sqlite3.Connection, key: str, value: int) -> None:
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def set_journal(connection: sqlite3.Connection, identity: int) -> None:
    """Record which journal continues this file, 0 for none; within the caller's transaction, if there is one.

    A Windlass without journal support must not open a file that is incomplete without one: hence the format version.
    """
    set_meta(connection, "journal", identity)
    connection.execute(f"PRAGMA user_version = {WITH_JOURNAL if identity else ALONE}")


def newest_revision(connection: sqlite3.Connection) -> int:
    """The highest revision ever acknowledged. Compaction may have removed its row, if that was a deletion."""
    (newest,) = connection.execute("SELECT coalesce(max(rev), 0) FROM log").fetchone()
    return max(int(newest), get_meta(connection, "compacted"))


def current_rows(connection: sqlite3.Connection) -> Iterator[Row]:
    for resource, path, rev, created_rev, value in connection.execute(CURRENT):
        namespace, _, name = path.partition("/")
        yield Row((intern(resource), intern(namespace), name), rev, created_rev, value)
