"""Pods that found no node, indexed by what refused them: a change looks only at the pods that it may help.

A change of volumes, say, costs nothing beside 60,000 pods that lack cpu; and if a node has resources again, pods that
request the same are asked about once for all of them.
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain, takewhile

from windlass.scheduler.model.pod_info import PodInfo

RESOURCES = "resources"
"""The predicate that compares requests with what a node has left."""
Requests = frozenset[tuple[str, int]]


@dataclass(slots=True)
class Alike:
    """Resting pods with the same requests that resources were refused to."""

    requests: Requests
    example: PodInfo
    entries: "dict[str, Waiting]" = field(default_factory=dict[str, "Waiting"])


@dataclass(slots=True)
class Waiting:
    """One pod's place in the queue."""

    pod: PodInfo
    since: float
    attempts: int = 0
    rested_at: float = 0.0
    ready_at: float = 0.0
    changes: int = 0
    """The number of changes that were known when it was last decided on."""
    refused_by: frozenset[str] = field(default_factory=frozenset[str])
    state: str = "active"
    failed: bool = False
    """By an error, not for want of a node."""
    missed: bool = False
    """The pod changed while it was being decided on."""
    ticket: int = 0
    alike: Alike | None = None
    """Where it is in the index of resting pods."""

    @property
    def order(self) -> tuple[int, float, str]:
        return -self.pod.priority, self.since, self.pod.uid


@dataclass(frozen=True, slots=True)
class Change:
    """Something in the cluster changed that may help pods: by default any, else those that a predicate refused."""

    refused_by: frozenset[str] | None = None
    fits: Callable[[PodInfo], bool] | None = None
    """Whether a pod's requests can be met now: for pods that lack resources, called once for all alike."""


ANY_POD = Change()


class RestingPods:
    """Entries by uid: of each namespace in the order in which they came to rest, and by what refused them."""

    def __init__(self) -> None:
        self._by_namespace: dict[str, dict[str, Waiting]] = {}
        self._by_predicate: dict[str, dict[str, Waiting]] = {}
        self._by_requests: dict[Requests, Alike] = {}

    def add(self, entry: Waiting) -> None:
        uid, pod = entry.pod.uid, entry.pod
        self._by_namespace.setdefault(pod.key.namespace, {})[uid] = entry
        for predicate in entry.refused_by:
            self._by_predicate.setdefault(predicate, {})[uid] = entry
        if RESOURCES in entry.refused_by:
            entry.alike = self._alike(pod)
            entry.alike.entries[uid] = entry

    def _alike(self, pod: PodInfo) -> Alike:
        requests = frozenset(pod.requests.items())
        alike = self._by_requests.get(requests)
        if alike is None:
            alike = self._by_requests[requests] = Alike(requests, pod)
        return alike

    def remove(self, entry: Waiting) -> None:
        uid, alike, entry.alike = entry.pod.uid, entry.alike, None
        _drop(self._by_namespace, entry.pod.key.namespace, uid)
        for predicate in entry.refused_by:
            _drop(self._by_predicate, predicate, uid)
        if alike is not None:
            del alike.entries[uid]
            if not alike.entries:
                del self._by_requests[alike.requests]

    def helped_by(self, change: Change) -> list[Waiting]:
        """The entries that a change may help."""
        if change.refused_by is None:
            return list(chain.from_iterable(entries.values() for entries in self._by_namespace.values()))
        helped: dict[str, Waiting] = {}
        for predicate in change.refused_by:
            helped |= self._by_predicate.get(predicate, {})
        if change.fits is not None:
            for alike in self._by_requests.values():
                if change.fits(alike.example):
                    helped |= alike.entries
        return list(helped.values())

    def longest(self, is_stale: Callable[[Waiting], bool], limit: int) -> list[Waiting]:
        """At most `limit` stale entries: the oldest of each namespace, in turns.

        Of the entries a0, a1, a2 of one namespace and b0 of another, three are a0, b0, a1. An entry that came to rest
        after a fresh one of its namespace must be fresh too: it is not looked at.
        """
        lines: deque[Iterator[Waiting]] = deque(
            takewhile(is_stale, entries.values()) for entries in self._by_namespace.values()
        )
        stale: list[Waiting] = []
        while lines and len(stale) < limit:
            entry = next(lines[0], None)
            if entry is None:
                lines.popleft()
            else:
                stale.append(entry)
                lines.rotate(-1)
        return stale


def _drop(index: dict[str, dict[str, Waiting]], name: str, uid: str) -> None:
    del index[name][uid]
    if not index[name]:
        del index[name]
