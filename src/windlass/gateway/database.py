"""The gateway's SQLite file: users, sessions, tokens, keys. One process serves from it; commands may write meanwhile.

Statements are short and the file is small, so they run on the event loop; `generation` changes with every write of any
process, which is how caches know that they are stale.
"""

import os
import sqlite3
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

Row: TypeAlias = tuple[Any, ...]

SCHEMA_VERSION = 2
REUSE_SECONDS = 0.005
SCHEMA = """
CREATE TABLE users (
    email TEXT PRIMARY KEY, username TEXT NOT NULL, user_id TEXT NOT NULL, password_hash TEXT NOT NULL,
    groups TEXT NOT NULL, source TEXT NOT NULL, is_published INTEGER NOT NULL, created REAL NOT NULL
) STRICT;
CREATE TABLE sessions (
    hash BLOB PRIMARY KEY, name TEXT NOT NULL UNIQUE, email TEXT NOT NULL, created REAL NOT NULL,
    last_used REAL NOT NULL, address TEXT NOT NULL, user_agent TEXT NOT NULL, by_link INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX sessions_of ON sessions (email);
CREATE TABLE access_tokens (
    hash BLOB PRIMARY KEY, email TEXT NOT NULL, name TEXT NOT NULL, scopes TEXT NOT NULL, created REAL NOT NULL,
    expires REAL NOT NULL, UNIQUE (email, name)
) STRICT;
CREATE TABLE codes (
    hash BLOB PRIMARY KEY, client_id TEXT NOT NULL, email TEXT NOT NULL, grant_request TEXT NOT NULL,
    expires REAL NOT NULL
) STRICT;
CREATE TABLE refresh_tokens (
    hash BLOB PRIMARY KEY, client_id TEXT NOT NULL, email TEXT NOT NULL, scope TEXT NOT NULL, expires REAL NOT NULL
) STRICT;
CREATE TABLE signing_keys (kid TEXT PRIMARY KEY, private_key TEXT NOT NULL, created REAL NOT NULL) STRICT;
CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE sign_in_links (hash BLOB PRIMARY KEY, email TEXT NOT NULL, expires REAL NOT NULL) STRICT;
"""
UPGRADES = {1: "ALTER TABLE sessions ADD COLUMN by_link INTEGER NOT NULL DEFAULT 0"}
"""The statement that brings a file of each earlier version to the next one."""


class DatabaseUnavailable(Exception):
    """The file cannot be read or written now: the disk is full, or fails."""


class BadDatabase(Exception):
    """The file cannot be used at all; the message says why and what to do."""


class Database:
    """One connection; for the thread of the event loop."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._own_writes = 0
        self._version, self._asked_at = 0, 0.0
        try:
            self._connection = _open(path)
        except sqlite3.DatabaseError as error:
            raise BadDatabase(f"{path} cannot be used: {error}. Restore it from a backup, or move it away") from error

    def close(self) -> None:
        self._connection.close()

    @property
    def generation(self) -> tuple[int, int]:
        """Differs from what it was before any write, by this process or another.

        Writes of others are noticed after a few milliseconds: a request asks for this several times, and SQLite opens
        the file's index each time.
        """
        now = time.monotonic()
        if now - self._asked_at > REUSE_SECONDS:
            (self._version,) = self.read("PRAGMA data_version")[0]
            self._asked_at = now
        return self._version, self._own_writes

    def read(self, sql: str, *values: object) -> list[Row]:
        with _explained():
            return self._connection.execute(sql, values).fetchall()

    def write(self, sql: str, *values: object) -> int:
        """One statement, kept when it returns; answers how many rows it changed. DatabaseUnavailable if it is not."""
        with _explained():
            changed = self._connection.execute(sql, values).rowcount
        self._own_writes += 1
        return changed

    @contextmanager
    def transaction(self) -> Generator[None]:
        """All writes of the block, or none."""
        with _explained():
            self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            with _explained():
                self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def secret(self, name: str, default: str) -> str:
        """A value kept under a name; `default` is kept at the first call."""
        if not (rows := self.read("SELECT value FROM secrets WHERE name = ?", name)):
            self.write("INSERT OR IGNORE INTO secrets VALUES (?, ?)", name, default)
            rows = self.read("SELECT value FROM secrets WHERE name = ?", name)
        return str(rows[0][0])

    def replace_secret(self, name: str, value: str) -> None:
        self.write("INSERT OR REPLACE INTO secrets VALUES (?, ?)", name, value)


def _open(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))  # before SQLite would, with the umask's mode
    connection = sqlite3.connect(path, isolation_level=None, timeout=5.0)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("BEGIN IMMEDIATE")  # a command and the gateway may both be the first
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == 0:
        for statement in SCHEMA.split(";"):
            connection.execute(statement)
    for earlier in range(version or SCHEMA_VERSION, SCHEMA_VERSION):
        connection.execute(UPGRADES[earlier])
    if version < SCHEMA_VERSION:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    connection.execute("COMMIT")
    if version > SCHEMA_VERSION:
        raise BadDatabase(f"{path} was written by a newer Windlass. Upgrade this one, or choose another --data-dir")
    return connection


@contextmanager
def _explained() -> Generator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        raise DatabaseUnavailable(f"the gateway's database: {error}") from error
