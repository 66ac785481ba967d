"""Compaction: removes rows that a newer row has replaced, once they are older than the promised history.

It runs in small steps on the writing thread, between commits, so that no write waits long. Each step advances
`compacted` by some revisions: the state at `compacted` or later can still be read, and nothing before. The file's free
pages are reused by later writes; if there are many they are returned to the disk.
"""

import asyncio
import logging
import sqlite3
import time
from collections import deque
from datetime import timedelta
from typing import Protocol

from windlass.apiserver.store.file import pragma, set_meta
from windlass.kube.errors import ApiError

STEP = 256  # revisions that one step looks at
VACUUM_PAGES = 128  # pages that one step gives back
VACUUM_ABOVE = 1024  # free pages (8 MB) that are kept for the next writes in any case

log = logging.getLogger(__name__)

# Only what has changed since the last step can have replaced something, so the cost is that of the changes and not
# of the objects.
_REPLACED = """
DELETE FROM log WHERE rev IN (
    SELECT older.rev FROM log AS newer CROSS JOIN log AS older
    ON older.resource = newer.resource AND older.path = newer.path AND older.rev < newer.rev
    WHERE newer.rev > :start AND newer.rev <= :end
)
"""
_GRAVES = "DELETE FROM log WHERE rev > :start AND rev <= :end AND change = 3"


class Compactable(Protocol):
    @property
    def revision(self) -> int: ...
    async def compact(self, revision: int | None = None) -> None: ...


def compact_step(connection: sqlite3.Connection, start: int, end: int) -> None:
    """Remove what was replaced or deleted by a revision after `start` and not after `end`."""
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(_REPLACED, {"start": start, "end": end})
    connection.execute(_GRAVES, {"start": start, "end": end})
    set_meta(connection, "compacted", end)
    connection.execute("COMMIT")


def vacuum_step(connection: sqlite3.Connection) -> bool:
    """Return some free pages to the disk; returns whether there are more."""
    free = pragma(connection, "freelist_count")
    if free <= max(VACUUM_ABOVE, pragma(connection, "page_count") // 4):
        return False
    connection.execute(f"PRAGMA incremental_vacuum({VACUUM_PAGES})").fetchall()
    return True


class Clock:
    """Records which revision was the newest at which time, as coarsely as compaction needs."""

    def __init__(self, history: timedelta, revision: int, now: float | None = None) -> None:
        self._history = history.total_seconds()
        self._marks: deque[tuple[float, int]] = deque()
        self.mark(revision, now)

    def mark(self, revision: int, now: float | None = None) -> None:
        self._marks.append((time.monotonic() if now is None else now, revision))

    def old_enough(self, now: float | None = None) -> int:
        """The newest revision that is older than `history`; 0 if there is none."""
        limit = (time.monotonic() if now is None else now) - self._history
        found = 0
        while self._marks and self._marks[0][0] <= limit:
            found = self._marks.popleft()[1]
        return found


async def keep_compacting(store: Compactable, clock: Clock, interval: timedelta) -> None:
    """Compact periodically until cancelled. A failure (mostly a full disk) is logged and retried."""
    while True:
        await asyncio.sleep(interval.total_seconds())
        clock.mark(store.revision)
        if revision := clock.old_enough():
            try:
                await store.compact(revision)
            except ApiError as error:
                log.warning("old revisions could not be removed: %s", error)
