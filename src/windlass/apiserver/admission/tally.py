"""A running total over the objects of one resource in one namespace, updated on demand.

The total covers the newest state, including writes that are accepted and not durable yet. The cost of reading it
depends on the number of changes since the last time, not on the number of objects.
"""

from collections.abc import Callable
from typing import TypeAlias

from windlass.apis.quota_usage import Usage, add, subtract
from windlass.apiserver.store import Row, Store, Watcher

Measure: TypeAlias = Callable[[bytes], Usage]
"""Computes the usage of one object from its stored bytes."""


class Tally:
    def __init__(self, store: Store, resource: str, namespace: str, measure: Measure) -> None:
        self._store = store
        self._scope = (resource, namespace)
        self._measure = measure
        self._counted: dict[str, tuple[Row, Usage]] = {}
        self._totals: Usage = {}
        self._ahead: set[str] = set()  # counted from writes that were not durable, and may yet fail
        self._watcher: Watcher | None = None

    def totals(self) -> Usage:
        """The current total usage of all objects. Read-only."""
        store = self._store
        store.deliver()
        if self._watcher is None or self._watcher.lagged:
            names = self._start_over()
        else:
            names = {change.key[2] for change in self._watcher.take()}
        waiting = set(store.waiting(*self._scope))
        for name in names | self._ahead | waiting:
            self._count(name, store.newest((*self._scope, name)))
        self._ahead = waiting
        return self._totals

    def close(self) -> None:
        if self._watcher is not None:
            self._watcher.close()

    def _start_over(self) -> set[str]:
        """Reset the totals; return the names of all objects to count."""
        self.close()
        self._counted, self._totals, self._ahead = {}, {}, set()
        self._watcher = self._store.watch(*self._scope, since=self._store.revision)
        return {row.key[2] for row in self._store.rows(*self._scope)}

    def _count(self, name: str, row: Row | None) -> None:
        known = self._counted.get(name)
        if known is not None:
            if known[0] is row:
                return
            del self._counted[name]
            subtract(self._totals, known[1])
        if row is not None:
            usage = self._measure(row.value)
            self._counted[name] = (row, usage)
            add(self._totals, usage)
