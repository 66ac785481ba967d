"""The queues of a description, with the fields of a Queue's spec."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from windlass.scheduler.simulate.amounts import parse_amount
from windlass.scheduler.simulate.workload import DEFAULT_QUEUE, Amounts, JobPlan, QueuePlan
from windlass.scheduler.simulate.yaml_positions import Located

AMOUNTS = ("capability", "deserved", "guarantee")
STRATEGIES = ("fifo", "traverse")
ROOT = "root"
_CHECKED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "weight": (lambda given: _is_whole(given) and given >= 1, "a whole number from 1 on"),
    "priority": (lambda given: _is_whole(given) and given >= 0, "a whole number from 0 on"),
    "reclaimable": (lambda given: isinstance(given, bool), "true or false"),
    "dequeueStrategy": (lambda given: given in STRATEGIES, " or ".join(STRATEGIES)),
    "parent": (lambda given: isinstance(given, str), "the name of a queue"),
}
KNOWN = ("name", *AMOUNTS, *_CHECKED)


def queues_of(jobs: Sequence[JobPlan]) -> tuple[QueuePlan, ...]:
    """Those that jobs name, where none are described."""
    names = dict.fromkeys(job.queue for job in jobs)
    return tuple(QueuePlan(name, {"weight": 1}) for name in names) or (QueuePlan(DEFAULT_QUEUE),)


def read_queues(located: Located, listed: Sequence[Mapping[str, Any]]) -> tuple[QueuePlan, ...]:
    found = tuple(_queue(located, at, one) for at, one in enumerate(listed))
    parents = {ROOT: "", **{queue.name: str(queue.spec.get("parent") or ROOT) for queue in found}}
    for at, queue in enumerate(found):
        if queue.name in [other.name for other in found[:at]]:
            raise located.bad(f"queues[{at}].name", f"there are two queues {queue.name}")
        seen, name = {queue.name}, parents[queue.name]
        while name not in ("", ROOT):
            if name not in parents:
                raise located.bad(f"queues[{at}].parent", f"there is no queue {name!r}")
            if name in seen:
                raise located.bad(f"queues[{at}].parent", "a queue cannot be above itself")
            seen.add(name)
            name = parents[name]
    return found


def _queue(located: Located, at: int, given: Mapping[str, Any]) -> QueuePlan:
    name, where = given.get("name"), f"queues[{at}]"
    if not isinstance(name, str) or not name:
        raise located.bad(f"{where}.name", "a queue needs a name")
    for key, value in given.items():
        if key not in KNOWN:
            raise located.bad(f"{where}.{key}", f"a queue has no such field; it has {', '.join(KNOWN)}")
        is_right, what = _CHECKED.get(key, (lambda _: True, ""))
        if not is_right(value):
            raise located.bad(f"{where}.{key}", f"{value!r} is not {what}")
    for key in AMOUNTS:
        amounts = given.get(key) or {}
        if key == "guarantee" and amounts:
            if not isinstance(amounts, Mapping) or list(amounts) != ["resource"]:
                raise located.bad(f"{where}.guarantee", "write {resource: {cpu: 4}}, as in a Queue")
            amounts = amounts["resource"]
        read_amounts(located, f"{where}.{key}", amounts)
    return QueuePlan(name, {key: value for key, value in given.items() if key != "name"})


def _is_whole(given: Any) -> bool:
    return isinstance(given, int) and not isinstance(given, bool)


def read_amounts(located: Located, where: str, given: Any) -> Amounts:
    if not isinstance(given, Mapping):
        raise located.bad(where, "it must be resources with amounts, such as {cpu: 4, memory: 8Gi}")
    found: dict[str, float] = {}
    for name, amount in given.items():
        try:
            found[str(name)] = parse_amount(str(name), amount)
        except (ValueError, TypeError) as error:
            raise located.bad(f"{where}.{name}", str(error)) from error
    return found
