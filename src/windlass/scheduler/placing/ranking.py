"""The nodes that one shape of pod fits on, best first, kept in order while nodes fill and empty.

A node is rated again only after it changed, so a decision costs by what happened since the last one for the same shape,
not by the number of nodes.
"""

import heapq

import numpy as np

from windlass.scheduler.model import columns
from windlass.scheduler.model.columns import TOLERANCE, Mask, Rows, Vector
from windlass.scheduler.model.node_table import NodeTable
from windlass.scheduler.placing.shapes import Shape
from windlass.scheduler.placing.use_scores import Nodes, OneNode, UseScore

Weighted = tuple[tuple[UseScore, float], ...]
_ONE_BY_ONE = 16  # changes up to which plain numbers are quicker than arrays
_RATE_ALL = 4  # when one node of so many has changed, all are rated again


def rate(view: Nodes, scores: Weighted) -> Vector:
    """The weighted sum, rounded so that equal nodes are equal whatever the order of the sums."""
    total = np.zeros(len(view.rows))
    for score, weight in scores:
        found = score(view)
        if found is not None:
            total += weight * found
    return np.round(total, 6)


def rate_one(view: OneNode, scores: Weighted) -> float:
    """The same for one node."""
    total = 0.0
    for score, weight in scores:
        found = score(view)
        if found is not None:
            total += weight * found
    return round(total, 6)


def room_for(table: NodeTable, shape: Shape, rows: Rows) -> Mask:
    """Which of the nodes have enough free."""
    fits = table.present.take(rows)
    for column, amount in zip(shape.columns, shape.amounts, strict=True):
        free = table.allocatable[column].take(rows) - table.used[column].take(rows)
        if table.promises:
            free -= table.kept[column].take(rows)
        fits &= free + TOLERANCE >= amount
    return fits


def has_room(table: NodeTable, shape: Shape, number: int) -> bool:
    """The same for one node."""
    offered, used, kept = table.allocatable, table.used, table.kept
    for column, amount in zip(shape.columns, shape.amounts, strict=True):
        if offered.item(column, number) - used.item(column, number) - kept.item(column, number) + TOLERANCE < amount:
            return False
    return bool(table.present[number])


class Rates:
    """What single nodes are rated for one shape, remembered: many nodes offer the same and are asked for the same."""

    KEPT = 50_000

    def __init__(self, table: NodeTable, shape: Shape, scores: Weighted) -> None:
        self._table, self._shape, self._scores = table, shape, scores
        self._known: dict[tuple[bytes, bytes, bytes, int], float] = {}

    def of(self, number: int, more: int = 0) -> float:
        """Of a node with `more` pods of the shape on it than there are."""
        table, known = self._table, columns.known()
        key = (
            table.allocatable[:known, number].tobytes(),
            table.used[:known, number].tobytes(),
            table.felt[:, number].tobytes(),
            more,
        )
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= self.KEPT:
                self._known.clear()
            found = self._known[key] = rate_one(OneNode(table, number, self._shape, more), self._scores)
        return found


class Ranking:
    """`allowed` says which nodes the shape may be on at all; it is of the table's present version."""

    def __init__(self, table: NodeTable, shape: Shape, scores: Weighted, allowed: Mask) -> None:
        self._table, self.shape, self._scores, self._allowed = table, shape, scores, allowed
        self.rates = Rates(table, shape, scores)
        self._heap: list[tuple[float, str, int, int]] = []
        self._stamps = [0] * len(table)
        self._epoch = table.epoch
        self._at = len(table.changes)
        self._rate(np.arange(len(table), dtype=np.intp))

    def best(self) -> int | None:
        """The number of the best node with room."""
        self._catch_up()
        heap, stamps = self._heap, self._stamps
        while heap:
            _, _, number, stamp = heap[0]
            if stamps[number] == stamp:
                return number
            heapq.heappop(heap)
        return None

    def next_best(self) -> tuple[float, str] | None:
        """Rate and name of the next node after the best, which was just asked for."""
        heap, stamps = self._heap, self._stamps
        if len(heap) < 2:
            return None
        second = min(heap[1:3])
        if stamps[second[2]] == second[3]:
            return -second[0], second[1]
        top = heapq.heappop(heap)
        while heap and stamps[heap[0][2]] != heap[0][3]:
            heapq.heappop(heap)
        found = (-heap[0][0], heap[0][1]) if heap else None
        heapq.heappush(heap, top)
        return found

    def _catch_up(self) -> None:
        table = self._table
        if self._epoch != table.epoch:
            self._epoch, self._at = table.epoch, len(table.changes)
            self._rate(np.arange(len(self._stamps), dtype=np.intp))
            return
        if self._at == len(table.changes):
            return
        changed = set(table.changes[self._at :])
        self._at = len(table.changes)
        if len(changed) <= _ONE_BY_ONE:
            for number in changed:
                self._rate_one(number)
        elif len(changed) * _RATE_ALL > len(self._stamps):
            self._rate(np.arange(len(self._stamps), dtype=np.intp))
        else:
            self._rate(np.fromiter(changed, dtype=np.intp, count=len(changed)))

    def _rate_one(self, number: int) -> None:
        self._stamps[number] += 1
        if not self._allowed[number] or not has_room(self._table, self.shape, number):
            return
        heap, entry = self._heap, (-self.rates.of(number), self._table.names[number], number, self._stamps[number])
        if heap and heap[0][2] == number:  # mostly the best one has changed: its old entry goes at once
            heapq.heapreplace(heap, entry)
        else:
            heapq.heappush(heap, entry)

    def _rate(self, rows: Rows) -> None:
        fitting = rows[room_for(self._table, self.shape, rows) & self._allowed.take(rows)]
        rates = rate(Nodes(self._table, fitting, self.shape), self._scores).tolist()
        stamps, names = self._stamps, self._table.names
        for number in rows.tolist():
            stamps[number] += 1
        entries = [
            (-found, names[number], number, stamps[number])
            for number, found in zip(fitting.tolist(), rates, strict=True)
        ]
        if len(rows) * _RATE_ALL > len(stamps):
            if len(rows) < len(stamps):
                entries += [entry for entry in self._heap if stamps[entry[2]] == entry[3]]
            heapq.heapify(entries)
            self._heap = entries
        else:
            for entry in entries:
                heapq.heappush(self._heap, entry)
