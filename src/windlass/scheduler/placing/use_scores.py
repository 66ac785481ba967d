"""How good a node is by how full it is: Kubernetes' scores of resources, for many nodes at once.

Each answers 0 to 100 for every node of a view, as it would be with one more pod of the shape.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from windlass.scheduler.placing.columns import CPU, MEMORY, Rows, Vector
from windlass.scheduler.placing.shapes import Shape
from windlass.scheduler.placing.table import NodeTable


class View:
    """Some nodes; or one node, each time with one more pod of the shape on it."""

    def __init__(self, table: NodeTable, rows: Rows, shape: Shape, pods_more: Vector | None = None) -> None:
        self._table, self.rows, self.shape, self._more = table, rows, shape, pods_more

    def allocatable(self, column: int) -> Vector:
        return self._table.allocatable[column].take(self.rows)

    def used(self, column: int) -> Vector:
        """What is asked already."""
        found = self._table.used[column].take(self.rows)
        return found if self._more is None else found + self._more * self.shape.request[column]

    def felt(self, column: int) -> Vector:
        found = self._table.felt[column].take(self.rows)
        return found if self._more is None else found + self._more * self.shape.felt[column]


UseScore: TypeAlias = Callable[[View], Vector | None]


def least_allocated(view: View) -> Vector:
    """The share of cpu and memory that would be left free."""
    total = np.zeros(len(view.rows))
    counted = np.zeros(len(view.rows))
    for column in (CPU, MEMORY):
        offered = view.allocatable(column)
        there = offered > 0
        free = np.maximum(offered - view.felt(column) - view.shape.felt[column], 0)
        total += np.floor(free * 100 / np.where(there, offered, 1)) * there
        counted += there
    return np.floor(total / np.maximum(counted, 1))


def most_allocated(view: View) -> Vector:
    """The share of cpu and memory that would be in use."""
    total = np.zeros(len(view.rows))
    counted = np.zeros(len(view.rows))
    for column in (CPU, MEMORY):
        offered = view.allocatable(column)
        there = offered > 0
        used = np.minimum(view.felt(column) + view.shape.felt[column], offered)
        total += np.floor(used * 100 / np.where(there, offered, 1)) * there
        counted += there
    return np.floor(total / np.maximum(counted, 1))


def balanced_allocation(view: View) -> Vector | None:
    """100 where cpu and memory would be used to the same share; a pod that asks for neither has no say."""
    cpu, memory = view.shape.request[CPU], view.shape.request[MEMORY]
    if not cpu and not memory:
        return None
    cpus, bytes_ = view.allocatable(CPU), view.allocatable(MEMORY)
    there = (cpus > 0) & (bytes_ > 0)
    used_cpu = np.minimum((view.used(CPU) + cpu) / np.where(there, cpus, 1), 1.0)
    used_memory = np.minimum((view.used(MEMORY) + memory) / np.where(there, bytes_, 1), 1.0)
    likeness = np.trunc((1 - np.abs(used_cpu - used_memory) / 2) * 100)
    return np.where(there, likeness, 100.0)
