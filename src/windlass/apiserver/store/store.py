"""The store: keys and bytes in, revisions and watches out, independent of the kinds of objects.

    put / delete    accepted at once, in the order called, with the next revision; awaited until durable
    newest          what a write decides on: includes accepted writes that are not durable yet
    get / rows      what a reader sees: durable writes only
    watch           every change after a revision, in order, each once

Everything belongs to one event loop. Writes that are accepted without an `await` between them are one transaction: all
of them become durable, or none. Each commit takes all writes that accumulated during the previous one (group commit).
"""

import asyncio
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from sys import intern
from typing import IO, Any, TypeAlias

from windlass.apiserver.store import file, history, journal
from windlass.apiserver.store.backup import copy_to
from windlass.apiserver.store.commit import Entry
from windlass.apiserver.store.committer import Committer, Write
from windlass.apiserver.store.compaction import STEP, Clock, compact_step, keep_compacting, vacuum_step
from windlass.apiserver.store.errors import Compacted, StorageFailed, StorageFull, StoreCorrupt
from windlass.apiserver.store.file import CREATED, DELETED, MODIFIED
from windlass.apiserver.store.rows import Change, ChangeType, Key, Row
from windlass.apiserver.store.state import State
from windlass.apiserver.store.watch import Hub, Recent, Watcher
from windlass.apiserver.store.writer import Work, is_full
from windlass.kube.errors import ApiError

HISTORY = timedelta(minutes=5)  # as long as Kubernetes keeps it

_Step: TypeAlias = tuple[int, Row, Row | None]
"""A durable write that watchers have not received yet: which change, and the object after and before it."""

_TYPES: dict[int, ChangeType] = {CREATED: "ADDED", MODIFIED: "MODIFIED", DELETED: "DELETED"}


class Store:
    """Open a store with `Store.open`, call `start` on the event loop for background compaction, and `close` it."""

    def __init__(
        self,
        path: Path,
        lock: IO[bytes],
        reader: sqlite3.Connection,
        *,
        keep: timedelta,
        recent: int,
        recent_bytes: int,
        watcher_queue: int,
    ) -> None:
        self.path = path
        flushed = file.newest_revision(reader)
        unflushed = journal.entries_after(journal.read(path), file.get_meta(reader, "journal"), flushed)
        self.revision = unflushed[-1][0] if unflushed else flushed
        self.next_revision = self.revision + 1
        self.compacted = file.get_meta(reader, "compacted")
        self.commits = 0
        self._lock = lock
        self._reader = reader
        self._state = _load(reader, unflushed, self.revision)
        self._committer = Committer(path, self, flushed, unflushed)
        self._overlay: dict[Key, Write] = {}
        self._closed = False
        self._read = False  # whether there were readers since the last commit
        self._recent = Recent(self.revision, max_changes=recent, max_bytes=recent_bytes)
        self._hub = Hub(self.revision)
        self._undelivered: list[list[_Step]] = []
        self._watcher_queue = watcher_queue
        self._keep = keep
        self._clock = Clock(keep, self.revision)
        self._trimmed = self.compacted  # may be behind `compacted` while a step is under way, or after one failed
        self._compacting = asyncio.Lock()
        self._background: asyncio.Task[None] | None = None

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        history: timedelta = HISTORY,
        recent: int = 10_000,
        recent_bytes: int = 16 * 1024 * 1024,
        watcher_queue: int = 10_000,
    ) -> "Store":
        """Open the store in the file at `path`, created if missing. Raises `StoreError` if the file cannot be used.

        `history`: how long replaced states stay readable. `recent`, `recent_bytes`: changes that are kept in memory for
        resumed watches. `watcher_queue`: changes that may be queued for one watcher before it counts as lagging.
        """
        path = Path(path)
        lock = file.lock(path)
        try:
            reader = file.open_file(path)
            try:
                return cls(
                    path,
                    lock,
                    reader,
                    keep=history,
                    recent=recent,
                    recent_bytes=recent_bytes,
                    watcher_queue=watcher_queue,
                )
            except sqlite3.DatabaseError as error:
                reader.close()
                raise StoreCorrupt(path, error) from error
            except OSError as error:  # of the journal: without it acknowledged writes would be missing
                reader.close()
                raise file.unusable(path, error) from error
        except BaseException:
            lock.close()
            raise

    def start(self) -> None:
        """Use the journal, and compact in the background, from now on; on the event loop."""
        self._background = asyncio.create_task(self._keep_up(), name="store-upkeep")

    async def _keep_up(self) -> None:
        with suppress(ApiError):  # a full disk: the store is slower without, and that is all
            await self.use_journal()
        await keep_compacting(self, self._clock, max(self._keep / 10, timedelta(seconds=1)))

    async def close(self) -> None:
        """Make accepted writes durable, end watchers, and close the file so that the next start is fast."""
        if self._closed:
            return
        self._closed = True
        if self._background is not None:
            self._background.cancel()
            with suppress(asyncio.CancelledError):
                await self._background
        self._hub.close()
        self._reader.close()
        with suppress(ApiError):  # a full disk: the next start checks the file, and that is all
            while self._overlay:
                await self.between_commits(_wait_for_turn)
            await self.between_commits(_leave_clean)
        self._committer.stop()
        self._lock.close()

    @property
    def healthy(self) -> bool:
        """Whether the last write reached the disk and the store accepts more."""
        return not self._closed and not self._committer.unsure

    # Reading

    def get(self, key: Key) -> Row | None:
        self._read = True
        return self._state.get(key)

    def rows(self, resource: str, namespace: str | None = None) -> Sequence[Row]:
        """The objects of the resource at `revision`, in Kubernetes' order. Shared and read-only."""
        self._read = True
        return self._state.rows(resource, namespace)

    def count(self, resource: str, namespace: str | None = None) -> int:
        return self._state.count(resource, namespace)

    def has_any(self, resources: Iterable[str]) -> bool:
        """Return whether any of the resources has objects."""
        return self._state.has_any(resources)

    def resources(self) -> list[str]:
        """The resources that have objects."""
        return self._state.resources()

    def rows_at(
        self,
        resource: str,
        namespace: str | None,
        revision: int,
        after: tuple[str, str] | None = None,
        limit: int | None = None,
    ) -> Sequence[Row]:
        """The objects at `revision`, starting after (namespace, name). Raises `Compacted`."""
        if revision < self.compacted:
            raise Compacted(revision, self.compacted)
        if self._state.changed(resource) <= revision:
            rows = self._state.rows_after(resource, namespace, after)
            return rows if limit is None else rows[:limit]
        self._flush_to(revision)
        return history.rows_at(self._reader, resource, namespace, revision, after, limit)

    def count_at(
        self, resource: str, namespace: str | None, revision: int, after: tuple[str, str] | None = None
    ) -> int:
        """The number of objects that `rows_at` without a limit would return. Raises `Compacted`."""
        if revision < self.compacted:
            raise Compacted(revision, self.compacted)
        if self._state.changed(resource) <= revision:
            return len(self._state.rows_after(resource, namespace, after))
        self._flush_to(revision)
        return history.count_at(self._reader, resource, namespace, revision, after)

    # Deciding: durable state with the accepted writes on top

    def newest(self, key: Key) -> Row | None:
        write = self._overlay.get(key)
        if write is None:
            return self._state.get(key)
        return None if write.change == DELETED else write.row

    def newest_rows(self, resource: str, namespace: str | None = None) -> Iterable[Row]:
        """The newest rows in no particular order; to be consumed before the next `await`."""
        rows = self._state.rows(resource, namespace)
        return self._with_accepted(rows, resource, namespace) if self._overlay else rows

    def _with_accepted(self, rows: Iterable[Row], resource: str, namespace: str | None) -> Iterator[Row]:
        overlay = self._overlay
        for row in rows:
            if row.key not in overlay:
                yield row
        for key, write in overlay.items():
            if key[0] == resource and (namespace is None or key[1] == namespace) and write.change != DELETED:
                yield write.row

    def waiting(self, resource: str, namespace: str) -> Iterator[str]:
        """The names of objects with accepted writes that are not durable yet."""
        return (key[2] for key in self._overlay if key[1] == namespace and key[0] == resource)

    # Writing

    def put(self, key: Key, value: bytes) -> asyncio.Future[Row]:
        """Accept the object's next state, which has `next_revision`; done when it is durable.

        Fails with `StorageFull` or `StorageFailed`, together with everything that was accepted after it.
        """
        before = self.newest(key)
        rev = self.next_revision
        if before is None:
            return self._accept(Row(key, rev, rev, value), CREATED)
        return self._accept(Row(key, rev, before.created_rev, value), MODIFIED)

    def delete(self, key: Key, value: bytes) -> asyncio.Future[Row]:
        """Accept the object's deletion; `value` is its final state, which has `next_revision`. See `put`."""
        before = self.newest(key)
        if before is None:
            raise KeyError(key)
        return self._accept(Row(key, self.next_revision, before.created_rev, value), DELETED)

    def _accept(self, row: Row, change: int) -> asyncio.Future[Row]:
        if self._closed:
            raise StorageFailed(self.path, "the server is stopping")
        self.next_revision = row.rev + 1
        write = Write(row, change, asyncio.get_running_loop().create_future())
        self._overlay[row.key] = write
        self._committer.add(write, yielding=self._read)
        return write.future

    def committed(self, batch: list[Write]) -> None:
        """Called by the committer when a batch is durable."""
        state, overlay = self._state, self._overlay
        steps: list[_Step] = []
        for write in batch:
            row = write.row
            key = row.key
            if overlay.get(key) is write:
                del overlay[key]
            steps.append((write.change, row, state.get(key)))
            if write.change == DELETED:
                state.remove(key, row.rev)
            else:
                state.put(row)
            if not write.future.done():  # its waiter was cancelled: the write stands all the same
                write.future.set_result(row)
        self.revision = batch[-1].row.rev
        self.commits += 1
        self._read = False
        # After the writers continued: delivery to five hundred watchers takes longer than answering one writer.
        self._undelivered.append(steps)
        asyncio.get_running_loop().call_soon(self.deliver)

    def refused(self, batch: list[Write], error: Exception) -> None:
        """Called by the committer when all accepted writes have failed. Their revisions are not reused."""
        self._overlay.clear()
        for write in batch:
            if not write.future.done():
                write.future.set_exception(self._api_error(error))

    def _api_error(self, error: Exception) -> ApiError:
        api_error = StorageFull(self.path) if is_full(error) else StorageFailed(self.path, error)
        api_error.__cause__ = error
        return api_error

    # Watching

    def watch(self, resource: str, namespace: str | None = None, name: str | None = None, *, since: int) -> Watcher:
        """Watch every change after revision `since`, which may be in the future. Raises `Compacted`."""
        if since < self.compacted:
            raise Compacted(since, self.compacted)
        self.deliver()  # the others first: the new watcher reads all durable changes from memory
        scope = (namespace, name)
        watcher = Watcher(
            since,
            self._recent.since(resource, scope, max(since, self._recent.floor)),
            history_until=self._recent.floor,
            read=partial(self._read_history, resource, namespace, name),
            known=self.revision,
            delivered=self._delivered_revision,
            close=partial(self._hub.remove, resource, scope),
            max_changes=self._watcher_queue,
        )
        self._hub.add(resource, scope, watcher)
        return watcher

    def deliver(self) -> None:
        """Deliver all committed changes to watchers now, for a decision that depends on them."""
        undelivered, self._undelivered = self._undelivered, []
        for steps in undelivered:
            changes = [Change(_TYPES[change], row.key, row.rev, row, before) for change, row, before in steps]
            self._recent.add(changes)
            self._hub.publish(changes)

    def watchers(self) -> int:
        return self._hub.watchers

    def _delivered_revision(self) -> int:
        return self._hub.delivered

    def _read_history(
        self, resource: str, namespace: str | None, name: str | None, since: int, until: int
    ) -> tuple[int, Sequence[Change]]:
        if since < self.compacted:
            raise Compacted(since, self.compacted)
        until = min(until, since + history.WINDOW)
        self._flush_to(until)
        return until, history.changes(self._reader, resource, namespace, name, since, until)

    # Upkeep

    async def use_journal(self) -> None:
        """Commit small batches through the journal from now on; `start` does this."""
        try:
            await self._committer.use_journal()
        except sqlite3.Error as error:
            raise self._api_error(error) from error

    async def between_commits(self, work: Work) -> Any:
        """Run `work` on the writing connection when no commit is in progress; keep it short, since writes may wait."""
        try:
            return await self._committer.run(work)
        except (sqlite3.Error, OSError) as error:
            raise self._api_error(error) from error

    def _flush_to(self, revision: int) -> None:
        try:
            self._committer.flush_to(revision)
        except (sqlite3.Error, OSError) as error:
            raise self._api_error(error) from error

    async def compact(self, revision: int | None = None) -> None:
        """Remove what was replaced up to `revision` (default: all); older lists and watches then raise `Compacted`."""
        target = self.revision if revision is None else min(revision, self.revision)
        async with self._compacting:
            while self._trimmed < target:
                end = min(self._trimmed + STEP, target)
                self.compacted = max(self.compacted, end)  # readers get an error before the rows are removed
                await self.between_commits(partial(compact_step, start=self._trimmed, end=end))
                self._trimmed = end
            while await self.between_commits(vacuum_step):
                pass

    async def backup(self, target: Path) -> None:
        """Copy the file as it is now, while writes continue; see `windlass.apiserver.store.backup`."""
        await asyncio.to_thread(copy_to, self.path, Path(target))


def _load(reader: sqlite3.Connection, unflushed: list[Entry], revision: int) -> State:
    """Load the current objects: those in SQLite, changed by what only the journal has."""
    state = State(revision)
    for row in file.current_rows(reader):
        state.put(row)
    for rev, resource, path, change, created_rev, value in unflushed:
        namespace, _, name = path.partition("/")
        row = Row((intern(resource), intern(namespace), name), rev, created_rev, value)
        if change == DELETED:
            state.remove(row.key, rev)
        else:
            state.put(row)
    return state


def _leave_clean(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    file.set_journal(connection, 0)
    file.set_meta(connection, "clean", 1)
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _wait_for_turn(connection: sqlite3.Connection) -> None:
    """Do nothing: the job runs after the batch that was queued before it."""
