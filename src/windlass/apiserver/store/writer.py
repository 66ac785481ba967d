"""A worker thread of the event loop, one with a connection to SQLite, and the hand-over to and from it.

The event loop submits one job at a time (`submit`) and is called back on the loop when it is done. While the thread
waits for the disk, the loop continues and the next batch of writes accumulates. A job that nothing waits for (copying
the journal) gets no help from the loop, until something does.

The hand-over needs care. Python runs one thread at a time, and a busy event loop releases the interpreter so often and
so briefly that a waiting thread hardly ever gets it: measured, a commit of 0.3 ms then took 50 to 700 ms. So the loop
yields: once when it submits the job, and again after 1, 2, 4, 8 … ms as long as the job is not done. On an idle loop
none of this costs anything; on a slow disk it costs the loop little, since the waits grow apart. On a fast disk the
first wait mostly lasts until the commit is done, so that the two do not compete for the interpreter: with 16 clients a
create then took 0.41 to 0.43 ms of CPU time instead of 0.52, and the rate rose by 4 to 9 %.
"""

import asyncio
import errno
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

MAKE_WAY_SECONDS = 0.0006  # long enough for a commit on a fast disk; a reader waits no longer than this for a writer
FIRST_PAUSE, LONGEST_PAUSE = 0.001, 0.016

Work = Callable[[sqlite3.Connection], Any]
Done = Callable[[Any, Exception | None], None]


class _Job:
    __slots__ = ("done", "error", "result", "work")

    def __init__(self, work: Callable[[], Any], done: Done) -> None:
        self.work = work
        self.done = done
        self.result: Any = None
        self.error: Exception | None = None


class Worker:
    """A thread that runs jobs, one at a time, in the order given. All methods belong to the loop."""

    def __init__(self, name: str, at_end: Callable[[], None] | None = None) -> None:
        self._at_end = at_end
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._over: SimpleQueue[_Job] = SimpleQueue()
        self._running: _Job | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._pause = FIRST_PAUSE
        self._hurried = False
        self._thread = Thread(target=self._serve, name=name, daemon=True)
        self._thread.start()

    @property
    def busy(self) -> bool:
        return self._running is not None

    def submit(self, work: Callable[[], Any], done: Done, *, hurry: bool = True) -> None:
        """Run `work()` on the thread, then `done(result, error)` on the loop; never while busy.

        `hurry`: something waits for the job, so the loop yields; otherwise not before `hurry` is called.
        """
        assert self._running is None, "one job at a time"
        self._loop = asyncio.get_running_loop()
        self._running = _Job(work, done)
        self._hurried = False
        self._jobs.put(self._running)
        if hurry:
            self.hurry()

    def hurry(self) -> None:
        """Yield to the current job until it is done."""
        if self._running is not None and not self._hurried:
            self._hurried = True
            self._pause = FIRST_PAUSE
            self._make_way()

    def wait(self) -> None:
        """Block the loop until the current job is done."""
        self._finish(self._over.get())

    def stop(self) -> None:
        """Stop the thread after the last job."""
        self._jobs.put(None)
        self._thread.join()

    def _make_way(self) -> None:
        self._timer = None
        if self._running is None:
            return
        try:
            job = self._over.get(timeout=MAKE_WAY_SECONDS)
        except Empty:
            assert self._loop is not None
            self._timer = self._loop.call_later(self._pause, self._make_way)
            self._pause = min(self._pause * 2, LONGEST_PAUSE)
        else:
            self._finish(job)

    def _finish_if_done(self) -> None:
        with suppress(Empty):  # `_make_way` was first
            self._finish(self._over.get_nowait())

    def _finish(self, job: _Job) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._running = None
        job.done(job.result, job.error)

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                job.result = job.work()
            except Exception as error:  # noqa: BLE001 - whatever it is, it is the job's result, and the thread continues
                job.error = error
            self._over.put(job)
            assert self._loop is not None
            with suppress(RuntimeError):  # the loop was closed meanwhile: nobody waits for the answer
                self._loop.call_soon_threadsafe(self._finish_if_done)
        if self._at_end is not None:
            self._at_end()


class Writer(Worker):
    """A worker with a connection to SQLite, opened by the first job, and again after an error that invalidates it."""

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._connect = connect
        self._connection: sqlite3.Connection | None = None
        super().__init__("store-writer", self._disconnect)

    def with_connection(self, work: Work) -> Any:
        """Wrap a job so that it gets the connection; called on the thread."""
        try:
            if self._connection is None:
                self._connection = self._connect()
            return work(self._connection)
        except Exception as error:
            self._connection = _recovered(self._connection, error)
            raise

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()


def _recovered(connection: sqlite3.Connection | None, error: Exception) -> sqlite3.Connection | None:
    """The connection without the failed transaction, or None if it cannot be trusted and must be reopened."""
    if connection is None:
        return None
    with suppress(sqlite3.Error):
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        if is_full(error):
            return connection
    with suppress(sqlite3.Error):
        connection.close()
    return None


def is_full(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in (errno.ENOSPC, errno.EDQUOT)
    return isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
