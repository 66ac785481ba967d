"""Validation of a queue against its ancestors and descendants, with the messages of Volcano's webhook."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from windlass.apps.volcano.queue_references import ROOT, children_of
from windlass.apps.volcano.wording import queue_not_found
from windlass.kube.json import Json, Object, dig, dig_object
from windlass.kube.quantity import BINARY_SI, ZERO, Quantity

MAX_DEPTH = 5
_NANO = 10**9


def amounts(spec: Object, name: str) -> dict[str, Quantity]:
    """A resource list of a queue's spec (capability, deserved or guarantee), without invalid quantities."""
    read = {resource: _read(amount) for resource, amount in written_amounts(spec, name).items()}
    return {resource: amount for resource, amount in read.items() if amount is not None}


def written_amounts(spec: Object, name: str) -> Object:
    return dig_object(spec, name, "resource") if name == "guarantee" else dig_object(spec, name)


def _read(amount: Json) -> Quantity | None:
    try:
        return Quantity.parse(amount)
    except ValueError:
        return None


def parent_problem(queue: Object, queues: Mapping[str, Object]) -> str:
    """Why a queue may not have the parent that it names; empty if it may."""
    name, parent = str(queue["metadata"]["name"]), str(dig(queue, "spec", "parent") or "")
    if parent in ("", ROOT):
        return ""
    if parent == name:
        return f"queue {name} cannot use itself as parent"
    for depth, ancestor in enumerate(_path_up(parent, queues), start=2):
        if depth > MAX_DEPTH:
            return f"queue {name} exceeds the maximum allowed depth of {MAX_DEPTH}"
        if ancestor == name:
            return f"queue {name} cannot use {parent} as parent, which is below it"
        if ancestor not in queues:
            return f"failed to get parent queue {ancestor} of queue {name}: {queue_not_found(ancestor)}"
    if not children_of(parent, queues.values()):
        pods = (_read(dig(queues[parent], "status", "allocated", "pods")) or ZERO).value()
        if pods:
            return f"queue {parent} cannot be the parent queue of queue {name} because it has allocated Pods: {pods}"
    return ""


def amounts_problem(queue: Object, queues: Mapping[str, Object]) -> str:
    """Why a queue's amounts conflict with its ancestors or descendants; empty if they do not."""
    name, parent = str(queue["metadata"]["name"]), str(dig(queue, "spec", "parent") or "")
    if name == ROOT:
        return ""
    below = [other for other in queues.values() if dig(other, "spec", "parent") == name]
    problem = ""
    if parent not in ("", ROOT) and parent in queues:
        beside = [other for other in queues.values() if dig(other, "spec", "parent") == parent]
        family = [*(other for other in beside if other["metadata"]["name"] != name), queue]
        problem = _over_ancestors(queue, queues) or _over_parent(queues[parent], family, f"parent queue {parent}")
    if problem or not below:
        return problem
    return _under_descendants(queue, below, queues) or _over_parent(queue, below, f"queue {name}")


def _path_up(name: str, queues: Mapping[str, Object]) -> Iterator[str]:
    """Yield `name` and its ancestors below the root; infinite if they form a cycle."""
    while name and name != ROOT:
        yield name
        name = str(dig(queues.get(name), "spec", "parent") or "")


def _over_ancestors(queue: Object, queues: Mapping[str, Object]) -> str:
    for resource, amount in amounts(queue["spec"], "capability").items():
        above = (queues[name] for name in _known_path(str(queue["spec"]["parent"]), queues))
        limits = (amounts(dig_object(other, "spec"), "capability").get(resource, ZERO) for other in above)
        limit = next((limit for limit in limits if limit), None)
        if limit is not None and amount > limit:
            return (
                f"queue {queue['metadata']['name']} capability[{resource}]={_formatted(resource, amount)}"
                f" exceeds its ancestor's capability={_formatted(resource, limit)}"
            )
    return ""


def _under_descendants(queue: Object, below: Iterable[Object], queues: Mapping[str, Object]) -> str:
    for resource, amount in amounts(queue["spec"], "capability").items():
        maximum = max(_max_capability(other, resource, queues, MAX_DEPTH) for other in below)
        if amount < maximum:
            return (
                f"queue {queue['metadata']['name']} capability[{resource}]={_formatted(resource, amount)}"
                f" is smaller than its descendants' max capability={_formatted(resource, maximum)}"
            )
    return ""


def _max_capability(queue: Object, resource: str, queues: Mapping[str, Object], depth: int) -> Quantity:
    """The maximum capability of a queue, or of its descendants if it sets none."""
    own = amounts(dig_object(queue, "spec"), "capability").get(resource, ZERO)
    if own or not depth:
        return own
    names = children_of(queue["metadata"]["name"], queues.values())
    return max((_max_capability(queues[name], resource, queues, depth - 1) for name in names), default=ZERO)


def _over_parent(parent: Object, children: Iterable[Object], who: str) -> str:
    for kind in ("guarantee", "deserved"):
        limit, total = amounts(dig_object(parent, "spec"), kind), dict[str, Quantity]()
        for child in children:
            for resource, amount in amounts(dig_object(child, "spec"), kind).items():
                total[resource] = total.get(resource, ZERO) + amount
        if any(amount > limit.get(resource, ZERO) for resource, amount in total.items()):
            return (
                f"{who} validation failed: sum of children's {kind} ({_summed(total)})"
                f" exceeds parent's {kind} limit ({_summed(limit)})"
            )
    return ""


def _known_path(name: str, queues: Mapping[str, Object]) -> Iterator[str]:
    visited = Counter[str]()
    for ancestor in _path_up(name, queues):
        if ancestor not in queues or visited[ancestor]:
            return
        visited[ancestor] += 1
        yield ancestor


def _formatted(resource: str, amount: Quantity) -> str:
    if resource == "cpu":
        return str(Quantity(amount.nano))
    return str(Quantity(amount.nano, BINARY_SI)) if resource == "memory" else f"{_number(resource, amount):.2f}"


def _summed(total: Mapping[str, Quantity]) -> str:
    """Format resources as Volcano prints them: cpu in thousandths, memory in bytes, all others in thousandths."""
    others = sorted(name for name in total if name not in ("cpu", "memory"))
    amounts_in_order = [(name, total.get(name, ZERO)) for name in ("cpu", "memory", *others)]
    return ", ".join(f"{name} {_number(name, amount):.2f}" for name, amount in amounts_in_order)


def _number(resource: str, amount: Quantity) -> float:
    return amount.nano / _NANO if resource in ("memory", "ephemeral-storage") else amount.nano / 10**6
