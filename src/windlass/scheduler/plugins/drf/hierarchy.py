"""Queues in a tree, each sharing with its siblings by dominant share and weight (hierarchical DRF). Pure.

A queue says where it is by annotations: `volcano.sh/hierarchy: root/eng/dev` and `volcano.sh/hierarchy-weights: 1/2/8`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from windlass.scheduler.model.amounts import float_of
from windlass.scheduler.model.columns import TOLERANCE, WIDTH, Vector, inverse, share
from windlass.scheduler.model.jobs import Queue, Task

PATH, WEIGHTS = "volcano.sh/hierarchy", "volcano.sh/hierarchy-weights"


@dataclass(slots=True)
class _Branch:
    weight: float = 1.0
    children: "dict[str, _Branch]" = field(default_factory=dict[str, "_Branch"])
    leaf: Queue | None = None
    allocated: Vector = field(default_factory=lambda: np.zeros(WIDTH))
    requested: Vector = field(default_factory=lambda: np.zeros(WIDTH))
    saturated: bool = False
    share: float = 0.0


Key = tuple[tuple[bool, float], ...]
"""From the root down: who comes first is the one with the lesser key."""


class Hierarchy:
    """The tree of one cycle; what queues have is read when a key is asked for."""

    def __init__(self, queues: Iterable[Queue], total: Vector) -> None:
        self._total, self._parts = total, inverse(total)
        self._root = _Branch()
        self._paths: dict[str, tuple[str, ...]] = {}
        self._queues = list(queues)
        for queue in self._queues:
            self._plant(queue)

    def _plant(self, queue: Queue) -> None:
        path, weights = path_of(queue)
        self._paths[queue.name] = path
        branch = self._root
        for name, weight in zip(path, weights, strict=True):
            branch = branch.children.setdefault(name, _Branch())
            branch.weight = weight
        branch.leaf = queue

    def key(self, queue: Queue, moved: dict[str, Vector] | None = None) -> Key:
        """Saturated branches come last; else the lesser share for its weight comes first.

        `moved` is what queues would have more or less than they do.
        """
        free = self._total - sum((one.allocated for one in self._queues), np.zeros(WIDTH))
        self._weigh(self._root, free, moved or {})
        key: list[tuple[bool, float]] = []
        branch = self._root
        for name in self._paths[queue.name]:
            branch = branch.children[name]
            key.append((branch.saturated, round(branch.share / branch.weight, 6)))
        return tuple(key)

    def reclaimable(self, reclaimer: Task, candidates: Sequence[Task]) -> list[Task]:
        """Those whose queue would come strictly after the reclaimer's once the one had given to the other."""
        found: list[Task] = []
        mine = next((one for one in self._queues if one.name == reclaimer.job.queue), None)
        for task in candidates if mine is not None else ():
            theirs = next((one for one in self._queues if one.name == task.job.queue), None)
            if theirs is None or theirs is mine or mine is None:
                continue
            moved = {mine.name: reclaimer.request, theirs.name: -task.request}
            if self.key(mine, moved) < self.key(theirs, moved):
                found.append(task)
        return found

    def _weigh(self, branch: _Branch, free: Vector, moved: dict[str, Vector]) -> None:
        if branch.leaf is not None:
            queue = branch.leaf
            branch.allocated = queue.allocated + moved.get(queue.name, 0)
            branch.requested = queue.requested
            branch.saturated = _is_saturated(branch.allocated, branch.requested, free)
        else:
            self._sum_up(branch, free, moved)
        branch.share = share(np.maximum(branch.allocated, 0), self._parts)

    def _sum_up(self, branch: _Branch, free: Vector, moved: dict[str, Vector]) -> None:
        """Children that could have more count as if all had the share of the least of them."""
        for child in branch.children.values():
            self._weigh(child, free, moved)
        children = list(branch.children.values())
        growing = [one for one in children if not one.saturated and one.share > 0]
        least = min((one.share for one in growing), default=0.0)
        branch.allocated = sum((one.allocated for one in children if one.saturated), np.zeros(WIDTH))
        for one in growing:
            branch.allocated = branch.allocated + one.allocated * (least / one.share)
        branch.requested = sum((one.requested for one in children), np.zeros(WIDTH))
        branch.saturated = bool(children) and all(one.saturated for one in children)


def _is_saturated(allocated: Vector, requested: Vector, free: Vector) -> bool:
    """Something that it asks for it has in full, or nobody has any more of."""
    asked = requested > 0
    granted = (allocated + TOLERANCE >= requested) & asked
    exhausted = (free <= TOLERANCE) & asked
    return bool((granted | exhausted).any()) or not asked.any()


def path_of(queue: Queue) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Names and weights below the root; a queue that says nothing is a child of the root by its own weight."""
    told = [part for part in queue.annotations.get(PATH, "").split("/") if part]
    weights = [part for part in queue.annotations.get(WEIGHTS, "").split("/") if part]
    if told and told[0] == "root":
        told, weights = told[1:], weights[1:]
    if not told or len(told) != len(weights):
        return (queue.name,), (float(queue.weight),)
    return tuple(told), tuple(float_of(one) or 1.0 for one in weights)
