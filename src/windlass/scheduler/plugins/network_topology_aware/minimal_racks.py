"""Into how few racks (smallest hyper nodes) of a hyper node a part of a job would fit, and which these are."""

from dataclasses import replace

import numpy as np

from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.cluster import HyperNode
from windlass.scheduler.model.columns import Vector
from windlass.scheduler.model.jobs import Part
from windlass.scheduler.plugins.network_topology_aware.closeness import Closeness

_ALL = 1 - 1e-9


class MinimalRacks:
    """Of one part, as things are now."""

    def __init__(self, session: Session, near: Closeness, part: Part) -> None:
        self._names, self._near = session.cluster.snapshot.table.names, near
        self._shares = _shares(session, near, part)
        self._used = np.array([not part.there.isdisjoint(one.nodes) for one in near.all])

    def narrowed(self, hyper_node: HyperNode) -> tuple[int, HyperNode] | None:
        """How many racks it takes at least, and the hyper node without the others; None if all of them do not do."""
        racks = self._near.racks(hyper_node)
        chosen = _chosen(self._shares[racks], self._used[racks].tolist())
        if chosen is None:
            return None
        rows = self._near.rows(hyper_node)
        kept = rows[np.isin(self._near.homes[rows], racks[chosen])]
        if len(kept) == len(rows):
            return len(chosen), hyper_node
        return len(chosen), replace(hyper_node, nodes=frozenset(self._names[number] for number in kept.tolist()))


def _shares(session: Session, near: Closeness, part: Part) -> Vector:
    """Which share of the part each rack has room for, by its number."""
    table, racks = session.cluster.snapshot.table, len(near.all)
    at_home = near.homes >= 0
    homes = near.homes[at_home]
    shapes = {id(shape): shape for shape in (session.placer.shapes.of(task.pod) for task in part.tasks)}
    if len(shapes) == 1:
        slots = session.placer.slots(next(iter(shapes.values())))[at_home]
        return np.bincount(homes, weights=slots, minlength=racks) / part.number
    needs = part.asked * (part.number / max(1, len(part.tasks)))
    found = np.full(racks, np.inf)
    for column in np.flatnonzero(needs).tolist():
        free = np.bincount(homes, weights=table.free(column)[at_home], minlength=racks)
        np.minimum(found, free / needs[column], out=found)
    return np.maximum(found, 0)


def _chosen(shares: Vector, used: list[bool]) -> list[int] | None:
    """Racks that are used already, then the roomiest until it fits; for what is left at last the tightest that does."""
    order = sorted(range(len(used)), key=lambda rack: (not used[rack], -shares[rack], rack))
    chosen: list[int] = []
    left = _ALL
    for at, rack in enumerate(order):
        if left <= 0:
            break
        if not used[rack] and shares[rack] >= left:
            tightest = min(order[at:], key=lambda one: (shares[one] < left, shares[one], one))
            return [*chosen, tightest]
        if shares[rack] <= 0 and not used[rack]:
            return None
        chosen.append(rack)
        left -= shares[rack]
    return chosen if left <= 0 else None
