"""Which nodes are near each other: hyper nodes as numbers of the node table, under one root that holds every node."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from windlass.scheduler.model.cluster import Cluster, HyperNode
from windlass.scheduler.model.columns import TOLERANCE, Mask, Rows, Vector
from windlass.scheduler.model.node_table import NodeTable

ROOT = "<cluster-top-hypernode>"
"""The name of what no HyperNode stands for: all nodes."""


class Closeness:
    """The hyper nodes of a moment. `tiers` are those that there are, the lowest first; the root's is one above all.

    A node's home, its rack, is the smallest hyper node that it is in.
    """

    def __init__(self, hyper_nodes: Sequence[HyperNode], table: NodeTable) -> None:
        self._table = table
        top = max((one.tier for one in hyper_nodes), default=0) + 1
        self.root = HyperNode(ROOT, top, "", frozenset(table.index))
        self.all: tuple[HyperNode, ...] = (*sorted(hyper_nodes, key=lambda one: (one.tier, one.name)), self.root)
        self.number = {id(one): number for number, one in enumerate(self.all)}
        """Of each its place in `all`."""
        self.tiers = sorted({one.tier for one in self.all})
        self._rows = [self._numbers(one.nodes) for one in self.all]
        self._joined = np.concatenate(self._rows)
        sizes = np.array([len(rows) for rows in self._rows], dtype=np.intp)
        self._filled = sizes > 0
        self._starts = (np.cumsum(sizes) - sizes)[self._filled]
        self.homes = np.full(len(table), -1, dtype=np.intp)
        """Of each node the number in `all` of its home; -1 if only the root has it."""
        for number, rows in reversed(list(enumerate(self._rows[:-1]))):
            self.homes[rows] = number
        self._racks: dict[int, NDArray[np.intp]] = {}

    def _numbers(self, names: Iterable[str]) -> Rows:
        index = self._table.index
        return np.array(sorted(index[name] for name in names if name in index), dtype=np.intp)

    def rows(self, hyper_node: HyperNode) -> Rows:
        """The numbers of its nodes."""
        number = self.number.get(id(hyper_node))
        return self._rows[number] if number is not None else self._numbers(hyper_node.nodes)

    def sums(self, amounts: Vector) -> Vector:
        """What the nodes of each hyper node have together."""
        found = np.zeros(len(self.all))
        if len(self._starts):
            found[self._filled] = np.add.reduceat(amounts.take(self._joined), self._starts)
        return found

    def racks(self, hyper_node: HyperNode) -> NDArray[np.intp]:
        """The homes of its nodes."""
        number = self.number[id(hyper_node)]
        found = self._racks.get(number)
        if found is None:
            homes = np.unique(self.homes[self._rows[number]])
            found = self._racks[number] = homes[homes >= 0]
        return found

    def tier_named(self, name: str) -> int | None:
        return max((one.tier for one in self.all if one.tier_name == name), default=None)

    def holding(self, nodes: frozenset[str], up_to: int) -> list[HyperNode]:
        """Those up to a tier that all of the nodes are in."""
        return [one for one in self.all if one.tier <= up_to and (nodes <= one.nodes or one is self.root)]

    def smallest_with(self, nodes: frozenset[str]) -> HyperNode:
        """The one of the lowest tier that all of the nodes are in."""
        return next((one for one in self.all if nodes <= one.nodes), self.root)

    def with_room(self, hyper_nodes: Sequence[HyperNode], needs: Vector) -> list[HyperNode]:
        """Those in which what is free, or will be, covers the needs."""
        now, then = (self._cover(needs, future=future) for future in (False, True))
        return [one for one in hyper_nodes if (now | then)[self.number[id(one)]]]

    def _cover(self, needs: Vector, *, future: bool) -> Mask:
        found = np.ones(len(self.all), dtype=np.bool_)
        for column in np.flatnonzero(needs).tolist():
            found &= needs[column] <= self.sums(self._table.free(column, future=future)) + TOLERANCE
        return found

    def tiers_to(self, hyper_node: HyperNode) -> Vector:
        """Of each node the tier of the smallest hyper node that has both it and all of this one."""
        found = np.full(len(self._table), float(self.root.tier))
        for one in reversed(self.all):
            if hyper_node.nodes <= one.nodes:
                found[self.rows(one)] = one.tier
        return found


class Watched:
    """Keeps what was made for as long as neither nodes nor hyper nodes change."""

    def __init__(self) -> None:
        self._made: tuple[tuple[HyperNode, ...], NodeTable, tuple[int, int], Closeness] | None = None

    def of(self, cluster: Cluster) -> Closeness:
        table, made = cluster.snapshot.table, self._made
        version = (table.version, len(table))
        if made is None or made[0] is not cluster.hyper_nodes or made[1] is not table or made[2] != version:
            made = self._made = (cluster.hyper_nodes, table, version, Closeness(cluster.hyper_nodes, table))
        return made[3]
