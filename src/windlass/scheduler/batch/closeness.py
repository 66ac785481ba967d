"""Which nodes are near each other: hyper nodes as numbers of the node table, under one root that holds every node."""

from collections.abc import Iterable, Sequence

import numpy as np

from windlass.scheduler.batch.cluster import Cluster, HyperNode
from windlass.scheduler.placing.columns import TOLERANCE, Rows, Vector
from windlass.scheduler.placing.table import NodeTable

ROOT = "<cluster-top-hypernode>"
"""The name of what no HyperNode stands for: all nodes."""


class Closeness:
    """The hyper nodes of a moment. `tiers` are those that there are, the lowest first; the root's is one above all."""

    def __init__(self, hyper_nodes: Sequence[HyperNode], table: NodeTable) -> None:
        self._table = table
        top = max((one.tier for one in hyper_nodes), default=0) + 1
        self.root = HyperNode(ROOT, top, "", frozenset(table.index))
        self.all: tuple[HyperNode, ...] = (*sorted(hyper_nodes, key=lambda one: (one.tier, one.name)), self.root)
        self.tiers = sorted({one.tier for one in self.all})
        self._rows = {id(one): self._numbers(one.nodes) for one in self.all}
        self.homes = np.full(len(table), -1, dtype=np.intp)
        """Of each node the number in `all` of the smallest hyper node that it is in; -1 if only the root has it."""
        for number, one in reversed(list(enumerate(self.all[:-1]))):
            self.homes[self.rows(one)] = number

    def _numbers(self, names: Iterable[str]) -> Rows:
        index = self._table.index
        return np.array(sorted(index[name] for name in names if name in index), dtype=np.intp)

    def rows(self, hyper_node: HyperNode) -> Rows:
        """The numbers of its nodes."""
        known = self._rows.get(id(hyper_node))
        return known if known is not None else self._numbers(hyper_node.nodes)

    def of_tier(self, tier: int) -> list[HyperNode]:
        return [one for one in self.all if one.tier == tier]

    def tier_named(self, name: str) -> int | None:
        return max((one.tier for one in self.all if one.tier_name == name), default=None)

    def holding(self, nodes: frozenset[str], up_to: int) -> list[HyperNode]:
        """Those up to a tier that all of the nodes are in."""
        return [one for one in self.all if one.tier <= up_to and (nodes <= one.nodes or one is self.root)]

    def smallest_with(self, nodes: frozenset[str]) -> HyperNode:
        """The one of the lowest tier that all of the nodes are in."""
        return next((one for one in self.all if nodes <= one.nodes), self.root)

    def has_room(self, hyper_node: HyperNode, needs: Vector) -> bool:
        """What is free in it, or will be, covers the needs."""
        table, rows = self._table, self.rows(hyper_node)
        asked = np.flatnonzero(needs)
        for future in (False, True):
            free = np.array([table.free(int(one), future=future).take(rows).sum() for one in asked])
            if (needs[asked] <= free + TOLERANCE).all():
                return True
        return False

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
