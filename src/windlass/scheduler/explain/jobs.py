"""Explains a gang: what has become of it, or why it waits, by the cycle that would be next."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from windlass.scheduler.cycle.gang_cycle import Decider
from windlass.scheduler.explain import nodes, room
from windlass.scheduler.explain.answer import (
    BY_RESERVATION,
    FINISHED,
    RUNNING,
    WAITING,
    Before,
    Ending,
    Explanation,
    Place,
    Room,
    Start,
)
from windlass.scheduler.framework.decisions import Decisions, PodCause, Trouble
from windlass.scheduler.framework.parts import asked_by
from windlass.scheduler.framework.reservation import Reservation
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.columns import named
from windlass.scheduler.model.jobs import READY, Job, Queue, Status, Task
from windlass.scheduler.simulate.forecast import World, foresee
from windlass.scheduler.simulate.workload import PodMaker

NEAREST = 5  # of those that come before it
KEPT_NODES = 3  # that are named of those kept for others
NOTHING_IN_THE_WAY = "nothing is in its way: it starts with the next cycle of the scheduler"


@dataclass(frozen=True)
class Asked:
    """What is explained: a job under the name that it was asked for by, in the world that it is in."""

    kind: str
    namespace: str
    name: str
    job: Job
    world: World
    decider: Decider
    now: float
    give_up: Callable[[], bool] = lambda: False
    """Asked whether it is time to answer with what is known."""

    def says(self, state: str, why: str, *notes: str) -> Explanation:
        return Explanation(self.kind, self.namespace, self.name, state, why, notes=notes)


def explain_job(asked: Asked, would_be: Sequence[Task] = (), only: str = "") -> Explanation:
    """`would_be` are the pods that its owner creates once it is admitted; `only` the uid of a pod that is asked for.

    The world is used up by it.
    """
    job, cluster = asked.job, asked.world.cluster
    settled = _settled(asked, only)
    if settled is not None:
        return settled
    queue = cluster.queue_of(job)
    if queue is None:
        return asked.says(WAITING, f"there is no queue {job.queue}")
    note = _make_pods(asked, would_be)
    if not job.pending:
        return asked.says(WAITING, _without_pods(job), *note)
    session = asked.decider.session(asked.now)
    tasks = nodes.lacking(session, job.pending.values(), _number_lacking(job))
    found = replace(
        _so_far(asked, note),
        place=_place(session, queue, job),
        amounts=nodes.amounts_of(
            cluster.snapshot.table,
            asked_by(tasks),
            np.maximum.reduce([task.request for task in tasks]),
            nodes.allowed(session.placer, (task.pod for task in tasks)),
        ),
        pod_kinds=nodes.pod_kinds(session, tasks),
        room=room.room_for(session, queue, job, asked.world.system.alone, tasks),
    )
    session.close()
    return _with_outlook(asked, found, only)


# --- what has become of it


def _settled(asked: Asked, only: str) -> Explanation | None:
    """Where it does not wait."""
    job = asked.job
    task = job.tasks.get(only)
    if task is not None and task.status not in (Status.PENDING, Status.GATED):
        return _of_task(asked, task)
    ended = job.counts[Status.SUCCEEDED] + job.counts[Status.FAILED]
    if job.phase == "Completed" or (job.tasks and ended == len(job.tasks)):
        failed = f", {job.counts[Status.FAILED]} failed" if job.counts[Status.FAILED] else ""
        return asked.says(FINISHED, f"it has finished: {many(job.counts[Status.SUCCEEDED])} succeeded{failed}")
    if job.has_enough(READY) and job.running and not job.pending and not job.counts[Status.GATED]:
        where = len({one.node for one in job.tasks.values() if one.node})
        return asked.says(RUNNING, f"it runs: {many(job.running)} on {many(where, 'node')}")
    return None


def many(number: int, what: str = "pod") -> str:
    return f"{number} {what}{'s' if number != 1 else ''}"


def _of_task(asked: Asked, task: Task) -> Explanation:
    if task.status in (Status.SUCCEEDED, Status.FAILED):
        return asked.says(FINISHED, f"it has {task.status.name.lower()}")
    if task.status is Status.RELEASING:
        return asked.says(RUNNING, f"it is ending on node {task.node}")
    if task.status is Status.UNKNOWN:
        return asked.says(RUNNING, f"its node {task.node} is lost")
    return asked.says(RUNNING, f"it has node {task.node}")


def _without_pods(job: Job) -> str:
    if job.counts[Status.GATED]:
        return f"{many(job.counts[Status.GATED])} wait for scheduling gates to be lifted"
    if job.tasks:
        return "none of its pods waits for a node"
    if job.is_admitted:
        return "it is admitted, and its pods do not exist yet: its job's controller creates them"
    return "it has no pods yet, and says nothing of what they will ask for (minResources)"


def _make_pods(asked: Asked, would_be: Sequence[Task]) -> tuple[str, ...]:
    """Pods that are created when it is admitted: as its job has them, or as many equal ones."""
    job = asked.job
    if job.tasks or job.is_admitted:
        return ()
    note = "its pods are created when it is admitted: they are taken as its job describes them"
    if not would_be:
        if job.min_resources is None:
            return ()
        many = max(1, job.min_member)
        asks = {name: amount / many for name, amount in named(job.min_resources).items() if name != "pods"}
        maker = PodMaker()
        would_be = [Task(maker.pod(f"{job.uid}-{at}", asks), index=at, created=job.created) for at in range(many)]
        note = f"its pods are created when it is admitted: they are taken as {many} equal parts of its minResources"
    for task in would_be:
        asked.world.tasks[task.uid] = task
        asked.world.cluster.put_task(job, task)
    return (note,)


# --- why it waits


def _so_far(asked: Asked, notes: Sequence[str]) -> Explanation:
    job = asked.job
    if job.running and job.has_enough(READY):
        return asked.says(RUNNING, "", f"it runs with {many(job.running)}; {len(job.pending)} more wait", *notes)
    return asked.says(WAITING, "", *notes)


def _number_lacking(job: Job) -> int:
    """Of a gang that is complete, what it has beyond its minimum comes one by one: all of that is meant."""
    return max(1, job.min_member - job.ready) if not job.has_enough(READY) else len(job.pending)


def _place(session: Session, queue: Queue, job: Job) -> Place:
    """Admitted jobs come first: they hold what the others wait for."""
    waiting = [one for one in session.cluster.waiting.values() if one.queue == queue.name]
    line = sorted(waiting, key=lambda one: (not one.is_admitted, session.job_key(one)))
    at = next((number for number, one in enumerate(line) if one is job), 0)
    before = tuple(Before(f"{one.namespace}/{one.name}", one.priority) for one in line[max(0, at - NEAREST) : at])
    names = {one.queue for one in session.cluster.waiting.values()}
    others = [one for one in map(session.cluster.queues.get, names) if one is not None and one is not queue]
    own = session.queue_key(queue)
    first = sorted((one for one in others if session.queue_key(one) < own), key=session.queue_key)
    return Place(queue.name, at + 1, len(line), before, tuple(one.name for one in first))


class _Heard:
    """What the first cycles decide about the job, before anything has ended."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self.trouble: Trouble | None = None
        self.victims: tuple[Ending, ...] = ()
        self.starts = False
        self._is_over = False
        self.at: float | None = None
        self.kept_nodes: tuple[str, ...] = ()
        self.kept: list[str] = []

    def __call__(self, decisions: Decisions) -> None:
        if self._is_over:
            return
        self._is_over = True
        self.trouble = decisions.troubles.get(self._job.uid)
        self.starts = any(commit.job is self._job for commit in decisions.commits)
        self.victims = room.endings_of(one.task for one in decisions.evictions if one.because is self._job)
        for uid, one in decisions.reservations.items():
            if uid == self._job.uid:
                self.at, self.kept_nodes = one.at, one.nodes
            else:
                self.kept.append(_kept_for(one))

    def reason(self, pod: str) -> PodCause | None:
        """Why the pod of that uid waits; where nothing is known of it alone, why the job does."""
        return self.trouble.pods.get(pod, self.trouble.reason) if self.trouble is not None else None

    def text(self, pod: str) -> str:
        """The same in words."""
        trouble = self.trouble
        if trouble is None:
            return ""
        return trouble.pod_messages()[pod] if pod in trouble.pods else f"{trouble.code}: {trouble.message}"


def _kept_for(one: Reservation) -> str:
    names = ", ".join(one.nodes[:KEPT_NODES]) + (", …" if len(one.nodes) > KEPT_NODES else "")
    what = (
        f"{many(len(one.nodes), 'node')} ({names}) {'are' if len(one.nodes) != 1 else 'is'}"
        if one.nodes
        else f"the share of queue {one.job.queue} is"
    )
    return f"{what} kept for {one.job.namespace}/{one.job.name}, which waits too"


def _with_outlook(asked: Asked, found: Explanation, only: str) -> Explanation:
    heard = _Heard(asked.job)
    assumptions = tuple(asked.world.assumptions)
    told = foresee(asked.world, asked.job, asked.decider, asked.now, heard, asked.give_up)
    given_up = told.why if told.after is None and asked.give_up() else ""
    start = Start(told.after, nodes=told.nodes, why=given_up, assumptions=tuple(told.assumptions))
    if heard.at is not None:
        wanted = dict.fromkeys(heard.kept_nodes, 0)
        start = Start(max(0.0, heard.at - asked.now), BY_RESERVATION, wanted, assumptions=assumptions)
    made = Room(heard.victims, made=True) if heard.victims else found.room
    why = heard.text(only) or (NOTHING_IN_THE_WAY if heard.starts else told.why)
    return replace(found, why=why, reason=heard.reason(only), room=made, start=start, notes=(*found.notes, *heard.kept))
