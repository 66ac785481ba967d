"""The quality-of-service class of a pod, from the requests and limits of its containers."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from windlass.apiserver.builtin.fields import ZERO, quantity
from windlass.kube.json import Object
from windlass.kube.quantity import Quantity

_COUNTED = ("cpu", "memory")
_Amounts: TypeAlias = tuple[Any, Any]
"""cpu and memory as they are written, None where they are not."""
_NOTHING: _Amounts = (None, None)


def qos_class(spec: Object) -> str:
    """Guaranteed: all limits are set and equal the requests. BestEffort: none is set. Burstable: all other pods."""
    own = spec.get("resources")
    holders: list[Object] = [spec] if own else [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    return _class_of(tuple([_asked(holder.get("resources")) for holder in holders]))


def _asked(resources: Object | None) -> tuple[_Amounts, _Amounts]:
    """Return requests and limits."""
    if not resources:
        return _NOTHING, _NOTHING
    requests, limits = resources.get("requests"), resources.get("limits")
    return (
        (requests.get("cpu"), requests.get("memory")) if requests else _NOTHING,
        (limits.get("cpu"), limits.get("memory")) if limits else _NOTHING,
    )


@lru_cache(maxsize=1024)
def _class_of(asked: Sequence[tuple[_Amounts, _Amounts]]) -> str:
    total_requests: dict[str, Quantity] = {}
    total_limits: dict[str, Quantity] = {}
    guaranteed = True
    for requests, limits in asked:
        _add(requests, total_requests)
        guaranteed = _add(limits, total_limits) == len(_COUNTED) and guaranteed
    if not total_requests and not total_limits:
        return "BestEffort"
    return "Guaranteed" if guaranteed and total_requests == total_limits else "Burstable"


def _add(amounts: _Amounts, total: dict[str, Quantity]) -> int:
    """Add cpu and memory to the total; return how many of the two were set."""
    count = 0
    for name, value in zip(_COUNTED, amounts, strict=True):
        amount = None if value is None else quantity(value)
        if amount is not None and amount > ZERO:
            count += 1
            total[name] = total[name] + amount if name in total else amount
    return count
