"""When there will be room for a gang, and on which nodes: arithmetic on arrays of nodes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from windlass.scheduler.model.columns import TOLERANCE, Mask, Rows, Vector
from windlass.scheduler.model.node_table import NodeTable
from windlass.scheduler.placing.shapes import Shape
from windlass.scheduler.reservations.completion_times import Running


@dataclass(frozen=True, slots=True)
class Need:
    """So many pods of a shape, on nodes of the mask."""

    shape: Shape
    number: int
    within: Mask


class Fitting:
    """Of one gang. `columns` are the resources that it asks for."""

    def __init__(self, table: NodeTable, needs: Sequence[Need]) -> None:
        self._needs = sorted(needs, key=lambda need: -max(need.shape.amounts, default=0))
        self.columns = sorted({column for need in needs for column in need.shape.columns})
        self._at = {column: number for number, column in enumerate(self.columns)}
        size = len(table)
        self._most = table.allocatable[self.columns, :size]
        self.free_now = np.array([table.free(column, future=True) for column in self.columns])
        self._slots_now = self._slots(self._needs[0], self.free_now) if self._needs else np.zeros(size)

    def _slots(self, need: Need, free: Vector) -> Vector:
        found = np.full(free.shape[1], np.inf)
        for column, amount in zip(need.shape.columns, need.shape.amounts, strict=True):
            np.minimum(found, np.floor((free[self._at[column]] + TOLERANCE) / amount), out=found)
        if need.shape.pod.anti_affinity:
            np.minimum(found, 1, out=found)  # most likely apart from its own kind
        return np.where(need.within, np.maximum(found, 0), 0)

    def nodes(self, free: Vector) -> Rows | None:
        """The fewest nodes on which all of it has room, rather those with more of it now; None: it has not."""
        free = free.copy()
        chosen: list[Rows] = []
        for need in self._needs:
            slots = self._slots(need, free)
            if slots.sum() < need.number:
                return None
            order = np.lexsort((-self._slots_now, -slots))
            reached = np.cumsum(slots[order])
            rows = order[: int(np.searchsorted(reached, need.number)) + 1]
            taken = slots[rows]
            taken[-1] -= reached[len(rows) - 1] - need.number
            for column, amount in zip(need.shape.columns, need.shape.amounts, strict=True):
                free[self._at[column], rows] -= taken * amount
            chosen.append(rows)
        return np.unique(np.concatenate(chosen)) if chosen else None

    def _fits(self, free: Vector) -> bool:
        if len(self._needs) == 1:
            return bool(self._slots(self._needs[0], free).sum() >= self._needs[0].number)
        return self.nodes(free) is not None

    def _free_after(self, running: Running, number: int) -> Vector:
        """When that many of those that run have ended."""
        rows, size = running.rows[:number], self.free_now.shape[1]
        freed = [np.bincount(rows, weights=running.amounts(column)[:number], minlength=size) for column in self.columns]
        return np.minimum(self.free_now + np.array(freed), self._most)

    def fits_now(self) -> bool:
        return self._fits(self.free_now)

    def when(self, running: Running) -> tuple[float, Rows] | None:
        """The earliest time at which there is room, and where; None: that is not known."""
        low, high = 0, running.known
        if not self._fits(self._free_after(running, high)):
            return None
        # What is free only grows with each job that ends, so the search can halve. At this point the gang fits once
        # `high` of them (ordered by end) have ended, and does not fit after fewer than `low`. Example: a gang of 4
        # GPUs, jobs with 2 GPUs each that end at 10, 20 and 30: it fits after 2 ends, so at 20.
        while low < high:
            middle = (low + high) // 2
            if self._fits(self._free_after(running, middle)):
                high = middle
            else:
                low = middle + 1
        rows = self.nodes(self._free_after(running, high))
        if rows is None or high == 0:
            return None
        return float(running.ends[high - 1]), rows

    def anywhere(self) -> Rows | None:
        """Where it would have room if nobody else were there, rather where little is used."""
        free = np.where(self._slots_now > 0, self._most, np.maximum(self.free_now, 0))
        return self.nodes(free) if self._fits(free) else self.nodes(self._most)
