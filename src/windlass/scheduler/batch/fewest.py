"""Into how few racks (smallest hyper nodes) of a hyper node a part of a job would fit, and which these are."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from windlass.scheduler.batch.closeness import Closeness
from windlass.scheduler.batch.cluster import HyperNode
from windlass.scheduler.batch.model import Part
from windlass.scheduler.batch.parts import asked_by
from windlass.scheduler.batch.session import Session
from windlass.scheduler.placing.columns import Rows, Vector

_ALL = 1 - 1e-9


def narrowed(session: Session, near: Closeness, hyper_node: HyperNode, part: Part) -> tuple[int, HyperNode] | None:
    """How many racks it takes at least, and the hyper node without the others; None if all of them do not do."""
    rows = near.rows(hyper_node)
    rows = rows[near.homes[rows] >= 0]
    racks, rack_of = np.unique(near.homes[rows], return_inverse=True)
    used = [not part.there.isdisjoint(near.all[rack].nodes) for rack in racks.tolist()]
    chosen = _chosen(_shares(session, part, rows, rack_of, len(racks)), used)
    if chosen is None:
        return None
    names = session.cluster.snapshot.table.names
    kept = frozenset(names[number] for number in rows[np.isin(rack_of, chosen)].tolist())
    return len(chosen), replace(hyper_node, nodes=kept)


def _shares(session: Session, part: Part, rows: Rows, rack_of: NDArray[np.intp], racks: int) -> Vector:
    """Which share of the part each rack has room for."""
    shapes = {id(shape): shape for shape in (session.placer.shapes.of(task.pod) for task in part.tasks)}
    if len(shapes) == 1:
        slots = session.placer.slots(next(iter(shapes.values()))).take(rows)
        return np.bincount(rack_of, weights=slots, minlength=racks) / part.number
    needs = asked_by(part.tasks) * (part.number / max(1, len(part.tasks)))
    table, found = session.cluster.snapshot.table, np.full(racks, np.inf)
    for column in np.flatnonzero(needs).tolist():
        free = np.bincount(rack_of, weights=table.free(column).take(rows), minlength=racks)
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
