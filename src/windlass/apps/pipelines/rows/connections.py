"""Connections to the database, and the threads that use them.

Calls run in a few threads: a commit waits for the disk, and the event loop must not. On SQLite a transaction that
writes takes the lock when it begins, so that two processes wait for each other instead of failing halfway.
"""

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy
from sqlalchemy import Connection, Engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, OperationalError

from windlass.apps.pipelines.rows.errors import DatabaseError

T = TypeVar("T")
THREADS = 4
BUSY_TIMEOUT_SECONDS = 30.0
MAX_ATTEMPTS = 10
"""Of a transaction that the server ends because of a deadlock."""
MARIADB_DEADLOCKS, POSTGRESQL_DEADLOCKS = frozenset({1205, 1213}), frozenset({"40001", "40P01"})
DRIVERS = {"postgresql": "postgresql+psycopg", "mysql": "mysql+pymysql", "mariadb": "mariadb+pymysql"}


class Connections:
    """Runs functions on a connection, each in one transaction and one thread."""

    def __init__(self, url: str) -> None:
        self.engine = create_engine(url)
        self.threads = ThreadPoolExecutor(THREADS, thread_name_prefix="pipelines-database")

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await self._run(work, write=False)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in a transaction that is durable when this returns, and undone if `work` raises."""
        return await self._run(work, write=True)

    async def _run(self, work: Callable[[Connection], T], *, write: bool) -> T:
        return await asyncio.get_running_loop().run_in_executor(self.threads, self.transaction, work, write)

    def transaction(self, work: Callable[[Connection], T], write: bool) -> T:
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                with self.engine.connect() as connection:
                    connection = connection.execution_options(windlass_write=write)
                    with connection.begin():
                        return work(connection)
            except (OperationalError, InterfaceError) as error:
                if attempt == MAX_ATTEMPTS or not is_deadlock(error):
                    raise DatabaseError(f"the database of pipelines cannot be used: {error.orig}") from error
        raise AssertionError("unreachable")

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self.threads, self.engine.dispose)
        self.threads.shutdown()


def is_deadlock(error: DBAPIError) -> bool:
    """Whether the server ended one of two transactions that waited for each other: it may simply be repeated."""
    code = error.orig.args[0] if error.orig is not None and error.orig.args else None
    return code in MARIADB_DEADLOCKS or getattr(error.orig, "sqlstate", None) in POSTGRESQL_DEADLOCKS


def create_engine(url: str) -> Engine:
    """An engine for a URL such as sqlite:////path/pipelines.db, postgresql://user@host/name or mysql://…"""
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise DatabaseError("the URL of the database of pipelines cannot be read") from error
    if parsed.get_backend_name() == "sqlite":
        return sqlite_engine(parsed)
    if parsed.drivername not in DRIVERS:
        raise DatabaseError(
            f"the database of pipelines cannot be {parsed.drivername}: use {', '.join(DRIVERS)} or sqlite"
        )
    parsed = parsed.set(drivername=DRIVERS[parsed.drivername])
    return sqlalchemy.create_engine(parsed, pool_size=THREADS, max_overflow=0, pool_pre_ping=True)


def sqlite_engine(url: URL) -> Engine:
    if not url.database or url.database == ":memory:":
        raise DatabaseError("the database of pipelines needs a file: sqlite:////path/pipelines.db")
    create_private(Path(url.database))
    engine = sqlalchemy.create_engine(
        url,
        pool_size=THREADS,
        max_overflow=0,
        connect_args={"timeout": BUSY_TIMEOUT_SECONDS, "check_same_thread": False, "isolation_level": None},
    )
    event.listen(engine, "connect", prepare_sqlite)
    event.listen(engine, "begin", begin_sqlite)
    return engine


def create_private(path: Path) -> None:
    """Create the file for its owner alone; SQLite gives its journal the same mode."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise DatabaseError(f"the database of pipelines cannot be opened: {error}") from error


def prepare_sqlite(connection: Any, record: Any) -> None:
    use_wal(connection)
    for setting in ("synchronous=FULL", "foreign_keys=ON", "cache_size=-4096"):
        connection.execute(f"PRAGMA {setting}").close()


def use_wal(connection: Any) -> None:
    """SQLite does not wait while another process changes the journal of a new file: try again until it is done."""
    deadline = time.monotonic() + BUSY_TIMEOUT_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL").close()
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def begin_sqlite(connection: Connection) -> None:
    is_write = connection.get_execution_options().get("windlass_write", True)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_write else "BEGIN")


def lock_row(connection: Connection) -> bool:
    """Whether a read that precedes a write must lock its row: SQLite has locked the whole file already."""
    return connection.dialect.name != "sqlite"
