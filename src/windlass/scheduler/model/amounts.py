"""Quantities of the API as numbers that the scheduler can add up. Pure; no quantity is too large for it.

Sums are kept in 64-bit floats, which hold whole numbers up to 2^53 exactly. An amount that is far beyond anything real
is counted as the bound of its kind, so that one object can neither overflow a sum nor blur what others add to it.
"""

from collections.abc import Mapping

from windlass.kube.quantity import Quantity

A_POD = 2**50
"""Counted of one resource of one pod at most: a pebibyte, or as many thousandths of a cpu."""
A_NODE = A_POD - 1
"""Of a node: a pod that asks for more than is counted fits on no node."""
A_GANG = 2**52
"""Of the minimum of a gang."""
A_LIMIT = 2**63 - 1
"""Of what a queue may have, which is compared and never added to a sum that is kept."""
DEVICES = 1024
"""Devices of a node, or that a pod asks for, which are listed one by one."""

Listed = Mapping[str, str | int | float]


def amounts_of(listed: Listed, maximum: int = A_LIMIT) -> dict[str, int]:
    """A resource list as whole numbers from 0 to `maximum`: cpu in thousandths, all else in units."""
    return {name: whole(name, Quantity.parse(amount), maximum) for name, amount in listed.items()}


def whole(name: str, amount: Quantity, maximum: int) -> int:
    return max(0, min(amount.milli() if name == "cpu" else amount.value(), maximum))


def units_of(listed: Listed) -> dict[str, float]:
    """The same in units, cpu too, as quotas count."""
    return {name: max(0, min(Quantity.parse(amount).nano, A_LIMIT * 10**9)) / 1e9 for name, amount in listed.items()}


def number_of_devices(listed: Listed, name: str) -> int:
    return whole(name, Quantity.parse(listed.get(name, 0)), DEVICES)


def float_of(text: str, otherwise: float = 0.0, *, maximum: float = float(A_NODE)) -> float:
    """A number from 0 to `maximum` that was written into an annotation; `otherwise` where it is none."""
    try:
        found = float(text)
    except ValueError:
        return otherwise
    return min(found, maximum) if found >= 0 else otherwise
