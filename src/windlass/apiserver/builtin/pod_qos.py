"""The quality-of-service class of a pod, from the requests and limits of its containers."""

from windlass.apiserver.builtin.fields import ZERO, quantity
from windlass.kube.json import Object
from windlass.kube.quantity import Quantity

_COUNTED = ("cpu", "memory")


def qos_class(spec: Object) -> str:
    """Guaranteed: all limits are set and equal the requests. BestEffort: none is set. Burstable: all other pods."""
    own = spec.get("resources")
    holders: list[Object] = [spec] if own else [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    requests: dict[str, Quantity] = {}
    limits: dict[str, Quantity] = {}
    guaranteed = True
    for holder in holders:
        resources = holder.get("resources")
        if not resources:
            guaranteed = False
            continue
        _add(resources.get("requests"), requests)
        limited = _add(resources.get("limits"), limits)
        guaranteed = guaranteed and limited == 2
    if not requests and not limits:
        return "BestEffort"
    return "Guaranteed" if guaranteed and requests == limits else "Burstable"


def _add(quantities: Object | None, total: dict[str, Quantity]) -> int:
    """Add cpu and memory to the total; return how many of the two were set."""
    count = 0
    for name in _COUNTED:
        value = quantities.get(name) if quantities else None
        amount = None if value is None else quantity(value)
        if amount is not None and amount > ZERO:
            count += 1
            total[name] = total[name] + amount if name in total else amount
    return count
