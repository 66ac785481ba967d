"""Operations on tasks that are committed or taken back as one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from windlass.scheduler.framework.decisions import Commit, Eviction
from windlass.scheduler.model.jobs import Job, Status, Task

if TYPE_CHECKING:
    from windlass.scheduler.framework.session import Session


class Statement:
    """They take effect in the cluster at once, so that what is decided next knows of them."""

    def __init__(self, session: "Session") -> None:
        self._session, self._cluster = session, session.cluster
        self._done: list[tuple[Task, Status, str]] = []
        """Each task with what it was before."""
        self.evictions: list[Eviction] = []
        session.opened(self)

    def __len__(self) -> int:
        return len(self._done)

    def allocate(self, tasks: Sequence[Task], nodes: Sequence[str]) -> None:
        """Tasks of one job that are alike, and waited, were put on nodes with room."""
        self._done += [(task, task.status, task.node) for task in tasks]
        if tasks:
            self._cluster.allocate(tasks, nodes)
        for task in tasks:
            self._session.placed(task)

    def pipeline(self, task: Task, node: str) -> None:
        """Have it wait for room on a node that others leave."""
        self._done.append((task, task.status, task.node))
        self._cluster.move(task, Status.PIPELINED, node)
        self._session.placed(task)

    def evict(self, task: Task, action: str, because: Job | None) -> None:
        self._done.append((task, task.status, task.node))
        self._cluster.move(task, Status.RELEASING)
        self.evictions.append(Eviction(task, action, because))
        self._session.removed(task)

    @property
    def places(self) -> list[tuple[Task, str]]:
        """The tasks that it gives a node."""
        return [(task, task.node) for task, _, _ in self._done if task.status in (Status.ALLOCATED, Status.PIPELINED)]

    def back_to(self, length: int) -> None:
        """Take back what was done since the statement was that long."""
        while len(self._done) > length:
            task, before, node = self._done.pop()
            was_evicted = task.status is Status.RELEASING
            self._cluster.move(task, before, node)
            if was_evicted:
                self.evictions.pop()
                self._session.placed(task)
            else:
                self._session.removed(task)

    def discard(self) -> None:
        self.back_to(0)

    def commit(self) -> None:
        """It is decided. Tasks that wait for others to go are nominated, and wait as before."""
        decisions = self._session.decisions
        bound: dict[str, list[Task]] = {}
        for task, _, _ in self._done:
            if task.status is Status.ALLOCATED:
                bound.setdefault(task.job.uid, []).append(task)
            elif task.status is Status.PIPELINED:
                self._session.nominate(task, task.node)
        for tasks in bound.values():
            self._cluster.bind(tasks[0].job, tasks)
        decisions.commits += [Commit(tasks[0].job, tuple(tasks)) for tasks in bound.values()]
        decisions.evictions += self.evictions
        for eviction in self.evictions:
            if eviction.because is not None:
                self._cluster.preemptions.note(eviction.because, eviction.task.job, self._session.now)
        self._session.keep(self)
        self._done, self.evictions = [one for one in self._done if one[0].status is Status.PIPELINED], []
