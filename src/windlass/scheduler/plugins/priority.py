"""`priority`: the more important job and task first; only the less important may be made to go for it."""

from collections.abc import Sequence

from windlass.scheduler.framework.plugin import Plugin
from windlass.scheduler.model.jobs import Job, Status, Task


class Priority(Plugin):
    NAME = "priority"

    def job_order(self, job: Job) -> int:
        return -job.priority

    def task_order(self, task: Task) -> int:
        return -task.priority

    def job_starving(self, job: Job) -> bool:
        return bool(job.pending) or job.counts[Status.GATED] > 0

    def preemptable(self, preemptor: Task, candidates: Sequence[Task]) -> Sequence[Task]:
        return [task for task in candidates if _is_less(task, preemptor)]


def _is_less(task: Task, preemptor: Task) -> bool:
    if task.job is preemptor.job:
        return task.priority < preemptor.priority
    return task.job.priority < preemptor.job.priority
