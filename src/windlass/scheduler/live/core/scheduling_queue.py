"""Pods that wait for a node: in order of priority, then of time; those that found none rest until something changes.

Pure bookkeeping, the clock is an argument. A pod that fails goes to rest. An event that may help brings it back: at
once when nothing else waits, else when its back-off (1 s, doubling to 10 s) is over. After five minutes it comes back
if anything at all has changed meanwhile, though not with all others at once: pods that nothing can schedule cost
nothing where nothing happens, and little where much does.
"""

import heapq

from windlass.scheduler.live.core.resting_pods import Change, RestingPods, Waiting
from windlass.scheduler.model.pod_info import PodInfo

FIRST_BACKOFF, LONGEST_BACKOFF = 1.0, 10.0  # seconds; kube-scheduler's defaults
MAX_REST_SECONDS = 300.0
MAX_STALE = 1000
"""Pods that a flush brings back, at most."""


class SchedulingQueue:
    """At most one entry a pod; `active`, `backoff`, `resting` or `taken` (being decided on or bound)."""

    def __init__(self) -> None:
        self._entries: dict[str, Waiting] = {}
        self._active: list[tuple[tuple[int, float, str], int, Waiting]] = []
        self._backoff: list[tuple[float, tuple[int, float, str], int, Waiting]] = []
        self._ticket = 0
        self._changes = 0
        self._resting = RestingPods()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, uid: str) -> Waiting | None:
        return self._entries.get(uid)

    def add(self, pod: PodInfo, now: float) -> None:
        """A new pod, or the same changed: a changed one that rests is tried again."""
        entry = self._entries.get(pod.uid)
        if entry is None:
            entry = self._entries[pod.uid] = Waiting(pod, now)
            self._activate(entry)
            return
        rested = entry.state == "resting"
        self._leave(entry)  # it is indexed as it was
        entry.pod = pod
        if rested:
            self._activate(entry)
        else:
            entry.missed = True

    def keep(self, pod: PodInfo) -> None:
        """Only what the pod's status says has changed."""
        if pod.uid in self._entries:
            self._entries[pod.uid].pod = pod

    def remove(self, uid: str) -> None:
        entry = self._entries.pop(uid, None)
        if entry is not None:
            self._leave(entry)
            entry.ticket = -1

    def pop(self, now: float) -> Waiting | None:
        """The next to decide on; it is `taken` until it fails or is removed."""
        self._ripen(now)
        while self._active:
            _, ticket, entry = heapq.heappop(self._active)
            if entry.ticket == ticket:
                return self._take(entry)
        while self._backoff:
            *_, ticket, entry = heapq.heappop(self._backoff)
            if entry.ticket == ticket and entry.failed:
                heapq.heappush(self._backoff, (entry.ready_at, entry.order, ticket, entry))
                return None
            if entry.ticket == ticket:
                return self._take(entry)
        return None

    def _take(self, entry: Waiting) -> Waiting:
        entry.state, entry.ticket, entry.missed = "taken", 0, False
        entry.changes = self._changes
        entry.attempts += 1
        return entry

    def rest(self, uid: str, refused_by: frozenset[str], now: float) -> None:
        """No node was found: wait for a change."""
        entry = self._entries.get(uid)
        if entry is None:
            return
        self._leave(entry)
        entry.rested_at, entry.ready_at = now, now + backoff(entry.attempts)
        entry.refused_by, entry.failed = refused_by, False
        if entry.missed or entry.changes < self._changes:  # something changed while it was being decided on
            self._back_off(entry)
        else:
            entry.state = "resting"
            self._resting.add(entry)

    def retry(self, uid: str, now: float) -> None:
        """Something went wrong that is not the pod's fault: try again after its back-off."""
        entry = self._entries.get(uid)
        if entry is not None:
            entry.ready_at, entry.failed = now + backoff(entry.attempts), True
            self._back_off(entry)

    def wake(self, change: Change, now: float) -> bool:
        """Something changed: bring back the pods that it may help. True when there is one."""
        self._changes += 1
        helped = self._resting.helped_by(change)
        for entry in helped:
            self._activate(entry) if entry.ready_at <= now else self._back_off(entry)
        return bool(helped)

    def flush(self, now: float) -> None:
        """Activate pods that have rested for long, in case a change helps them although `wake` did not expect it to.

        Namespaces take turns, and the pods beyond `MAX_STALE` come with the next flush.
        """

        def is_stale(entry: Waiting) -> bool:
            """False for all that came to rest after one of which it is false, as `longest` expects.

            All that rest have been decided on after every change until then: otherwise they would not rest.
            """
            return entry.changes < self._changes and now - entry.rested_at > MAX_REST_SECONDS

        for entry in self._resting.longest(is_stale, MAX_STALE):
            self._activate(entry)

    def next_at(self) -> float | None:
        """When the next back-off ends."""
        return self._backoff[0][0] if self._backoff else None

    def _ripen(self, now: float) -> None:
        while self._backoff and self._backoff[0][0] <= now:
            *_, ticket, entry = heapq.heappop(self._backoff)
            if entry.ticket == ticket:
                self._activate(entry)

    def _activate(self, entry: Waiting) -> None:
        self._leave(entry)
        entry.state = "active"
        heapq.heappush(self._active, (entry.order, self._next(entry), entry))

    def _back_off(self, entry: Waiting) -> None:
        self._leave(entry)
        entry.state = "backoff"
        heapq.heappush(self._backoff, (entry.ready_at, entry.order, self._next(entry), entry))

    def _leave(self, entry: Waiting) -> None:
        if entry.state == "resting":
            self._resting.remove(entry)
            entry.state = "taken"

    def _next(self, entry: Waiting) -> int:
        self._ticket += 1
        entry.ticket = self._ticket
        return self._ticket


def backoff(attempts: int) -> float:
    return min(FIRST_BACKOFF * 2 ** min(max(attempts - 1, 0), 10), LONGEST_BACKOFF)
