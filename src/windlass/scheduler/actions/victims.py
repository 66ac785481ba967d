"""Which jobs may have others evicted, and which tasks may be victims, before plugins are asked."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from windlass.scheduler.framework import evictable
from windlass.scheduler.framework.extension_points import Preemptable
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.jobs import Job, Queue, Status, Task

BOUND = frozenset((Status.BOUND, Status.RUNNING))
RUNNING = frozenset((Status.RUNNING,))
NO_PREEMPTION = "Never"


def starving(session: Session) -> list[Job]:
    """Jobs that wait and may have others evicted: admitted, valid, of an open queue, not barred by their class."""
    return [job for job in session.cluster.waiting.values() if _may_take(session, job)]


def _may_take(session: Session, job: Job) -> bool:
    queue, preemptions = session.cluster.queue_of(job), session.cluster.preemptions
    if not job.is_admitted or not job.pending or queue is None or not queue.is_open or is_non_preempting(job):
        return False
    if not session.is_starving(job) or session.why_invalid(job) is not None:
        return False
    return preemptions.must_wait_for(job, session.cluster.jobs) is None


def is_non_preempting(job: Job) -> bool:
    first = next(iter(job.pending.values()), None)
    return job.preemption_policy == NO_PREEMPTION or (
        first is not None and first.pod.pod.spec.preemption_policy == NO_PREEMPTION
    )


def is_protected(task: Task) -> bool:
    """The pod says so, or its group says it of all."""
    told = (task.job.annotations, task.job.labels)
    return evictable.is_protected(task) or any(one.get(evictable.PREEMPTABLE) == "false" for one in told)


class LessImportant:
    """The other jobs of its queue that a job may have evicted, by priority alone; the cheapest first."""

    def __init__(self, session: Session) -> None:
        self._by_priority = session.plugins.named("priority") in session.plugins.asked(Preemptable)
        self._known: dict[str, list[Job]] = {}

    def than(self, queue: Queue, job: Job) -> list[Job]:
        if queue.name not in self._known:
            self._known[queue.name] = sorted((one for one in queue.jobs.values() if one.ready), key=_youngest_first)
        known = self._known[queue.name]
        if self._by_priority:
            return known[: bisect_left(known, job.priority, key=lambda one: one.priority)]
        return [one for one in known if one is not job]


def of_other_queues(session: Session, queue: Queue) -> list[Job]:
    """Jobs of queues that may be taken from, the queue that has most first."""
    others = [other for other in session.cluster.queues.values() if other is not queue and other.reclaimable]
    others.sort(key=session.queue_key, reverse=True)
    return [job for other in others for job in sorted(other.jobs.values(), key=_youngest_first) if job.ready]


def _youngest_first(job: Job) -> tuple[int, float]:
    return job.priority, -job.created


def tasks_of(session: Session, gainer: Job, jobs: Iterable[Job], statuses: frozenset[Status]) -> Iterator[Task]:
    """What of them may go for a job, before plugins are asked."""
    may, present = session.cluster.preemptions.may, session.cluster.snapshot.node
    for job in jobs:
        if may(gainer, job, session.now):
            for task in job.tasks.values():
                if task.status in statuses and not is_protected(task) and present(task.node) is not None:
                    yield task


def cheapest_first(session: Session, gainer: Task, tasks: Iterable[Task]) -> list[Task]:
    """As plugins have it; then against the order of jobs, and within each against that of its tasks."""
    found = list(tasks)
    jobs = {task.job.uid: task.job for task in found}
    keys = {uid: session.job_key(job) for uid, job in jobs.items()}
    found.sort(key=lambda task: (keys[task.job.uid], session.task_key(task)), reverse=True)
    found.sort(key=lambda task: session.victim_key(gainer, task))
    return found
