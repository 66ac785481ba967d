"""`drf`: who has the smallest dominant share comes first; with `enableHierarchy` queues share along their paths."""

from collections.abc import Sequence
from typing import Any

from windlass.scheduler.framework.plugin import Arguments, Plugin
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.columns import inverse, share
from windlass.scheduler.model.jobs import Job, Queue, Task
from windlass.scheduler.plugins.drf.hierarchy import Hierarchy

NEARLY = 1e-6


class Drf(Plugin):
    NAME = "drf"

    def __init__(self, arguments: Arguments) -> None:
        super().__init__(arguments)
        self._hierarchical = arguments.raw("enableHierarchy") is True
        self._tree: Hierarchy | None = None

    def open(self, session: Session) -> None:
        self._total = inverse(session.total)
        self._tree = Hierarchy(session.cluster.queues.values(), session.total) if self._hierarchical else None

    def job_order(self, job: Job) -> float:
        return round(share(job.allocated, self._total), 6)

    def queue_order(self, queue: Queue) -> Any:
        return self._tree.key(queue) if self._tree is not None else ()

    def preemptable(self, preemptor: Task, candidates: Sequence[Task]) -> Sequence[Task]:
        """Those whose job would still have no less than the preemptor's, after the one gained and the other lost."""
        gained = share(preemptor.job.allocated + preemptor.request, self._total)
        left = {task.job.uid: task.job.allocated.copy() for task in candidates}
        found: list[Task] = []
        for task in candidates:
            left[task.job.uid] -= task.request
            after = share(left[task.job.uid], self._total)
            if gained < after or abs(gained - after) <= NEARLY:
                found.append(task)
        return found

    def reclaimable(self, reclaimer: Task, candidates: Sequence[Task]) -> Sequence[Task] | None:
        """With a hierarchy: only from queues that would still compare no less than the reclaimer's."""
        return self._tree.reclaimable(reclaimer, candidates) if self._tree is not None else None
