"""Each resource has a number: its place in every array. Names are numbered as they come, once a process."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from windlass.apis.wellknown import NVIDIA_GPU

Vector = NDArray[np.float64]
"""An amount of each resource: cpu in thousandths, all else in units."""
Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]

WIDTH = 64
"""How many resources are distinguished. Those beyond share the last column, of which no node has any."""
CPU, MEMORY, PODS, GPU = range(4)
BEYOND = WIDTH - 1
TOLERANCE = 0.1  # units by which an amount may be exceeded, so that sums of fractions do not matter

_NAMES: list[str] = ["cpu", "memory", "pods", NVIDIA_GPU]
_COLUMNS: dict[str, int] = {name: column for column, name in enumerate(_NAMES)}


def column(name: str) -> int:
    found = _COLUMNS.get(name)
    if found is not None:
        return found
    if len(_NAMES) >= BEYOND:
        return BEYOND
    _NAMES.append(name)
    _COLUMNS[name] = len(_NAMES) - 1
    return len(_NAMES) - 1


def known() -> int:
    """How many resources were named so far: no array has anything in the columns beyond, but in the last."""
    return len(_NAMES) if len(_NAMES) < BEYOND else WIDTH


def name_of(number: int) -> str:
    return _NAMES[number] if number < len(_NAMES) else "other resources"


def vector(amounts: Mapping[str, float]) -> Vector:
    """The amounts in their columns; what is not named is 0."""
    found = np.zeros(WIDTH)
    for name, amount in amounts.items():
        found[column(name)] += amount
    return found


def limits(amounts: Mapping[str, float]) -> Vector:
    """As `vector`, but what is not named has no limit."""
    found = np.full(WIDTH, np.inf)
    for name, amount in amounts.items():
        found[column(name)] = amount
    return found


def named(amounts: Vector) -> dict[str, float]:
    """What there is more than nothing of, by name."""
    return {name_of(int(number)): float(amounts[number]) for number in np.flatnonzero(amounts)}


def fits(wanted: Vector, limit: Vector) -> bool:
    """No more is wanted of anything than there is."""
    return bool((wanted <= limit + TOLERANCE).all())


def fits_where_asked(wanted: Vector, asked: Vector, limit: Vector) -> bool:
    """As `fits`, but only for what `asked` has any of."""
    return bool((wanted <= limit + TOLERANCE)[asked > 0].all())


def short(wanted: Vector, asked: Vector, limit: Vector) -> list[str]:
    """The names of what is asked and more is wanted of than there is."""
    lacking = (wanted > limit + TOLERANCE) & (asked > 0)
    return sorted(name_of(int(number)) for number in np.flatnonzero(lacking))


def inverse(whole: Vector) -> Vector:
    """What `share` multiplies by: made once for many shares of the same."""
    return 1 / np.where(whole > 0, whole, 1.0)


def share(part: Vector, inverse_of_whole: Vector) -> float:
    """The largest part of anything: the dominant share. What there is none of counts whole once it is used."""
    return float((part * inverse_of_whole).max())
