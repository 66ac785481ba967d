"""What each queue should have: dominant shares raised together, in proportion to weights, as far as there is demand."""

import numpy as np

from windlass.scheduler.model.columns import Vector

_LITTLE = 1e-9


def shares_of(amounts: Vector, capacity: Vector) -> Vector:
    """The dominant share of each row: the largest part of anything that it has."""
    there = capacity > 0
    if not there.any() or not len(amounts):
        return np.zeros(len(amounts))
    return (amounts[:, there] / capacity[there]).max(axis=1)


def fair_shares(demand: Vector, weights: Vector, capacity: Vector) -> Vector:
    """Weighted progressive filling: all grow until they have what they ask for, or something that they need is out."""
    wanted = shares_of(demand, capacity)
    found = np.zeros(len(wanted))
    there = capacity > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        per_share = np.where(wanted[:, None] > 0, demand[:, there] / capacity[there] / wanted[:, None], 0.0)
    free = np.ones(int(there.sum()))
    growing = wanted > _LITTLE
    while growing.any():
        pace = np.where(growing, weights, 0.0)
        drain = pace @ per_share
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            until_empty = np.where(drain > _LITTLE, free / drain, np.inf)
            until_met = np.where(growing, (wanted - found) / weights, np.inf)
        step = max(0.0, min(float(until_empty.min(initial=np.inf)), float(until_met.min())))
        found += pace * step
        free -= drain * step
        out = (free <= _LITTLE) & (drain > _LITTLE)
        blocked = (per_share[:, out] > _LITTLE).any(axis=1)
        growing &= (found < wanted - _LITTLE) & ~blocked
    return found
