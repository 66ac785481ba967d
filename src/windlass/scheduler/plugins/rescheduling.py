"""`rescheduling`: every now and then pods leave nodes that are busier than they should be, if others have room.

How busy a node is is what was measured (`Cluster.usage`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windlass.scheduler.framework.evictable import is_protected
from windlass.scheduler.framework.plugin import Arguments, Plugin
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.cluster import Usage
from windlass.scheduler.model.columns import CPU, MEMORY
from windlass.scheduler.model.jobs import Status, Task
from windlass.scheduler.model.parsing import duration_of
from windlass.scheduler.plugins.conformance import is_critical

INTERVAL = 300.0
STRATEGY = "lowNodeUtilization"
Percent = tuple[float, float]
"""Of cpu and of memory."""


@dataclass(slots=True)
class _Node:
    name: str
    used: list[float]
    """cpu and memory, in percent."""
    offers: tuple[float, float]

    def is_above(self, limits: Percent) -> bool:
        return self.used[0] > limits[0] or self.used[1] > limits[1]


class Rescheduling(Plugin):
    NAME = "rescheduling"

    def __init__(self, arguments: Arguments) -> None:
        super().__init__(arguments)
        interval = duration_of(arguments.text("interval", "5m"))
        self._interval = INTERVAL if interval is None else interval
        self._low: Percent = (100, 100)
        self._target: Percent = (100, 100)
        self._is_on = True
        given = arguments.raw("strategies")
        if isinstance(given, list):
            self._is_on = False
            for one in given:
                self._read(one if isinstance(one, Mapping) else {})
        self._done_at = float("-inf")

    def _read(self, given: Mapping[str, Any]) -> None:
        name = given.get("name")
        if name != STRATEGY:
            self.arguments.warnings.append(f"rescheduling: strategies: there is no strategy {name}")
            return
        self._is_on = True
        params: Any = given.get("params") or given.get("parameters") or {}
        self._low = self._percent(params, "thresholds")
        self._target = self._percent(params, "targetThresholds")

    def _percent(self, params: Mapping[str, Any], name: str) -> Percent:
        told = Arguments(params.get(name) or {}, f"rescheduling: {name}")
        found = (told.number("cpu", 100), told.number("memory", 100))
        self.arguments.warnings += told.warnings
        if "pods" in told.given:
            self.arguments.warnings.append(f"rescheduling: {name}.pods is not followed: pods are not measured")
        return found

    def open(self, session: Session) -> None:
        self._session = session

    def victims(self, tasks: Sequence[Task]) -> Sequence[Task]:
        now = self._session.now
        if not self._is_on or now - self._done_at < self._interval:
            return []
        self._done_at = now
        nodes = [self._node(name, usage) for name, usage in sorted(self._session.cluster.usage.items())]
        known = [node for node in nodes if node is not None]
        low = [node for node in known if not node.is_above(self._low) and self._takes_pods(node)]
        high = [node for node in known if node.is_above(self._low) and node.is_above(self._target)]
        if not low or not high:
            return []
        return self._choose(high, low, tasks)

    def _node(self, name: str, usage: Usage) -> _Node | None:
        info = self._session.cluster.snapshot.node(name)
        if info is None:
            return None
        offers = (float(info.allocatable.get("cpu", 0)), float(info.allocatable.get("memory", 0)))
        return _Node(name, [usage.cpu, usage.memory], offers)

    def _takes_pods(self, node: _Node) -> bool:
        info = self._session.cluster.snapshot.node(node.name)
        return info is not None and info.node is not None and not info.node.spec.unschedulable

    def _choose(self, high: list[_Node], low: list[_Node], tasks: Sequence[Task]) -> list[Task]:
        """From the busiest nodes the least important pods, until these are not too busy or the others would be."""
        room = [sum((self._target[one] - node.used[one]) / 100 * node.offers[one] for node in low) for one in (0, 1)]
        by_node: dict[str, list[Task]] = {}
        for task in tasks:
            if task.status is Status.RUNNING and not is_protected(task) and not is_critical(task):
                by_node.setdefault(task.node, []).append(task)
        found: list[Task] = []
        for node in sorted(high, key=lambda one: (-sum(one.used), one.name)):
            for task in sorted(by_node.get(node.name, ()), key=importance):
                asks = (float(task.request[CPU]), float(task.request[MEMORY]))
                if not node.is_above(self._target) or any(asks[one] > room[one] for one in (0, 1)):
                    break
                for one in (0, 1):
                    room[one] -= asks[one]
                    node.used[one] -= 100 * asks[one] / node.offers[one] if node.offers[one] else 0
                found.append(task)
        return found


def importance(task: Task) -> tuple[int, int, int, str]:
    """The least important first: by priority, then by what Kubernetes calls quality of service."""
    return task.priority, _quality(task), -task.index, task.uid


def _quality(task: Task) -> int:
    """0 for pods that ask for nothing, 2 for those whose limits are what they ask for."""
    if task.best_effort:
        return 0
    containers = task.pod.pod.spec.containers
    given = [(one.resources.requests, one.resources.limits) for one in containers]
    whole = all(limits and requests == limits for requests, limits in given)
    return 2 if whole else 1
