"""Makes accepted writes durable, in order: small batches in the journal, all others and all maintenance in SQLite.

    journal     on the event loop where that is quick (`pace.py`), or else on a thread of its own
    SQLite      on the writer's thread: batches that do not fit in the journal, copies of what is in it ("flushes"),
                and chores

Each batch has all writes that accumulated since the previous one began, and none begins before the previous one is
durable, since later decisions may depend on it. A flush or a chore never delays a batch that fits in the journal.
"""

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any, Protocol

from windlass.apiserver.store import file
from windlass.apiserver.store.commit import Entry, append
from windlass.apiserver.store.journal import Journal, create
from windlass.apiserver.store.pace import Pace
from windlass.apiserver.store.rows import Row, path_of
from windlass.apiserver.store.writer import Done, Work, Worker, Writer

FLUSH_USED = 0.25  # of the journal; the rest is for what is written while that much is flushed
FLUSH_ENTRIES = 512

log = logging.getLogger(__name__)


class Write:
    """A write that is accepted and not durable yet."""

    __slots__ = ("change", "future", "row")

    def __init__(self, row: Row, change: int, future: asyncio.Future[Row]) -> None:
        self.row = row
        self.change = change
        self.future = future

    def entry(self) -> Entry:
        row = self.row
        resource, namespace, name = row.key
        return (row.rev, resource, path_of(namespace, name), self.change, row.created_rev, row.value)


class Chore:
    """Work for the writing connection, and the revision up to which SQLite must have everything before it begins."""

    __slots__ = ("future", "needs", "work")

    def __init__(self, work: Work, needs: int, future: asyncio.Future[Any]) -> None:
        self.work = work
        self.needs = needs
        self.future = future


class Observer(Protocol):
    """Receives the result of each batch."""

    def committed(self, batch: list[Write]) -> None: ...
    def refused(self, batch: list[Write], error: Exception) -> None: ...


class Committer:
    """All methods belong to the event loop."""

    def __init__(self, path: Path, observer: Observer, flushed: int, unflushed: list[Entry]) -> None:
        """`flushed`: the newest revision in SQLite. `unflushed`: later writes in the journal of an earlier server."""
        self.unsure = False
        """Whether a failed batch may have reached the disk all the same, and none has been committed since."""
        self._path = path
        self._writer = Writer(partial(file.connect, path))
        self._observer = observer
        self._flushed = flushed
        self._unflushed = unflushed
        self._flush_error: Exception | None = None
        self._pending: list[Write] = []
        self._chores: list[Chore] = []
        self._chore_next = False
        self._committing = False
        self._crowded = False  # whether the last batch was of several writes
        self._held = False
        self._journal: Journal | None = None
        self._journal_writer: Worker | None = None  # made when it is needed: a quick disk never does
        self._pace = Pace()

    def add(self, write: Write, *, yielding: bool = False) -> None:
        """Commit the write together with all others that are added before the caller awaits something.

        `yielding`: let the loop poll its sockets once more before it waits for the disk, for requests that arrived
        meanwhile. A single writer skips that, which takes about 10 µs.
        """
        if not self._pending and not self._committing:
            loop = asyncio.get_running_loop()
            if yielding or self._crowded:
                loop.call_soon(loop.call_soon, self._next)
            else:
                loop.call_soon(self._next)
        self._pending.append(write)

    def run(self, work: Work) -> asyncio.Future[Any]:
        """Run `work` on the writing connection, between commits, once SQLite has all that is durable now."""
        chore = Chore(work, self._durable, asyncio.get_running_loop().create_future())
        self._chores.append(chore)
        self._next()
        return chore.future

    async def use_journal(self) -> None:
        """Write small batches to a journal from now on; not if the disk has little space."""
        if self._journal is None:
            ready = self.run(partial(_new_journal, self._path))
            ready.add_done_callback(self._take_journal)
            await asyncio.shield(ready)

    def _take_journal(self, ready: asyncio.Future[Journal | None]) -> None:
        if not ready.cancelled() and ready.exception() is None:
            self._journal = ready.result()

    def flush_to(self, revision: int) -> None:
        """Copy everything up to `revision` to SQLite at once, for a reader; raises SQLite's errors."""
        if revision <= self._flushed:
            return
        self._held = True  # the caller may be about to add more to what is pending, and all of it is one batch
        try:
            while self._writer.busy:
                self._writer.wait()
            if revision > self._flushed and self._unflushed:
                self._flush(hurry=False)
                self._writer.wait()
                if self._flush_error is not None:
                    raise self._flush_error
        finally:
            self._held = False
            asyncio.get_running_loop().call_soon(self._next)

    def stop(self) -> None:
        """Stop after the last commit and chore."""
        self._writer.stop()
        if self._journal_writer is not None:
            self._journal_writer.stop()
        if self._journal is not None:
            self._journal.close()

    @property
    def _durable(self) -> int:
        return self._unflushed[-1][0] if self._unflushed else self._flushed

    def _next(self) -> None:
        """Start what can be started. A chore gets a turn after each batch, so neither can starve the other."""
        if self._held:
            return
        if self._pending and not self._committing and self._journal is not None:
            self._crowded = len(self._pending) > 1
            self._commit_to_journal(self._journal)
        waits = bool(self._pending) and not self._committing  # for SQLite: the journal cannot take it
        if self._writer.busy:
            if waits:
                self._writer.hurry()
            return
        if self._chores and (self._chore_next or not waits):
            if self._chores[0].needs > self._flushed:
                self._flush(hurry=True)
            else:
                self._chore_next = False
                chore = self._chores.pop(0)
                self._work(chore.work, partial(self._chore_done, chore.future))
        elif waits:
            self._chore_next = True
            self._commit_to_sqlite()
        elif self._flush_is_due():
            self._flush(hurry=False)

    def _commit_to_journal(self, journal: Journal) -> None:
        """Commit the pending writes to the journal, unless it is full or something has failed before."""
        if self.unsure or self._flush_error is not None:
            return
        entries = [write.entry() for write in self._pending]
        record = journal.prepare(entries, self._durable)
        if record is None:
            return
        batch, self._pending = self._pending, []
        if self._pace.is_quick(monotonic()):
            began = perf_counter()
            error = _failure(partial(journal.write, record))
            self._pace.observe(perf_counter() - began, monotonic())
            self._has_journaled(batch, entries, error)
        else:
            self._committing = True
            self._journal_writer = self._journal_writer or Worker("store-journal")
            self._journal_writer.submit(partial(journal.write, record), partial(self._journal_done, batch, entries))

    def _journal_done(self, batch: list[Write], entries: list[Entry], _: None, error: Exception | None) -> None:
        self._committing = False
        self._has_journaled(batch, entries, error)
        self._next()

    def _has_journaled(self, batch: list[Write], entries: list[Entry], error: Exception | None) -> None:
        if error is not None:
            self._refuse(batch, error)
            return
        self._unflushed += entries
        self._observer.committed(batch)

    def _commit_to_sqlite(self) -> None:
        batch, self._pending = self._pending, []
        self._committing = True
        self._append([*self._unflushed, *(write.entry() for write in batch)], partial(self._committed, batch))

    def _append(self, entries: list[Entry], done: Done, *, hurry: bool = True) -> None:
        # After a failure whatever SQLite may have beyond what it is known to have goes first: who wrote it was
        # refused, or it is among `entries`.
        discard_after = self._flushed if self.unsure or self._flush_error is not None else None
        self._work(partial(append, entries=entries, discard_after=discard_after), done, hurry=hurry)

    def _work(self, work: Work, done: Done, *, hurry: bool = True) -> None:
        self._writer.submit(partial(self._writer.with_connection, work), done, hurry=hurry)

    def _committed(self, batch: list[Write], _: None, error: Exception | None) -> None:
        self._committing = False
        if error is None:
            self._has_flushed(len(self._unflushed), batch[-1].row.rev)
            self.unsure = False
            self._observer.committed(batch)
        else:
            self._refuse(batch, error)
        self._next()

    def _refuse(self, batch: list[Write], error: Exception) -> None:
        """Refuse the failed batch, and all writes that were decided on top of it."""
        refused = batch + self._pending
        self._pending = []
        self.unsure = True
        self._observer.refused(refused, error)

    def _flush_is_due(self) -> bool:
        if self._journal is None or self._flush_error is not None:
            return False
        return len(self._unflushed) >= FLUSH_ENTRIES or self._journal.used >= FLUSH_USED

    def _flush(self, *, hurry: bool) -> None:
        entries = list(self._unflushed)
        self._append(entries, partial(self._flush_done, len(entries), entries[-1][0]), hurry=hurry)

    def _flush_done(self, count: int, revision: int, _: None, error: Exception | None) -> None:
        if error is None:
            self._has_flushed(count, revision)
        else:
            log.warning("the journal of %s could not be copied to it: %s", self._path, error)
            self._flush_error = error
            if self._chores and self._chores[0].needs > self._flushed:
                self._chore_done(self._chores.pop(0).future, None, error)
                return
        self._next()

    def _has_flushed(self, count: int, revision: int) -> None:
        self._flushed = revision
        self._flush_error = None
        del self._unflushed[:count]
        if self._journal is not None:
            self._journal.release(revision)

    def _chore_done(self, future: asyncio.Future[Any], result: Any, error: Exception | None) -> None:
        if not future.done():
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)
        self._next()


def _failure(work: Callable[[], None]) -> OSError | None:
    try:
        work()
    except OSError as error:
        return error
    return None


def _new_journal(path: Path, connection: sqlite3.Connection) -> Journal | None:
    """Create an empty journal for a file that has every commit."""
    journal = create(path)
    if journal is not None:
        connection.execute("BEGIN IMMEDIATE")
        file.set_journal(connection, journal.identity)
        connection.execute("COMMIT")
    return journal
