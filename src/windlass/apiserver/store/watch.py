"""Delivery of changes: recent changes in memory, and the watchers that wait for the next ones.

A `Watcher` yields lists of changes, in order, each once, from the revision at which it was opened: first what the log
on disk has (in pieces, as the reader takes them), then what memory has, then new changes. Changes of one commit reach a
watcher as one list, and watchers of the same scope share that list, so five hundred of them cost little more than one.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from windlass.apiserver.store.errors import Compacted
from windlass.apiserver.store.rows import Change

Scope: TypeAlias = tuple[str | None, str | None]
"""The namespace and name that a watcher selects; None matches any."""

ReadHistory: TypeAlias = Callable[[int, int], tuple[int, Sequence[Change]]]
"""Reads history: (since, until) -> the revision reached, and the changes up to it. Raises `Compacted`."""


def _matches(scope: Scope, change: Change) -> bool:
    namespace, name = scope
    return (namespace is None or change.key[1] == namespace) and (name is None or change.key[2] == name)


class Recent:
    """The newest changes, bounded by number and by bytes: every change after `floor` is here."""

    def __init__(self, floor: int, *, max_changes: int, max_bytes: int) -> None:
        self.floor = floor
        self._max_changes = max_changes
        self._max_bytes = max_bytes
        self._bytes = 0
        self._all: deque[Change] = deque()
        self._by_resource: dict[str, deque[Change]] = {}

    def add(self, changes: Iterable[Change]) -> None:
        for change in changes:
            self._all.append(change)
            self._bytes += len(change.row.value)
            line = self._by_resource.get(change.key[0])
            if line is None:
                line = self._by_resource[change.key[0]] = deque()
            line.append(change)
        while len(self._all) > self._max_changes or self._bytes > self._max_bytes:
            self._drop()

    def _drop(self) -> None:
        oldest = self._all.popleft()
        self._bytes -= len(oldest.row.value)
        self.floor = oldest.rev
        line = self._by_resource[oldest.key[0]]
        line.popleft()
        if not line:
            del self._by_resource[oldest.key[0]]

    def since(self, resource: str, scope: Scope, revision: int) -> list[Change]:
        """The changes after `revision` that are in memory, oldest first."""
        found: list[Change] = []
        for change in reversed(self._by_resource.get(resource, ())):
            if change.rev <= revision:
                break
            if _matches(scope, change):
                found.append(change)
        found.reverse()
        return found


class Watcher:
    """An endless `async for` over lists of changes; created by `Store.watch`, and closed by the caller.

    It ends by itself only if its reader is so slow that too many changes are queued (`lagged`): the reader then starts
    again from the last revision that it saw. Waiting for the next list may be cancelled at any time without losing one.

    `direct`, if set, is offered each list while the reader waits, and takes it in the reader's place by returning True:
    with many watchers, waking a task for each costs more than its work.
    """

    __slots__ = (
        "_accepted",
        "_after",
        "_close",
        "_closed",
        "_delivered",
        "_history_until",
        "_max_changes",
        "_nudged",
        "_queue",
        "_queued",
        "_read",
        "_waiter",
        "direct",
        "lagged",
    )

    def __init__(
        self,
        since: int,
        ready: list[Change],
        *,
        history_until: int,
        read: ReadHistory,
        known: int,
        delivered: Callable[[], int],
        close: Callable[["Watcher"], None],
        max_changes: int,
    ) -> None:
        self.lagged = False
        self.direct: Callable[[Sequence[Change]], bool] | None = None
        self._after = since
        self._accepted: int = max(since, known)
        self._queue: list[list[Change]] = [ready] if ready else []
        self._queued = len(ready)
        self._history_until = history_until
        self._read = read
        self._delivered = delivered
        self._close = close
        self._max_changes = max_changes
        self._closed = False
        self._nudged = False
        self._waiter: asyncio.Future[None] | None = None

    @property
    def revision(self) -> int:
        """The revision up to which everything has been delivered: the revision of a bookmark."""
        if self._history_until > self._after or self._closed:
            return self._after
        if self._queue:
            return self._queue[0][0].rev - 1
        return max(self._after, self._delivered())

    def __aiter__(self) -> "Watcher":
        return self

    async def __anext__(self) -> Sequence[Change]:
        while self._history_until > self._after and not self._closed:
            if found := self._next_history():
                return found
            await asyncio.sleep(0)  # a long stretch without a match must not hold up the server
        while not self._queue and not self._nudged:
            if self._closed:
                raise StopAsyncIteration
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        self._nudged = False
        return self.take()

    def nudge(self) -> None:
        """Wake the reader once without a change: one timer for a whole watch then suffices for all its waits."""
        self._nudged = True
        self._wake()

    def take(self) -> Sequence[Change]:
        """Return the queued changes that are not history, without waiting."""
        if self._history_until > self._after or not self._queue:
            return ()
        queue, self._queue, self._queued = self._queue, [], 0
        found = queue[0] if len(queue) == 1 else [change for changes in queue for change in changes]
        self._after = found[-1].rev
        return found

    def close(self) -> None:
        """End the watch; a waiting reader is released."""
        if not self._closed:
            self._closed = True
            self._queue = []
            self._close(self)
            self._wake()

    def _next_history(self) -> Sequence[Change]:
        try:
            reached, found = self._read(self._after, self._history_until)
        except Compacted:
            self.close()
            raise
        self._after = reached
        return found

    def push(self, changes: list[Change]) -> None:
        """Deliver a commit's changes; the list is shared with other watchers and must not be changed."""
        if changes[0].rev <= self._accepted:  # opened since the commit, or at a revision that is still to come
            changes = [change for change in changes if change.rev > self._accepted]
            if not changes:
                return
        self._accepted = changes[-1].rev
        if self.direct is not None and self._waiter is not None and not self._waiter.done() and self.direct(changes):
            self._after = self._accepted
            return
        if self._queued > self._max_changes:
            self.lagged = True
            self.close()
            return
        self._queue.append(changes)
        self._queued += len(changes)
        if self._waiter is not None:
            self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class Hub:
    """The open watchers, grouped by scope."""

    def __init__(self, delivered: int) -> None:
        self._groups: dict[str, dict[Scope, dict[Watcher, None]]] = {}
        self.watchers = 0
        self.delivered = delivered
        """All changes up to this revision have been delivered to every watcher."""

    def add(self, resource: str, scope: Scope, watcher: Watcher) -> None:
        self._groups.setdefault(resource, {}).setdefault(scope, {})[watcher] = None
        self.watchers += 1

    def remove(self, resource: str, scope: Scope, watcher: Watcher) -> None:
        scopes = self._groups[resource]
        del scopes[scope][watcher]
        self.watchers -= 1
        if not scopes[scope]:
            del scopes[scope]
            if not scopes:
                del self._groups[resource]

    def publish(self, changes: Sequence[Change]) -> None:
        self.delivered = changes[-1].rev
        wanted: dict[tuple[str, Scope], list[Change]] = {}
        for change in changes:
            resource, namespace, name = change.key
            scopes = self._groups.get(resource)
            if scopes is None:
                continue
            for scope in ((None, None), (namespace, None), (namespace, name), (None, name)):
                if scope in scopes:
                    wanted.setdefault((resource, scope), []).append(change)
        for (resource, scope), found in wanted.items():
            # Over a copy: a watcher that lags behind leaves the group during delivery.
            for watcher in list(self._groups[resource][scope]):
                watcher.push(found)

    def close(self) -> None:
        for watcher in list(self._all()):
            watcher.close()

    def _all(self) -> Iterator[Watcher]:
        for scopes in self._groups.values():
            for watchers in scopes.values():
                yield from watchers
