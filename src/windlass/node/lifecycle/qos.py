"""A pod's quality of service class, and the OOM score that the kernel gets for it."""

from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.quantity import Quantity

COUNTED = ("cpu", "memory")
GUARANTEED, BEST_EFFORT = -997, 1000
NODE_CRITICAL, CRITICAL_PRIORITY = "system-node-critical", 2_000_000_000


def qos_class(pod: Object) -> str:
    """Return the class from the status, else computed from requests and limits."""
    recorded = dig(pod, "status", "qosClass")
    if recorded:
        return recorded
    spec = dig_object(pod, "spec")
    holders = [spec] if spec.get("resources") else [*dig_list(spec, "containers"), *dig_list(spec, "initContainers")]
    sets = [(_amounts(each, "requests"), _amounts(each, "limits")) for each in holders]
    if not any(requests or limits for requests, limits in sets):
        return "BestEffort"
    guaranteed = all(len(limits) == len(COUNTED) and (requests or limits) == limits for requests, limits in sets)
    return "Guaranteed" if guaranteed else "Burstable"


def _amounts(holder: Object, which: str) -> dict[str, Quantity]:
    listed = dig_object(holder, "resources", which)
    found = {name: Quantity.parse(listed[name]) for name in COUNTED if name in listed}
    return {name: amount for name, amount in found.items() if amount}


def oom_score_adj(pod: Object, container: Object, memory_capacity: int) -> int:
    """Return a score from -997 (killed last) to 1000 (killed first): the more memory was requested, the lower."""
    if _keeps_the_node_alive(dig_object(pod, "spec")):
        return GUARANTEED
    match qos_class(pod):
        case "Guaranteed":
            return GUARANTEED
        case "BestEffort":
            return BEST_EFFORT
        case _:
            return _burstable(pod, container, memory_capacity)


def _keeps_the_node_alive(spec: Object) -> bool:
    return spec.get("priorityClassName") == NODE_CRITICAL and int(spec.get("priority") or 0) >= CRITICAL_PRIORITY


def _burstable(pod: Object, container: Object, memory_capacity: int) -> int:
    mains: list[Object] = dig_list(pod, "spec", "containers")
    score = _by_request(container, memory_capacity)
    if container.get("restartPolicy") == "Always" and container not in mains:  # a sidecar goes no sooner than a main
        return min(score, *(_by_request(each, memory_capacity) for each in mains))
    return score


def _by_request(container: Object, memory_capacity: int) -> int:
    asked = _amounts(container, "requests").get("memory")
    share = 0 if asked is None or memory_capacity <= 0 else 1000 * asked.value() // memory_capacity
    return min(max(1000 - share, 1000 + GUARANTEED), BEST_EFFORT - 1)
