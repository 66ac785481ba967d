"""Finds the fewest victims so that a whole gang has room: tried out, never guessed.

Bundles of victims are assumed to be evicted, in their order, until the gang can be placed as `allocate` would place it,
on what is idle and what they leave together. Then as many come back as can. If it does not fit even without all, there
is no victim. Example: a gang of 4 GPUs, one GPU idle, bundles a (1 GPU), b (1), c (2) in their order. Without a and b
there are 3, without c too 5: c is the third and the last. Then each is put back in turn: without b and c there are 4
still, so a stays; without c alone 3, so b is a victim.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from windlass.scheduler.actions.attempt import Attempt
from windlass.scheduler.actions.bundles import Bundle
from windlass.scheduler.framework.assumed_evictions import AssumedEvictions
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.columns import TOLERANCE, Mask, Vector
from windlass.scheduler.model.jobs import Job, Queue, Task
from windlass.scheduler.placing.shapes import Shape

TRIALS = 200  # placements tried to spare victims, one after the other


@dataclass(frozen=True)
class Plan:
    """Who goes, and where the tasks of the gang are then."""

    victims: tuple[Task, ...]
    places: tuple[tuple[Task, str], ...]
    hyper_node: str
    whole: int
    """How many jobs go as a whole."""

    @property
    def cost(self) -> tuple[int, int, int]:
        return self.whole, max(task.job.priority for task in self.victims), len(self.victims)


@dataclass(frozen=True)
class _Fit:
    """A placement of the gang, and what it leaves free on each node."""

    places: tuple[tuple[Task, str], ...]
    hyper_node: str
    left: Vector


class Search:
    """For one gang, on the nodes `within`, or all."""

    def __init__(self, session: Session, queue: Queue, job: Job, within: Mask | None = None) -> None:
        self._session, self._queue, self._job, self._within = session, queue, job, within
        self._table = session.cluster.snapshot.table
        self._chosen: list[Bundle] = []
        self._spared: set[str] = set()

    def find(self, bundles: Sequence[Bundle]) -> Plan | None:
        """None: they are of no help, or none has to go."""
        if not bundles:
            return None
        placer = self._session.placer
        plain = all(placer.is_quick(placer.shapes.of(task.pod)) for task in self._job.pending.values())
        with AssumedEvictions(self._session, plain=plain) as world:
            if self._fit() is not None or not self._could_fit(bundles):
                return None
            number = self._least(world, bundles)
            if not number:
                return None
            self._chosen = list(bundles[:number])
            fit = self._try(world)
            assert fit is not None
            if plain:
                self._spare_what_is_left(fit)
            fit = self._spare_by_trial(world, self._try(world) or fit)
        whole = sum(bundle.whole for bundle in self._chosen)
        return Plan(tuple(self._victims()), fit.places, fit.hyper_node, whole)

    # --- whether it fits

    def _fit(self) -> _Fit | None:
        """Where the whole gang is, as the world is supposed to be now."""
        if not self._enough(self._slots(None)):
            return None
        attempt = Attempt(self._session, self._queue, self._job, within=self._within)
        fit: _Fit | None = None
        if attempt.place() and self._session.is_ready(self._job):
            size = len(self._table)
            left = self._table.allocatable[:, :size] - self._table.used[:, :size] - self._table.kept[:, :size]
            fit = _Fit(tuple(attempt.statement.places), attempt.hyper_node, left)
        attempt.statement.discard()
        return fit

    def _could_fit(self, bundles: Sequence[Bundle]) -> bool:
        """By numbers alone: is there room for enough pods without all of them."""
        freed = np.zeros((self._table.used.shape[0], len(self._table)))
        for bundle in bundles:
            for task in bundle.tasks:
                freed[:, self._table.index[task.node]] += task.request
        return self._enough(self._slots(freed))

    def _slots(self, freed: Vector | None) -> list[tuple[int, float]]:
        """Of each shape that waits how many pods there are, and how many there is room for."""
        shapes: dict[int, tuple[Shape, Task, int]] = {}
        for task in self._job.pending.values():
            shape = self._session.placer.shapes.of(task.pod)
            known = shapes.get(id(shape))
            shapes[id(shape)] = (shape, task, known[2] + 1 if known is not None else 1)
        return [(number, self._room(shape, task, freed)) for shape, task, number in shapes.values()]

    def _room(self, shape: Shape, task: Task, freed: Vector | None) -> float:
        session = self._session
        allowed = session.placer.allowed(shape)
        for mask in (self._within, session.mask(task) if freed is None else None, session.keep_out(self._job)):
            allowed = allowed if mask is None else allowed & mask
        found = np.full(len(self._table), np.inf)
        for column, amount in zip(shape.columns, shape.amounts, strict=True):
            free = self._table.free(column) + (freed[column] if freed is not None else 0)
            np.minimum(found, np.floor((free + TOLERANCE) / amount), out=found)
        return float(np.maximum(found[allowed], 0).sum())

    def _enough(self, slots: Sequence[tuple[int, float]]) -> bool:
        return sum(min(number, room) for number, room in slots) >= max(1, self._job.min_member - self._job.ready)

    # --- how many bundles

    def _least(self, world: AssumedEvictions, bundles: Sequence[Bundle]) -> int:
        """The smallest number of them, in their order, that makes room; 0 if all are not enough."""

        def fits(number: int) -> bool:
            self._chosen = list(bundles[:number])
            return self._try(world) is not None

        low, high = 0, 1
        while not fits(high):
            if high == len(bundles):
                return 0
            low, high = high, min(len(bundles), 2 * high)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if fits(middle) else (middle, high)
        return high

    # --- who is spared

    def _victims(self) -> list[Task]:
        found = {task.uid: task for bundle in self._chosen for task in bundle.all_tasks}
        return [task for uid, task in found.items() if uid not in self._spared]

    def _try(self, world: AssumedEvictions) -> _Fit | None:
        world.without(self._victims())
        return self._fit()

    def _spare_what_is_left(self, fit: _Fit) -> None:
        """Those stay whose room the gang does not use; the last ones first."""
        left = fit.left.copy()
        for bundle in reversed(list(self._chosen)):
            for tasks in self._units(bundle):
                trial = left.copy() if len(tasks) > 1 else left
                if all(self._stays(task, trial) for task in tasks):
                    left = trial
                    self._keep(bundle, tasks)

    def _stays(self, task: Task, left: Vector) -> bool:
        number = self._table.index[task.node]
        if (left[:, number] + TOLERANCE < task.request).any():
            return False
        left[:, number] -= task.request
        return True

    def _spare_by_trial(self, world: AssumedEvictions, fit: _Fit) -> _Fit:
        """Those stay without whom the gang finds other places."""
        trials = 0
        for bundle in reversed(list(self._chosen)):
            for tasks in self._units(bundle):
                if trials >= TRIALS or len(self._victims()) <= len(tasks):
                    return fit
                before = list(self._chosen), set(self._spared)
                self._keep(bundle, tasks)
                found = self._try(world)
                trials += 1
                if found is not None:
                    fit = found
                else:
                    self._chosen, self._spared = before
        return fit

    def _units(self, bundle: Bundle) -> list[tuple[Task, ...]]:
        """What of a bundle can stay: all of a whole one; of what a job can spare, each."""
        if bundle.whole:
            return [bundle.tasks]
        if any(other.whole and other.job is bundle.job for other in self._chosen):
            return []
        return [(task,) for task in reversed(bundle.tasks) if task.uid not in self._spared]

    def _keep(self, bundle: Bundle, tasks: Sequence[Task]) -> None:
        if bundle.whole:
            self._chosen.remove(bundle)
        else:
            self._spared.update(task.uid for task in tasks)
