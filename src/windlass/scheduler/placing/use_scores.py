"""How good a node is by how full it is: Kubernetes' scores of resources, for many nodes at once or for one.

Each answers 0 to 100, for a node as it would be with one more pod of the shape. A score is written once, with the
arithmetic of the view that it is given: arrays for many nodes, plain numbers for one, which is far quicker than an
array of one.
"""

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from windlass.scheduler.model.columns import CPU, MEMORY, Rows
from windlass.scheduler.model.node_table import NodeTable
from windlass.scheduler.placing.shapes import Shape

Amount: TypeAlias = Any
"""An array with an amount a node, or the number of one node."""
Operation: TypeAlias = Callable[..., Amount]


class Nodes:
    """Some nodes, by their numbers."""

    def __init__(self, table: NodeTable, rows: Rows, shape: Shape) -> None:
        self._table, self.rows, self.shape = table, rows, shape

    def allocatable(self, column: int) -> Amount:
        return self._table.allocatable[column].take(self.rows)

    def used(self, column: int) -> Amount:
        """What is asked already."""
        return self._table.used[column].take(self.rows)

    def felt(self, column: int) -> Amount:
        """The same of cpu and memory, where pods that ask for nothing count for a little."""
        return self._table.felt[column].take(self.rows)

    none: Amount = 0.0
    floor: Operation = staticmethod(np.floor)
    trunc: Operation = staticmethod(np.trunc)
    root: Operation = staticmethod(np.sqrt)
    least: Operation = staticmethod(np.minimum)
    most: Operation = staticmethod(np.maximum)
    pick: Operation = staticmethod(np.where)


def _pick(condition: bool, yes: float, no: float) -> float:
    return yes if condition else no


class OneNode:
    """One node, with `more` pods of the shape on it than there are."""

    def __init__(self, table: NodeTable, number: int, shape: Shape, more: int = 0) -> None:
        self._table, self._number, self.shape, self.more = table, number, shape, more

    def allocatable(self, column: int) -> Amount:
        return self._table.allocatable.item(column, self._number)

    def used(self, column: int) -> Amount:
        found = self._table.used.item(column, self._number)
        return found + self.more * self.shape.asks(column) if self.more else found

    def felt(self, column: int) -> Amount:
        return self._table.felt.item(column, self._number) + self.more * self.shape.felt[column]

    none: Amount = 0.0
    floor: Operation = staticmethod(math.floor)
    trunc: Operation = staticmethod(math.trunc)
    root: Operation = staticmethod(math.sqrt)
    least: Operation = staticmethod(min)
    most: Operation = staticmethod(max)
    pick: Operation = staticmethod(_pick)


View: TypeAlias = Nodes | OneNode
UseScore: TypeAlias = Callable[[View], Amount | None]


def least_allocated(view: View) -> Amount:
    """The share of cpu and memory that would be left free."""
    total, counted = view.none, view.none
    for column in (CPU, MEMORY):
        offered = view.allocatable(column)
        there = offered > 0
        free = view.most(offered - view.felt(column) - view.shape.felt[column], 0)
        total = total + view.floor(free * 100 / view.pick(there, offered, 1)) * there
        counted = counted + there
    return view.floor(total / view.most(counted, 1))


def fullest_first(view: View) -> Amount:
    """The share of cpu and memory that would be in use."""
    total, counted = view.none, view.none
    for column in (CPU, MEMORY):
        offered = view.allocatable(column)
        there = offered > 0
        used = view.least(view.felt(column) + view.shape.felt[column], offered)
        total = total + view.floor(used * 100 / view.pick(there, offered, 1)) * there
        counted = counted + there
    return view.floor(total / view.most(counted, 1))


def balanced_allocation(view: View) -> Amount | None:
    """100 where cpu and memory would be used to the same share; a pod that asks for neither has no say."""
    cpu, memory = view.shape.asks(CPU), view.shape.asks(MEMORY)
    if not cpu and not memory:
        return None
    cpus, bytes_ = view.allocatable(CPU), view.allocatable(MEMORY)
    there = (cpus > 0) & (bytes_ > 0)
    used_cpu = view.least((view.used(CPU) + cpu) / view.pick(there, cpus, 1), 1.0)
    used_memory = view.least((view.used(MEMORY) + memory) / view.pick(there, bytes_, 1), 1.0)
    return view.pick(there, view.trunc((1 - abs(used_cpu - used_memory) / 2) * 100), 100.0)
