"""`task-topology`: tasks of roles that work together are put on one node, those that disturb each other are not."""

from collections import Counter
from typing import Any

import numpy as np

from windlass.scheduler.framework.parts import PLACED, asked_by
from windlass.scheduler.framework.plugin import Arguments, Plugin
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.columns import TOLERANCE, Vector, inverse
from windlass.scheduler.model.jobs import Job, Task
from windlass.scheduler.placing.shapes import Shape
from windlass.scheduler.plugins.task_topology.buckets import Buckets, Preferences, buckets


class TaskTopology(Plugin):
    NAME = "task-topology"

    def __init__(self, arguments: Arguments) -> None:
        super().__init__(arguments)
        self._weight = arguments.number("task-topology.weight", 1)

    def open(self, session: Session) -> None:
        self._session = session
        self._parts = inverse(session.total)
        self._made: dict[str, Buckets | None] = {}
        """For the length of a cycle, by the uid of the job."""

    def _of(self, job: Job) -> Buckets | None:
        if not job.annotations:
            return None
        if job.uid not in self._made:
            preferences = Preferences.of(job.annotations)
            made = buckets(job, preferences, self._weigh) if preferences is not None else None
            self._made[job.uid] = made if made is not None and made.of else None
        return self._made[job.uid]

    def _weigh(self, task: Task) -> float:
        return float((task.request * self._parts).sum())

    def task_order(self, task: Task) -> Any:
        """Those with a bucket first; of larger and older buckets before others."""
        made = self._of(task.job)
        if made is None:
            return ()
        bucket = made.of.get(task.uid)
        if bucket is None:
            return (1,)
        return 0, -len(bucket.tasks), bucket.number, made.preferences.rank(task.role)

    def one_at_a_time(self, shape: Shape, job: Job) -> bool:
        return self._of(job) is not None

    def node_score(self, task: Task) -> Vector | None:
        """Of its bucket: how many are there already, and how many would find room beside it; less who disturbs it."""
        made = self._of(task.job)
        bucket = made.of.get(task.uid) if made is not None else None
        if made is None or bucket is None:
            return None
        index = self._session.cluster.snapshot.table.index
        score = self._fitting(task, [one for one in bucket.tasks if one.status not in PLACED and one is not task])
        for one in bucket.tasks:
            if one.status in PLACED:
                score[index[one.node]] += 1
        for node, roles in self._roles_on_nodes(task.job).items():
            score[index[node]] += made.preferences.dislike(task.role, roles)
        return score * (self._weight * 100 / made.largest)

    def _fitting(self, task: Task, others: list[Task]) -> Vector:
        """How many of them and of the task itself each node has room for, if the first ones are left out for it."""
        table = self._session.cluster.snapshot.table
        found, done = np.ones(len(table)), np.zeros(len(table), dtype=np.bool_)
        for left_out in range(len(others)):
            request = asked_by((task, *others[left_out:]))
            fits = ~done
            for column in np.flatnonzero(request).tolist():
                fits &= table.free(column) + TOLERANCE >= request[column]
            found[fits] = len(others) - left_out + 1
            done |= fits
        return found

    def _roles_on_nodes(self, job: Job) -> dict[str, Counter[str]]:
        found: dict[str, Counter[str]] = {}
        for one in job.tasks.values():
            if one.status in PLACED:
                found.setdefault(one.node, Counter())[one.role] += 1
        return found
