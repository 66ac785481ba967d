"""Who would have to end so that a gang has room: the search that preemption makes, but among all that runs.

Nobody is made to go by it, and it asks nobody's leave: a person may end what the scheduler may not.
"""

from collections.abc import Iterable, Iterator, Mapping

from windlass.scheduler.actions.attempt import Attempt
from windlass.scheduler.actions.bundles import Usefulness, bundles_of, in_order
from windlass.scheduler.actions.gang_search import Search
from windlass.scheduler.explain.answer import FREE_ROOM, NO_ROOM, Ending, Room
from windlass.scheduler.framework.order import turn_of
from windlass.scheduler.framework.parts import asked_by
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.jobs import ALLOCATED, Job, Queue, Status, Task
from windlass.scheduler.model.pod_info import PodInfo

HOLDING = ALLOCATED | {Status.RELEASING}
SYSTEM = "kube-system"
NAMED = 3  # nodes of each
FITS = Room(why="nothing has to end: there is room for it", code=FREE_ROOM)
FULL = Room(why="even if all that runs ended, there would be no room for it", code=NO_ROOM)


def room_for(session: Session, queue: Queue, job: Job, alone: Mapping[str, PodInfo], tasks: list[Task]) -> Room:
    """`tasks` are those of the job that need a node; `alone` pods that are of no job, by uid."""
    with turn_of(session, job):
        attempt = Attempt(session, queue, job)
        fits = attempt.place() and session.is_ready(job)
        attempt.statement.discard()
        if fits:
            return FITS
        candidates = [*_of_jobs(session, job), *_of_none(session, alone)]
        bundles = in_order(
            session,
            bundles_of(session, sorted(candidates, key=session.task_key, reverse=True)),
            Usefulness(session, asked_by(tasks), None),
            lambda other: (other.namespace == SYSTEM, other.priority),
        )
        plan = Search(session, queue, job).find(bundles)
    return Room(endings_of(plan.victims)) if plan is not None else FULL


def _of_jobs(session: Session, job: Job) -> Iterator[Task]:
    present = session.cluster.snapshot.node
    for other in session.cluster.jobs.values():
        if other is not job:
            held = (task for task in other.tasks.values() if task.status in ALLOCATED)
            yield from (task for task in held if present(task.node) is not None)


def _of_none(session: Session, alone: Mapping[str, PodInfo]) -> Iterator[Task]:
    """Each as a job of its own, that only this search knows of."""
    for uid, pod in alone.items():
        node = session.cluster.snapshot.node_of(uid)
        if node is not None and node.node is not None:
            job = Job(f"alone-{uid}", pod.key.namespace, pod.key.name, queue="", priority=pod.priority, min_member=1)
            job.ref = pod
            task = Task(pod, status=Status.RUNNING, node=node.name)
            job.put(task)
            yield task


def endings_of(victims: Iterable[Task]) -> tuple[Ending, ...]:
    """By job; the largest first."""
    by_job: dict[str, list[Task]] = {}
    for task in victims:
        by_job.setdefault(task.job.uid, []).append(task)
    found = [_ending(tasks) for tasks in by_job.values()]
    return tuple(sorted(found, key=lambda one: (-one.pods, one.name)))


def _ending(tasks: list[Task]) -> Ending:
    job = tasks[0].job
    nodes = tuple(sorted({task.node for task in tasks if task.node})[:NAMED])
    kind = "pod" if isinstance(job.ref, PodInfo) else "job"
    return Ending(f"{job.namespace}/{job.name}", kind, len(tasks), job.number(HOLDING), job.priority, job.queue, nodes)
