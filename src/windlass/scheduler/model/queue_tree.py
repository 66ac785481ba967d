"""Queues under their parents: what each may have at most and deserves, and what it has with all below it. Pure.

Without a hierarchy each queue stands alone.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from windlass.scheduler.model.columns import WIDTH, Vector
from windlass.scheduler.model.jobs import Queue

ROOT = "root"
_FULL = 1e9  # the share of a queue that deserves nothing and has something


class QueueTree:
    """`real`: what a queue may have at most; `deserved`: what it may take back from others. By name."""

    def __init__(self, queues: Iterable[Queue], total: Vector, *, hierarchical: bool) -> None:
        self._queues = {queue.name: queue for queue in queues}
        self._hierarchical = hierarchical
        self._total = total
        self.real: dict[str, Vector] = {}
        self.deserved: dict[str, Vector] = {}
        self._children: dict[str, list[str]] = {}
        for queue in self._queues.values():
            if hierarchical and queue.name != ROOT:
                self._children.setdefault(self._parent(queue), []).append(queue.name)
        self._chains = {name: self._chain(name) for name in self._queues}
        self._below: dict[str, list[Queue]] = {name: [] for name in (*self._queues, ROOT)}
        for name, chain in self._chains.items():
            for one in chain:
                self._below[one].append(self._queues[name])
        self._share_out()

    def _parent(self, queue: Queue) -> str:
        return queue.parent if queue.parent in self._queues else ROOT

    def _chain(self, name: str) -> tuple[str, ...]:
        """The queue and all above it, the nearest first; a circle ends where it began."""
        if not self._hierarchical:
            return (name,)
        found: list[str] = []
        while name not in found:
            found.append(name)
            if name == ROOT or name not in self._queues:
                break
            name = self._parent(self._queues[name])
        return tuple(found) if found[-1] == ROOT else (*found, ROOT)

    # --- what is whose

    def _share_out(self) -> None:
        if not self._hierarchical:
            self._share_among(list(self._queues), self._total)
            return
        root = self._queues.get(ROOT)
        self.real[ROOT] = np.minimum(root.capability, self._total) if root is not None else self._total
        waiting, seen = [ROOT], {ROOT}
        while waiting:
            name = waiting.pop()
            children = [one for one in self._children.get(name, []) if one not in seen]
            self._share_among(children, self.real[name])
            seen.update(children)
            waiting += children
        for name in self._queues:
            if name not in seen:  # in a circle of parents: nobody's
                self.real[name] = self.deserved[name] = np.zeros(WIDTH)
        self._sum_up_deserved()

    def _share_among(self, names: Sequence[str], whole: Vector) -> None:
        queues = [self._queues[name] for name in names]
        guaranteed = sum((queue.guarantee for queue in queues), np.zeros(WIDTH))
        for queue in queues:
            real = np.minimum(queue.capability, whole - guaranteed + queue.guarantee)
            told = queue.deserved if queue.deserved is not None else np.zeros(WIDTH)
            self.real[queue.name] = real
            self.deserved[queue.name] = np.maximum(np.minimum(told, real), queue.guarantee)

    def _sum_up_deserved(self) -> None:
        """A parent of which nothing is said deserves what its children do."""
        self.deserved.setdefault(ROOT, np.zeros(WIDTH))
        for name in sorted(self._children, key=lambda one: -len(self._chains.get(one, ()))):
            queue = self._queues.get(name)
            if queue is None or queue.deserved is None:
                children = sum((self.deserved[one] for one in self._children[name]), np.zeros(WIDTH))
                self.deserved[name] = np.maximum(np.minimum(children, self.real[name]), self.deserved[name])

    # --- questions

    def chain(self, queue: Queue) -> tuple[str, ...]:
        """Its name and those of all above it."""
        return self._chains[queue.name]

    def is_leaf(self, queue: Queue) -> bool:
        return not self._children.get(queue.name)

    def sum(self, name: str, amount: Callable[[Queue], Vector]) -> Vector:
        """An amount of a queue with all below it."""
        return sum((amount(queue) for queue in self._below[name]), np.zeros(WIDTH))

    def allocated(self, name: str) -> Vector:
        return self.sum(name, lambda queue: queue.allocated)

    def guarantee(self, name: str) -> Vector:
        queue = self._queues.get(name)
        return queue.guarantee if queue is not None else np.zeros(WIDTH)

    def share(self, name: str) -> float:
        """The largest part that it has of anything that it deserves."""
        deserved, allocated = self.deserved[name], self.allocated(name)
        there = deserved > 0
        if not there.any():
            return _FULL if (allocated > 0).any() else 0.0
        return float((allocated[there] / deserved[there]).max())

    def order(self, queue: Queue) -> tuple[tuple[int, float], ...]:
        """Level by level from the top: two queues differ first just under what they have in common."""
        chain = [name for name in reversed(self._chains[queue.name]) if name != ROOT]
        return tuple((-self._queues[name].priority, round(self.share(name), 6)) for name in chain)

    def distance(self, one: Queue, other: Queue) -> int:
        """How far up what they have in common is."""
        chain = self._chains[one.name]
        return next((at for at, name in enumerate(chain) if name in self._chains[other.name]), len(chain))
