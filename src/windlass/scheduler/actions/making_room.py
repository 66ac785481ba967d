"""Makes room for one task on one node: who is there and may go does, one after the other, until the task fits."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from windlass.scheduler.actions.victims import cheapest_first
from windlass.scheduler.framework.session import Session
from windlass.scheduler.framework.statement import Statement
from windlass.scheduler.model.columns import TOLERANCE, Mask
from windlass.scheduler.model.jobs import Queue, Status, Task
from windlass.scheduler.model.snapshot import NodeInfo
from windlass.scheduler.placing.ranking import rate
from windlass.scheduler.placing.use_scores import Nodes
from windlass.scheduler.predicates import fits

Lawful = Callable[[Task, Sequence[Task]], list[Task]]
"""Which of some tasks may go for one: the plugins' answer."""


@dataclass(slots=True)
class Room:
    """`there` are the tasks that may go as far as nobody asks plugins, by node; `candidates` how many nodes are tried.

    With `candidates` None the first node that will do is taken, else the one where it costs least.
    """

    session: Session
    queue: Queue
    statement: Statement
    action: str
    lawful: Lawful
    there: dict[str, list[Task]]
    candidates: int | None = None

    def make(self, task: Task) -> bool:
        nodes = self._nodes(task)
        free = next((node for node in nodes if self._may_be(task, node)), None)
        if free is not None:
            self.statement.pipeline(task, free.name)
            return True
        found: list[tuple[tuple[int, int, int, str], list[Task]]] = []
        for node in nodes:
            victims = self._evict(task, node)
            if victims and self.candidates is None:
                self.statement.pipeline(task, node.name)
                return True
            if victims:
                priorities = [one.priority for one in victims]
                found.append(((max(priorities), sum(priorities), len(victims), node.name), victims))
                self.statement.back_to(len(self.statement) - len(victims))
                if len(found) == self.candidates:
                    break
        if not found:
            return False
        cost, victims = min(found, key=lambda one: one[0])
        self._take(task, victims)
        self.statement.pipeline(task, cost[-1])
        return True

    def _nodes(self, task: Task) -> list[NodeInfo]:
        """Those that it may be on, however full, the best first."""
        session, table = self.session, self.session.cluster.snapshot.table
        shape = session.placer.shapes.of(task.pod)
        allowed: Mask = session.placer.allowed(shape)
        for mask in (session.mask(task), session.keep_out(task.job)):
            allowed = allowed if mask is None else allowed & mask
        rows = np.flatnonzero(allowed)
        rates = rate(Nodes(table, rows, shape), session.placer.profile.by_use)
        extra = session.score(task)
        rates = rates if extra is None else rates + extra.take(rows)
        ordered = sorted(zip((-rates).tolist(), (table.names[number] for number in rows), strict=True))
        known = (session.cluster.snapshot.node(name) for _, name in ordered)
        return [node for node in known if node is not None]

    def _evict(self, task: Task, node: NodeInfo) -> list[Task]:
        """Who had to go there; none if that does not help, and then none has."""
        here = [one for one in self.there.get(node.name, ()) if one.status in (Status.BOUND, Status.RUNNING)]
        here = [one for one in here if one.best_effort or not task.best_effort]
        start, gone = len(self.statement), list[Task]()
        for victim in self.lawful(task, cheapest_first(self.session, task, here)) if here else ():
            self._take(task, [victim])
            gone.append(victim)
            if self._may_be(task, node):
                return gone if self.candidates is None else self._spare(task, node, gone)
        self.statement.back_to(start)
        return []

    def _spare(self, task: Task, node: NodeInfo, gone: list[Task]) -> list[Task]:
        """The most important stay after all, where the task fits all the same."""
        for one in reversed(gone):
            self.statement.back_to(len(self.statement) - len(gone))
            fewer = [other for other in gone if other is not one]
            self._take(task, fewer)
            if fewer and self._may_be(task, node):
                gone = fewer
            else:
                self.statement.back_to(len(self.statement) - len(fewer))
                self._take(task, gone)
        return gone

    def _take(self, task: Task, victims: Iterable[Task]) -> None:
        for victim in victims:
            self.statement.evict(victim, self.action, task.job)

    def _may_be(self, task: Task, node: NodeInfo) -> bool:
        """It fits once those that are ending are gone, and its queue may have it."""
        snapshot, table = self.session.cluster.snapshot, self.session.cluster.snapshot.table
        number = table.index[node.name]
        free = table.allocatable[:, number] - table.used[:, number] + table.releasing[:, number]
        if (free - table.promised[:, number] + TOLERANCE < task.request)[task.request > 0].any():
            return False
        if self.session.allocatable(self.queue, task.request) < 1:
            return False
        if self.session.placer.is_quick(self.session.placer.shapes.of(task.pod)):
            return True
        ending = [one.task.pod for one in self.statement.evictions if one.task.node == node.name]
        with snapshot.supposing(gone=ending, node=node.name):
            return fits(task.pod, node, snapshot) is None


def by_node(tasks: Iterable[Task]) -> dict[str, list[Task]]:
    found: dict[str, list[Task]] = {}
    for task in tasks:
        found.setdefault(task.node, []).append(task)
    return found
