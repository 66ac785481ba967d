"""The objects of one kind and namespace and their last changes, kept for all who follow them.

A change is a record of what was there before it; what is there now is looked up when it is sent. So many changes of one
object are one for who reads them late, and a record is small.
"""

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from windlass.gateway.live.entries import Entry, Selection
from windlass.kube.errors import ApiError
from windlass.kube.kind import Kind
from windlass.kube.meta import Key, ObjectMeta

MAX_RECORDS = 8192

Facts = tuple[ObjectMeta, tuple[str, ...]]
Form: TypeAlias = Literal["", "table", "metadata"]
"""What a feed has of its objects: all of them, the rows that `kubectl get` prints, or their metadata."""


@dataclass(frozen=True, slots=True)
class Record:
    """One change: its number, the object, and what selectors asked of the object before."""

    number: int
    uid: str
    before: Facts | None


@dataclass(frozen=True, slots=True)
class Difference:
    """What has changed since a number."""

    changed: list[Entry]
    removed: list[str]


class Feed:
    """The sink of one reflector. Numbers are the hub's: they grow over all of its feeds."""

    def __init__(self, kind: Kind, namespace: str, numbers: Iterator[int], *, form: Form = "") -> None:
        self.kind, self.namespace = kind, namespace
        self.form: Form = form
        self._numbers = numbers
        self._entries: dict[str, Entry] = {}
        self._uids: dict[Key, str] = {}
        self._records: deque[Record] = deque()
        self.oldest = self.newest = next(numbers)
        """The number after which all changes are known, and that of the last one."""
        self.is_synced = False
        self._is_filled_early = False
        self.stale_since: datetime | None = None
        self.trouble: ApiError | None = None
        """Why it is not being kept up to date."""
        self.listeners: dict[Callable[[], None], None] = {}

    def __len__(self) -> int:
        return len(self._entries)

    # --- the sink of a reflector

    def replace(self, objects: Iterable[Entry], /) -> None:
        entries = {entry.metadata.uid: entry for entry in objects}
        for uid in [uid for uid in self._entries if uid not in entries]:
            self._forget(uid)
        self._keep_changed(entries.values())
        self._notify()

    def fill(self, objects: Iterable[Entry], /) -> None:
        """Take over a page of the first list before the others are there; `replace` with the whole list follows."""
        self._is_filled_early = True
        self._keep_changed(objects)
        self._notify()

    def put(self, obj: Entry, /) -> None:
        self._keep(obj)
        self._notify()

    def remove(self, key: Key, /) -> None:
        uid = self._uids.get(key)
        if uid is not None:
            self._forget(uid)
            self._notify()

    def reached(self, version: str, /) -> None:
        if not self.is_synced:
            self.is_synced = True
            self.newest = next(self._numbers)
            if not self._is_filled_early:  # then nobody has been sent anything yet
                self._records.clear()
                self.oldest = self.newest
            self._notify()

    def _keep_changed(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            known = self._entries.get(entry.metadata.uid)
            if known is None or known.metadata.resource_version != entry.metadata.resource_version:
                self._keep(entry)

    def _keep(self, entry: Entry) -> None:
        uid, key = entry.metadata.uid, entry.metadata.key
        replaced = self._uids.get(key)
        if replaced is not None and replaced != uid:  # deleted and made again while nobody watched
            self._forget(replaced)
        before = self._entries.get(uid)
        self._entries[uid], self._uids[key] = entry, uid
        self._record(uid, before)

    def _forget(self, uid: str) -> None:
        before = self._entries.pop(uid)
        self._uids.pop(before.metadata.key, None)
        self._record(uid, before)

    def _record(self, uid: str, before: Entry | None) -> None:
        self.newest = next(self._numbers)
        self._records.append(Record(self.newest, uid, (before.metadata, before.fields) if before else None))
        if len(self._records) > MAX_RECORDS:
            self.oldest = self._records.popleft().number

    def mark(self, trouble: ApiError | None) -> None:
        """Note whether the watch is broken."""
        was, self.trouble = self.trouble, trouble
        if (was is None) != (trouble is None):
            self.stale_since = datetime.now(UTC) if trouble is not None else None
            self._notify()

    def _notify(self) -> None:
        for listener in list(self.listeners):
            listener()

    # --- for those who follow it

    def entries(self, wanted: Selection) -> list[Entry]:
        return [entry for entry in self._entries.values() if wanted.matches(entry.metadata, entry.fields)]

    def entry(self, uid: str, wanted: Selection) -> Entry | None:
        """An object, if it is there still and selected."""
        entry = self._entries.get(uid)
        return entry if entry is not None and wanted.matches(entry.metadata, entry.fields) else None

    def knows(self, number: int) -> bool:
        """Whether every change after a number is known still."""
        return number >= self.oldest

    def since(self, number: int, wanted: Selection) -> Difference:
        """What a reader that stands at `number` lacks, each object once."""
        newer = list(itertools.takewhile(lambda record: record.number > number, reversed(self._records)))
        first = {record.uid: record.before for record in newer}  # the oldest record of each wins: it comes last
        changed: list[Entry] = []
        removed: list[str] = []
        for uid in dict.fromkeys(record.uid for record in reversed(newer)):
            entry, before = self._entries.get(uid), first[uid]
            if entry is not None and wanted.matches(entry.metadata, entry.fields):
                changed.append(entry)
            elif before is not None and wanted.matches(*before):
                removed.append(uid)
        return Difference(changed, removed)
