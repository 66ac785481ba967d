"""watch: every change since a revision, as a stream of events.

A change is encoded once per format, however many watchers read it: the bytes are cached on the store's `Change`. A
watcher with selectors sees an object that starts to match as ADDED and one that no longer matches as DELETED.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from functools import partial

from windlass.apiserver.api import Api, load
from windlass.apiserver.call import Call
from windlass.apiserver.connection import Stream
from windlass.apiserver.store import Change, Compacted, Row, Watcher
from windlass.apiserver.verbs.answers import partial_bytes, stored_bytes, table_of, warning_headers
from windlass.apiserver.verbs.get import fetch
from windlass.apiserver.verbs.list import check_not_future, check_version_match, requested_version, select
from windlass.apiserver.verbs.selection import Selection, selection
from windlass.kube.errors import ApiError, Expired
from windlass.kube.json import Object, decode, encode

_BOOKMARK_SECONDS = 60.0  # Kubernetes' watch cache sends one about every minute
_INITIAL_CHUNK = 200
_CLOCK_STEP = 0.001  # the event loop's clock counts milliseconds


def watch(api: Api, call: Call) -> Stream:
    check_version_match(call, watching=True)
    chosen = selection(call)
    version = requested_version(call)
    initial = call.flag("sendInitialEvents") if "sendInitialEvents" in call.query else not version
    if initial and version:
        check_not_future(api, version)
    timeout = max(call.number("timeoutSeconds") or 0, 0) or random.randint(1800, 3600)
    content_type = b"application/json;stream=watch" if call.accept.streams else b"application/json"
    printer = EventPrinter(call)
    rows = select(api, chosen) if initial else ()
    since = api.store.revision if initial else version or 0
    try:
        watcher = api.store.watch(chosen.resource.store_key, chosen.namespace, since=since)
    except Compacted as error:
        return Stream(200, _only(printer.error(error)), content_type)
    watching = WatchStream(call, chosen, watcher, printer, timeout)
    answer = Stream(200, _events(watching, rows), content_type, warning_headers(call.warnings) if call.warnings else ())
    if call.resource.conversion is None:
        watcher.direct = partial(watching.deliver, answer)
    return answer


async def _only(event: bytes) -> AsyncIterator[bytes]:
    yield event


class EventPrinter:
    """Encodes watch events in the format of one client."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._resource = call.resource
        self._accept = call.accept
        self._plain = not self._accept.transform and call.resource.from_storage is None
        self._since = call.resource.conformed_since
        self._form = f"{call.resource.version}/{self._accept.transform}/{call.query.get('includeObject', '')}"
        self._first_table = True

    def change(self, change: Change, kind: str, row: Row) -> bytes:
        if self._accept.transform == "Table":
            return self.row(kind, row)
        key = f"{kind}/{self._form}"
        cached = change.cache.get(key)
        if cached is None:
            cached = change.cache[key] = self.row(kind, row)
        return cached

    def row(self, kind: str, row: Row) -> bytes:
        value = row.value if self._plain and row.rev >= self._since else self._transformed(row)
        return b'{"type":"%b","object":%b}\n' % (kind.encode(), value)

    def left(self, change: Change, row: Row) -> bytes:
        """The event of an object that no longer matches: its last matching state, at the revision of the change."""
        converted = {mark: _at(value, change.rev) for mark, value in (row.converted or {}).items()}
        last = Row(row.key, change.rev, row.created_rev, _at(row.value, change.rev), converted=converted)
        return self.row("DELETED", last)

    def bookmark(self, revision: int, *, initial_end: bool = False) -> bytes:
        metadata: Object = {"resourceVersion": str(revision), "creationTimestamp": None}
        if initial_end:
            metadata["annotations"] = {"k8s.io/initial-events-end": "true"}
        resource = self._resource
        obj: Object = {"kind": resource.kind, "apiVersion": resource.api_version, "metadata": metadata}
        if self._accept.transform == "Table":
            obj = self._table([], metadata)
        elif self._accept.transform:
            obj = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata}
        return b'{"type":"BOOKMARK","object":%b}\n' % encode(obj)

    def error(self, error: ApiError) -> bytes:
        return b'{"type":"ERROR","object":%b}\n' % encode(error.status())

    def _transformed(self, row: Row) -> bytes:
        if self._accept.transform == "Table":
            return encode(self._table([load(self._resource, row)], {"resourceVersion": str(row.rev)}))
        if self._accept.transform:
            return partial_bytes(self._resource, row, self._accept)
        return stored_bytes(self._resource, row)

    def _table(self, objects: list[Object], metadata: Object) -> Object:
        table = table_of(self._call, objects, metadata, no_headers=not self._first_table)
        self._first_table = False
        return table


def _at(value: bytes, revision: int) -> bytes:
    obj: Object = decode(value)
    obj["metadata"]["resourceVersion"] = str(revision)
    return encode(obj)


class WatchStream:
    """A client's watch: its selection, its position, and its deadline."""

    def __init__(self, call: Call, chosen: Selection, watcher: Watcher, printer: EventPrinter, timeout: int) -> None:
        self.call = call
        self.chosen = chosen
        self.watcher = watcher
        self.printer = printer
        self.bookmarks = call.flag("allowWatchBookmarks")
        self.marks_initial_end = self.bookmarks and "sendInitialEvents" in call.query
        self.is_over = False
        self._loop = asyncio.get_running_loop()
        self._ends = self._loop.time() + timeout
        self._bookmark_due = False
        self._timer: asyncio.TimerHandle | None = None

    def start_clock(self) -> None:
        """Wake the watch periodically, for a bookmark or to end it."""
        self._timer = self._loop.call_at(min(self._ends, self._loop.time() + _BOOKMARK_SECONDS), self._tick)

    def stop_clock(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _tick(self) -> None:
        self.is_over = self._loop.time() >= self._ends - _CLOCK_STEP
        self._bookmark_due = self.bookmarks
        if not self.is_over:
            self.start_clock()
        self.watcher.nudge()

    def takes_bookmark(self) -> bool:
        """Whether a bookmark is due; resets the timer."""
        due, self._bookmark_due = self._bookmark_due, False
        return due

    async def fetch(self, changes: Sequence[Change]) -> None:
        """Convert everything that `events` may print to the version of the watch."""
        if self.call.resource.conversion is not None:
            before = [change.previous for change in changes if change.previous] if not self.chosen.everything else []
            await fetch(self.call, *(change.row for change in changes), *before)

    def events(self, changes: Sequence[Change]) -> bytes:
        if self.chosen.everything:
            change_bytes = self.printer.change
            return b"".join([change_bytes(change, change.type, change.row) for change in changes])
        return b"".join(filter(None, map(self._selected, changes)))

    def deliver(self, answer: Stream, changes: Sequence[Change]) -> bool:
        """Write the events of `changes` at once, if the client can take them: see `Watcher.direct`."""
        if answer.send is None:
            return False
        try:
            events = self.events(changes)
        except Exception:  # noqa: BLE001 - it is raised again where this watch alone ends by it
            return False
        return not events or answer.send(events)

    def _selected(self, change: Change) -> bytes:
        matches = self.chosen.matches
        before = change.previous is not None and matches(change.previous)
        if change.type == "DELETED":
            return self.printer.change(change, "DELETED", change.row) if before else b""
        if matches(change.row):
            return self.printer.change(change, "MODIFIED" if before else "ADDED", change.row)
        return self.printer.left(change, change.previous) if before and change.previous else b""


async def _events(stream: WatchStream, rows: Sequence[Row]) -> AsyncIterator[bytes]:
    watcher, printer = stream.watcher, stream.printer
    try:
        for start in range(0, len(rows), _INITIAL_CHUNK):
            some = rows[start : start + _INITIAL_CHUNK]
            await fetch(stream.call, *some)
            yield b"".join([printer.row("ADDED", row) for row in some])
        if stream.marks_initial_end:
            yield printer.bookmark(watcher.revision, initial_end=True)
        stream.start_clock()
        async for changes in watcher:  # ends by itself where the client is too slow: it resumes at its last revision
            if changes:
                await stream.fetch(changes)
                events = stream.events(changes)
                if events:
                    yield events
            if stream.is_over:
                break
            if stream.takes_bookmark():
                yield printer.bookmark(watcher.revision)
        if stream.is_over and stream.bookmarks:
            yield printer.bookmark(watcher.revision)
    except Compacted:
        yield printer.error(Expired("The resourceVersion for the provided watch is too old."))
    except ApiError as error:  # a webhook that does not convert: the client starts over
        yield printer.error(error)
    finally:
        stream.stop_clock()
        watcher.close()
