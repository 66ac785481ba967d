"""The current objects of every resource in memory, sorted on demand.

A write is O(1) however many objects there are: the order is only updated when a list needs it. A returned list never
changes afterwards, so a reader may take its time.
"""

from bisect import bisect_right, insort
from collections.abc import Iterable, Sequence

from windlass.apiserver.store.rows import Key, Row, path_of

FEW = 32  # up to here inserting names one by one beats sorting again


class _Bucket:
    """The objects of one resource in one namespace, by name."""

    __slots__ = ("_gone", "_new", "_order", "_snapshot", "rows")

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}
        self._order: list[str] = []
        self._new: list[str] = []
        self._gone: set[str] = set()
        self._snapshot: list[Row] | None = None

    def put(self, name: str, row: Row) -> bool:
        """Set an object; returns whether the name is new."""
        added = name not in self.rows
        if added:
            self._new.append(name)
        self.rows[name] = row
        self._snapshot = None
        return added

    def remove(self, name: str) -> Row | None:
        row = self.rows.pop(name, None)
        if row is not None:
            self._gone.add(name)
            self._snapshot = None
        return row

    def sorted(self) -> list[Row]:
        if self._snapshot is None:
            self._settle()
            self._snapshot = list(map(self.rows.__getitem__, self._order))
        return self._snapshot

    def _settle(self) -> None:
        if self._gone:
            self._order = [name for name in self._order if name not in self._gone]
            self._gone.clear()
        if self._new:
            # A name can come, go and come again between two lists: it is new once, or not at all.
            new = {name for name in self._new if name in self.rows}
            if len(new) <= FEW:
                for name in new:
                    insort(self._order, name)
            else:
                self._order.extend(new)
                self._order.sort()
            self._new.clear()


class _Table:
    """The objects of one resource."""

    __slots__ = ("_snapshot", "buckets", "changed", "count")

    def __init__(self, changed: int) -> None:
        self.buckets: dict[str, _Bucket] = {}
        self.count = 0
        self.changed = changed
        self._snapshot: list[Row] | None = None

    def put(self, row: Row) -> None:
        _, namespace, name = row.key
        bucket = self.buckets.get(namespace)
        if bucket is None:
            bucket = self.buckets[namespace] = _Bucket()
        if bucket.put(name, row):
            self.count += 1
        self.changed = max(self.changed, row.rev)
        self._snapshot = None

    def remove(self, key: Key, rev: int) -> None:
        _, namespace, name = key
        bucket = self.buckets.get(namespace)
        if bucket is not None and bucket.remove(name) is not None:
            self.count -= 1
            if not bucket.rows:
                del self.buckets[namespace]
        self.changed = rev
        self._snapshot = None

    def sorted(self) -> list[Row]:
        if self._snapshot is None:
            if len(self.buckets) == 1:
                (bucket,) = self.buckets.values()
                return bucket.sorted()
            namespaces = sorted(self.buckets, key=lambda namespace: path_of(namespace, ""))
            self._snapshot = [row for namespace in namespaces for row in self.buckets[namespace].sorted()]
        return self._snapshot


class State:
    """Every object that is durable, and nothing else."""

    __slots__ = ("_known_from", "_tables")

    def __init__(self, known_from: int = 0) -> None:
        """Create an empty state. `known_from`: the revision at which it was loaded; earlier deletions are unknown."""
        self._tables: dict[str, _Table] = {}
        self._known_from = known_from

    def get(self, key: Key) -> Row | None:
        table = self._tables.get(key[0])
        if table is None:
            return None
        bucket = table.buckets.get(key[1])
        return None if bucket is None else bucket.rows.get(key[2])

    def put(self, row: Row) -> None:
        resource = row.key[0]
        table = self._tables.get(resource)
        if table is None:
            table = self._tables[resource] = _Table(self._known_from)
        table.put(row)

    def remove(self, key: Key, rev: int) -> None:
        table = self._tables.get(key[0])
        if table is not None:
            table.remove(key, rev)

    def rows(self, resource: str, namespace: str | None) -> Sequence[Row]:
        """The sorted rows; the same list as last time if nothing changed, so it must not be changed."""
        table = self._tables.get(resource)
        if table is None:
            return ()
        if namespace is None:
            return table.sorted()
        bucket = table.buckets.get(namespace)
        return () if bucket is None else bucket.sorted()

    def rows_after(self, resource: str, namespace: str | None, after: tuple[str, str] | None) -> Sequence[Row]:
        rows = self.rows(resource, namespace)
        if after is None:
            return rows
        return rows[bisect_right(rows, path_of(*after), key=lambda row: path_of(row.key[1], row.key[2])) :]

    def count(self, resource: str, namespace: str | None) -> int:
        table = self._tables.get(resource)
        if table is None:
            return 0
        if namespace is None:
            return table.count
        bucket = table.buckets.get(namespace)
        return 0 if bucket is None else len(bucket.rows)

    def has_any(self, resources: Iterable[str]) -> bool:
        tables = self._tables
        for resource in resources:  # noqa: SIM110 - asked on every write, and a generator costs as much as the loop
            if resource in tables and tables[resource].count:
                return True
        return False

    def resources(self) -> list[str]:
        return sorted(resource for resource, table in self._tables.items() if table.count)

    def changed(self, resource: str) -> int:
        """A revision since which no object of the resource has changed: `rows` is the list at every later revision."""
        table = self._tables.get(resource)
        return self._known_from if table is None else table.changed
