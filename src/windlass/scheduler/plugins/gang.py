"""`gang`: a job starts with all the tasks that it needs, or not at all, and loses none that it needs."""

from collections import Counter
from collections.abc import Sequence

from windlass.apis.reasons import GangIncomplete, GangReason, TasksIncomplete
from windlass.scheduler.framework.extension_points import Vote
from windlass.scheduler.framework.plugin import Plugin
from windlass.scheduler.model.jobs import READY, VALID, Job, Status, Task

_WITH_PIPELINED = READY | {Status.PIPELINED}


class Gang(Plugin):
    NAME = "gang"

    def job_valid(self, job: Job) -> GangReason | None:
        if job.valid < job.min_member:
            return GangIncomplete(job.valid, job.min_member)
        return TasksIncomplete() if not job.has_enough(VALID) else None

    def job_ready(self, job: Job) -> bool:
        return job.has_enough(READY)

    def job_pipelined(self, job: Job) -> Vote:
        return Vote.PERMIT if job.has_enough(_WITH_PIPELINED) else Vote.REJECT

    def job_starving(self, job: Job) -> bool:
        return not job.has_enough(_WITH_PIPELINED)

    def job_order(self, job: Job) -> int:
        """Broken gangs first, then those that are not complete, then those that could only have more."""
        if job.is_broken:
            return 0
        return 2 if job.has_enough(READY) else 1

    def preemptable(self, preemptor: Task, candidates: Sequence[Task]) -> Sequence[Task]:
        return surplus(candidates)

    def reclaimable(self, reclaimer: Task, candidates: Sequence[Task]) -> Sequence[Task]:
        return surplus(candidates)


def surplus(candidates: Sequence[Task]) -> list[Task]:
    """Those whose job would still have enough without them, counted one after the other."""
    taken: Counter[str] = Counter()
    of_role: Counter[tuple[str, str]] = Counter()
    found: list[Task] = []
    for task in candidates:
        job, role = task.job, (task.job.uid, task.role)
        least = job.min_tasks.get(task.role, 0) if job.needs_roles else 0
        if job.ready - taken[job.uid] <= job.min_member:
            continue
        if least and job.role_number(task.role, READY) - of_role[role] <= least:
            continue
        taken[job.uid] += 1
        of_role[role] += 1
        found.append(task)
    return found
