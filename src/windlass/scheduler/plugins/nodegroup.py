"""`nodegroup`: queues have nodes of their own, by the label `volcano.sh/nodegroup-name` and the queue's affinity."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from windlass.apis.reasons import NodeCause
from windlass.scheduler.framework.plugin import Arguments, Plugin
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.columns import Mask, Vector
from windlass.scheduler.model.jobs import Queue, Task

LABEL = "volcano.sh/nodegroup-name"
REQUIRED, PREFERRED = (
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
)
_SCORE = 100.0


@dataclass(frozen=True, slots=True)
class Groups:
    """Which groups of nodes a queue must, would like to, would rather not and must not use."""

    required: tuple[str, ...] = ()
    preferred: tuple[str, ...] = ()
    avoided: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()

    @classmethod
    def of(cls, affinity: Mapping[str, Any]) -> "Groups | None":
        near, far = affinity.get("nodeGroupAffinity") or {}, affinity.get("nodeGroupAntiAffinity") or {}
        told = [tuple(one.get(name) or ()) for one, name in ((near, REQUIRED), (near, PREFERRED))]
        told += [tuple(one.get(name) or ()) for one, name in ((far, PREFERRED), (far, REQUIRED))]
        return cls(*told) if any(told) else None

    def allows(self, group: str) -> bool:
        """One that is to be avoided may still be used; otherwise only those that are named."""
        if group in self.avoided:
            return True
        return group not in self.forbidden and (group in self.required or group in self.preferred)

    def score(self, group: str, *, in_order: bool) -> float:
        if group in self.avoided:
            return -1.0
        score = _SCORE if group in self.required else 0.0
        if group in self.preferred:
            number = len(self.preferred)
            score += _SCORE / 2 * ((number - self.preferred.index(group)) / number if in_order else 1)
        return score


class NodeGroup(Plugin):
    NAME = "nodegroup"

    def __init__(self, arguments: Arguments) -> None:
        super().__init__(arguments)
        self._strict = arguments.flag("strict", True)
        self._in_order = arguments.flag("enablePreferredOrder", False)
        self._hierarchical = arguments.raw("enableHierarchy") is True
        self._labels: tuple[int, list[str | None]] = (-1, [])

    def open(self, session: Session) -> None:
        self._session = session
        self._known: dict[str, tuple[Mask, Vector]] = {}
        """Of each queue, for the length of a cycle."""

    def node_mask(self, task: Task) -> Mask | None:
        return self._of(task)[0]

    def node_score(self, task: Task) -> Vector | None:
        return self._of(task)[1]

    def node_cause(self, task: Task) -> NodeCause:
        return NodeCause("NodeGroup")

    def _of(self, task: Task) -> tuple[Mask, Vector]:
        name, labels = task.job.queue, self._node_labels()
        found = self._known.get(name)
        if found is None or len(found[0]) != len(labels):
            groups = self._groups(self._session.cluster.queues.get(name))
            mask = np.array([self._allows(groups, label) for label in labels], dtype=np.bool_)
            score = np.array([self._rate(groups, label) for label in labels])
            found = self._known[name] = (mask, score)
        return found

    def _node_labels(self) -> list[str | None]:
        snapshot = self._session.cluster.snapshot
        if self._labels[0] != snapshot.nodes_version or len(self._labels[1]) != len(snapshot.table):
            nodes = [snapshot.node(name) for name in snapshot.table.names]
            self._labels = (snapshot.nodes_version, [node.labels.get(LABEL) if node else None for node in nodes])
        return self._labels[1]

    def _groups(self, queue: Queue | None) -> Groups | None:
        """What is said of the queue; in a hierarchy what is said of the nearest above of which something is."""
        seen: set[str] = set()
        while queue is not None and queue.name not in seen:
            seen.add(queue.name)
            found = Groups.of(queue.affinity)
            if found is not None or not self._hierarchical:
                return found
            queue = self._session.cluster.queues.get(queue.parent or "root")
        return None

    def _allows(self, groups: Groups | None, label: str | None) -> bool:
        if label is None:
            return not self._strict and groups is None
        return groups is not None and groups.allows(label)

    def _rate(self, groups: Groups | None, label: str | None) -> float:
        return groups.score(label, in_order=self._in_order) if groups is not None and label is not None else 0.0
