"""Ranks pods for eviction when the machine runs short of memory, as kubelet does. Pure."""

from collections.abc import Mapping

from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.quantity import Quantity
from windlass.node.lifecycle.observed import Eviction
from windlass.node.lifecycle.qos import CRITICAL_PRIORITY
from windlass.node.lifecycle.view import TERMINAL

_MEBI = 2**20


def pod_to_evict(
    pods: Mapping[str, Object], used: Mapping[str, Mapping[str, int]], available: int, threshold: int
) -> tuple[str, Eviction] | None:
    """Return the uid of the pod to evict first and its eviction; None if no pod may be evicted.

    `used` is bytes by uid and container. Pods that use more than they requested go first, then those of lower priority,
    then those that exceed their requests the most. Critical pods stay.
    """
    candidates = [uid for uid, pod in pods.items() if uid in used and _may_go(pod)]
    if not candidates:
        return None
    uid = min(candidates, key=lambda each: _rank(pods[each], used[each]))
    return uid, Eviction(_message(pods[uid], used[uid], available, threshold))


def _may_go(pod: Object) -> bool:
    ended = dig(pod, "status", "phase") in TERMINAL or dig(pod, "metadata", "deletionTimestamp")
    return not ended and int(dig(pod, "spec", "priority") or 0) < CRITICAL_PRIORITY


def _rank(pod: Object, used: Mapping[str, int]) -> tuple[bool, int, int]:
    over = sum(used.values()) - sum(_requested(each) for each in dig_list(pod, "spec", "containers"))
    return over <= 0, int(dig(pod, "spec", "priority") or 0), -over


def _requested(container: Object) -> int:
    asked = dig_object(container, "resources", "requests").get("memory")
    return Quantity.parse(asked).value() if asked is not None else 0


def _message(pod: Object, used: Mapping[str, int], available: int, threshold: int) -> str:
    head = "The node was low on resource: memory. "
    head += f"Threshold quantity: {threshold // _MEBI}Mi, available: {available // 1024}Ki. "
    parts = [
        f"Container {name} was using {used[name] // 1024}Ki, request is {_shown(asked)}, "
        "has larger consumption of memory. "
        for name, asked in ((str(each["name"]), _requested(each)) for each in dig_list(pod, "spec", "containers"))
        if used.get(name, 0) > asked
    ]
    return head + "".join(parts)


def _shown(amount: int) -> str:
    return f"{amount // 1024}Ki" if amount else "0"
