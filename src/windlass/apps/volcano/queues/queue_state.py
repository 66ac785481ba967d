"""The state of queues and of their pod groups, read from the objects. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from windlass.apis.gang_waits import GangWait, gang_wait
from windlass.apis.reasons import as_json
from windlass.apis.wellknown import NVIDIA_GPU
from windlass.kube.json import dig, dig_object
from windlass.kube.meta import parse_time
from windlass.kube.quantity import Quantity

Object = Mapping[str, Any]
OPEN, CLOSING, CLOSED = "Open", "Closing", "Closed"
ROOT = "root"
CLOSED_BY_PARENT = "volcano.sh/closed-by-parent"
MAIN = {"cpu": "CPU", "memory": "MEMORY", NVIDIA_GPU: "GPU"}
"""Resources that come first in the table, with their column titles; others use their own name."""
UNCOUNTED = ("pods",)
COUNTERS = ("running", "inqueue", "pending", "unknown", "completed")


@dataclass(frozen=True, kw_only=True)
class QueueRow:
    name: str
    parent: str
    state: str
    weight: int
    depth: int
    allocated: Mapping[str, str]
    deserved: Mapping[str, str]
    capability: Mapping[str, str]
    guarantee: Mapping[str, str]
    counts: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "parent": self.parent or None,
            "state": self.state,
            "weight": self.weight,
            "allocated": dict(self.allocated),
            "deserved": dict(self.deserved),
            "capability": dict(self.capability),
            "guarantee": dict(self.guarantee),
            **self.counts,
        }

    def share(self, resource: str) -> str:
        """What the queue uses of a resource, and what it deserves or may use at most."""
        used = self.allocated.get(resource, "0")
        if resource in self.deserved:
            return f"{used}/{self.deserved[resource]}"
        return f"{used}/≤{self.capability[resource]}" if resource in self.capability else used


def state_of(queue: Object) -> str:
    return str(dig(queue, "status", "state") or OPEN)


def queue_rows(queues: Sequence[Object]) -> list[QueueRow]:
    """Every queue below its parent; a queue whose parent does not exist is at the top level."""
    by_name = {_name(queue): queue for queue in queues}
    children: dict[str, list[str]] = {}
    for name in sorted(by_name):
        parent = parent_of(by_name[name])
        children.setdefault(parent if parent in by_name and parent != name else "", []).append(name)
    found: list[QueueRow] = []

    def visit(name: str, depth: int) -> None:
        found.append(_row(by_name[name], depth))
        for child in children.pop(name, []):
            visit(child, depth + 1)

    for name in children.pop("", []):
        visit(name, 0)
    found += [_row(by_name[name], 0) for names in children.values() for name in names]  # each other's parents
    return found


def parent_of(queue: Object) -> str:
    return str(dig(queue, "spec", "parent") or ("" if _name(queue) == ROOT else ROOT))


def _row(queue: Object, depth: int) -> QueueRow:
    status = dig_object(queue, "status")
    return QueueRow(
        name=_name(queue),
        parent=parent_of(queue),
        state=state_of(queue),
        weight=int(dig(queue, "spec", "weight") or 1),
        depth=depth,
        allocated=_amounts(dig_object(status, "allocated")),
        deserved=_amounts(dig_object(queue, "spec", "deserved")),
        capability=_amounts(dig_object(queue, "spec", "capability")),
        guarantee=_amounts(dig_object(queue, "spec", "guarantee", "resource")),
        counts={name: int(status.get(name) or 0) for name in COUNTERS},
    )


def _amounts(listed: Mapping[str, Any]) -> dict[str, str]:
    return {str(name): str(Quantity.parse(amount)) for name, amount in listed.items()}


def resources_of(rows: Iterable[QueueRow]) -> list[str]:
    """The resources that have a column: the main ones first."""
    named = {name for row in rows for amounts in (row.allocated, row.deserved, row.capability) for name in amounts}
    return sorted(
        named - set(UNCOUNTED), key=lambda name: (list(MAIN).index(name) if name in MAIN else len(MAIN), name)
    )


@dataclass(frozen=True, kw_only=True)
class GroupRow:
    namespace: str
    name: str
    state: str
    priority: int
    min_member: int
    running: int
    age: float
    wait: GangWait | None

    def as_json(self) -> dict[str, Any]:
        return {
            "namespace": self.namespace,
            "name": self.name,
            "state": self.state,
            "priority": self.priority,
            "minMember": self.min_member,
            "running": self.running,
            "ageSeconds": round(self.age, 1),
            "waitsFor": (self.wait.message or self.wait.reason) if self.wait is not None else None,
            "reason": as_json(self.wait.data) if self.wait is not None and self.wait.data is not None else None,
        }


def group_rows(groups: Iterable[Object], priorities: Sequence[Object], now: datetime) -> list[GroupRow]:
    """The pod groups of a queue in scheduling order: by priority, then by age."""
    values = {_name(one): int(one.get("value") or 0) for one in priorities}
    default = next((int(one.get("value") or 0) for one in priorities if one.get("globalDefault")), 0)

    def priority(group: Object) -> int:
        return values.get(str(dig(group, "spec", "priorityClassName") or ""), default)

    def place(group: Object) -> tuple[int, str, str]:
        created = str(dig(group, "metadata", "creationTimestamp") or "")
        return -priority(group), created, str(dig(group, "metadata", "uid") or "")

    return [_group_row(group, priority(group), now) for group in sorted(groups, key=place)]


def _group_row(group: Object, priority: int, now: datetime) -> GroupRow:
    created_at = dig(group, "metadata", "creationTimestamp")
    created = parse_time(created_at) if created_at else now
    return GroupRow(
        namespace=str(dig(group, "metadata", "namespace") or ""),
        name=_name(group),
        state=str(dig(group, "status", "phase") or "Pending"),
        priority=priority,
        min_member=int(dig(group, "spec", "minMember") or 0),
        running=int(dig(group, "status", "running") or 0),
        age=max(0.0, (now - created).total_seconds()),
        wait=gang_wait(group),
    )


def _name(obj: Object) -> str:
    return str(dig(obj, "metadata", "name"))
