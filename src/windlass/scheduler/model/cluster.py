"""All that a cycle decides from: the nodes' snapshot, jobs, queues. Kept up to date change by change, never copied.

Sums of queues follow each task; what a job still claims of its minimum is settled for the jobs that changed when a
cycle begins. So a cycle costs by what waits, not by what runs.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from windlass.scheduler.model.columns import WIDTH, Vector
from windlass.scheduler.model.jobs import ALLOCATED, REQUESTED, WAITING, Job, Queue, Status, Task, shift
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.preemptions import Preemptions
from windlass.scheduler.model.snapshot import Snapshot

GATHER = 30.0  # seconds that a minimum is kept for an admitted job without pods
TAKING = ALLOCATED | {Status.PIPELINED}
"""What counts against a queue."""
PRESENT = ALLOCATED | {Status.RELEASING}
"""What is on a node that is there."""
THERE = PRESENT | {Status.UNKNOWN}
"""What is on a node, be it one that is lost."""


@dataclass(slots=True)
class Quota:
    """A ResourceQuota: what a namespace may have, and has."""

    name: str
    hard: dict[str, float]
    used: dict[str, float]


@dataclass(slots=True)
class HyperNode:
    """Nodes that are close to each other; the lower the tier the closer. `nodes` are names."""

    name: str
    tier: int
    tier_name: str
    nodes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Usage:
    """How busy a node is, in percent of what it offers, and when that was measured (seconds)."""

    cpu: float
    memory: float
    at: float


@dataclass(slots=True)
class Hold:
    """The place of a member that was lost, kept for the gang. `pod` stands in for it in the snapshot."""

    job: Job
    role: str
    pod: PodInfo
    node: str
    until: float


@dataclass(slots=True)
class _Claim:
    """What a job adds to its queue's sums."""

    queue: str
    inqueue: Vector
    elastic: Vector


@dataclass(slots=True)
class Cluster:
    """`waiting` are the jobs that a cycle has to look at, `gated` those that wait for nothing but scheduling gates."""

    snapshot: Snapshot = field(default_factory=Snapshot)
    jobs: dict[str, Job] = field(default_factory=dict[str, Job])
    queues: dict[str, Queue] = field(default_factory=dict[str, Queue])
    waiting: dict[str, Job] = field(default_factory=dict[str, Job])
    gated: dict[str, Job] = field(default_factory=dict[str, Job])
    broken: dict[str, Job] = field(default_factory=dict[str, Job])
    """Gangs that ran with fewer than they need when the cycle began."""
    quotas: dict[str, list[Quota]] = field(default_factory=dict[str, list[Quota]])
    """By namespace."""
    hyper_nodes: tuple[HyperNode, ...] = ()
    usage: dict[str, Usage] = field(default_factory=dict[str, Usage])
    """By the name of the node; averages of some minutes."""
    holds: dict[str, Hold] = field(default_factory=dict[str, Hold])
    """By the uid of the pod that stands in."""
    lifted: dict[str, Hold] = field(default_factory=dict[str, Hold])
    """Holds that do not count now: a job has its turn that they are for, or may break them."""
    sought: list[Hold] = field(default_factory=list[Hold])
    """Holds for which there is no room yet."""
    reserved: set[str] = field(default_factory=set[str])
    """Uids of jobs that nodes are kept for: these are what they claim."""
    unplaceable: set[str] = field(default_factory=set[str])
    """Uids of jobs that have found no place for long, where nodes are kept for those that wait."""
    let_in_by_age: dict[str, str] = field(default_factory=dict[str, str])
    """By queue the job that was admitted because it had waited long enough."""
    admitted_at: dict[str, float] = field(default_factory=dict[str, float])
    _dirty: dict[str, Job] = field(default_factory=dict[str, Job])
    _claims: dict[str, _Claim] = field(default_factory=dict[str, _Claim])
    _gathering: set[str] = field(default_factory=set[str])
    preemptions: Preemptions = field(init=False)

    def __post_init__(self) -> None:
        self.preemptions = Preemptions(self.snapshot)

    # --- queues

    def put_queue(self, queue: Queue) -> None:
        """What is said of a queue; its jobs and sums are kept, or found."""
        old = self.queues.get(queue.name)
        if old is not None:
            queue.jobs, queue.allocated, queue.requested = old.jobs, old.allocated, old.requested
            queue.inqueue, queue.elastic = old.inqueue, old.elastic
        self.queues[queue.name] = queue
        if old is None:
            for job in self.jobs.values():
                if job.queue == queue.name:
                    self._join(job, queue)

    def drop_queue(self, name: str) -> None:
        queue = self.queues.pop(name, None)
        for job in queue.jobs.values() if queue is not None else ():
            self._claims.pop(job.uid, None)

    def queue_of(self, job: Job) -> Queue | None:
        return self.queues.get(job.queue)

    def _join(self, job: Job, queue: Queue) -> None:
        queue.jobs[job.uid] = job
        queue.allocated += job.allocated + job.pipelined
        queue.requested += job.requested
        for hold in self.holds.values():
            if hold.job is job:
                queue.allocated += hold.pod.vector
        self.changed(job)

    def _leave(self, job: Job) -> None:
        queue = self.queues.get(job.queue)
        if queue is None or queue.jobs.pop(job.uid, None) is None:
            return
        queue.allocated -= job.allocated + job.pipelined
        queue.requested -= job.requested
        for hold in self.holds.values():
            if hold.job is job:
                queue.allocated -= hold.pod.vector
        claim = self._claims.pop(job.uid, None)
        if claim is not None:
            queue.inqueue -= claim.inqueue
            queue.elastic -= claim.elastic
        if not queue.jobs:  # whatever rounding left
            for total in (queue.allocated, queue.requested, queue.inqueue, queue.elastic):
                total[:] = 0

    # --- jobs

    def put_job(self, job: Job) -> None:
        """A job, or what is newly said of it: the tasks of the one of that uid before are kept."""
        old = self.jobs.get(job.uid)
        if old is not None and old is not job:
            self._leave(old)
            for task in list(old.tasks.values()):
                job.put(task)
            for hold in (*self.holds.values(), *self.lifted.values(), *self.sought):
                if hold.job is old:
                    hold.job = job
        elif old is not None:
            self._leave(old)
        self.jobs[job.uid] = job
        queue = self.queues.get(job.queue)
        if queue is not None:
            self._join(job, queue)
        self.changed(job)

    def drop_job(self, uid: str) -> None:
        """The group is gone. Its tasks that hold nodes keep them; nobody schedules the others."""
        job = self.jobs.pop(uid, None)
        if job is None:
            return
        self.unhold(job)
        self._leave(job)
        for known in (self.waiting, self.gated, self.broken, self._dirty, self.admitted_at):
            known.pop(uid, None)
        self._gathering.discard(uid)

    def admit(self, job: Job, now: float) -> None:
        job.phase = "Inqueue"
        self.admitted_at[job.uid] = now
        self.changed(job)

    def changed(self, job: Job) -> None:
        self._dirty[job.uid] = job

    # --- tasks

    def put_task(self, job: Job, task: Task) -> None:
        """A task as it is now; one that holds a node is put there in the snapshot."""
        self._drop(job, task.uid)
        job.put(task)
        self._count(task, 1)
        if task.node and task.status in THERE:
            self.snapshot.add_pod(task.pod, task.node)
            if task.status is Status.RELEASING:
                self.snapshot.set_ending(task.uid, True)
        else:
            self.snapshot.remove_pod(task.uid)
        self.changed(job)

    def drop_task(self, job: Job, uid: str) -> None:
        """The task is gone, and with it its pod."""
        if self._drop(job, uid) is not None:
            self.snapshot.remove_pod(uid)

    def leave(self, job: Job, uid: str) -> Task | None:
        """The task is none of the job any more; its pod stays where it is."""
        return self._drop(job, uid)

    def _drop(self, job: Job, uid: str) -> Task | None:
        task = job.tasks.get(uid)
        if task is None:
            return None
        self._count(task, -1)
        job.drop(uid)
        if task.status is Status.PIPELINED:
            self.snapshot.withdraw(uid)
        self.changed(job)
        return task

    def move(self, task: Task, status: Status, node: str = "") -> None:
        """The task becomes something else, and is put on a node or taken off it as that has it."""
        job, before = task.job, task.status
        job.move(task, status)
        if node:
            task.node = node
        queue = self.queues.get(job.queue)
        if queue is not None and job.uid in queue.jobs:
            shift(queue.allocated, before in TAKING, status in TAKING, task.request)
            shift(queue.requested, before in REQUESTED, status in REQUESTED, task.request)
        self._show(task, before)
        self.changed(job)

    def _show(self, task: Task, before: Status) -> None:
        """Have the snapshot know of what has become of a task."""
        snapshot, status = self.snapshot, task.status
        was_there, is_there = before in PRESENT, status in PRESENT
        if is_there and not was_there:
            snapshot.add_pod(task.pod, task.node)
        elif was_there and not is_there:
            snapshot.remove_pod(task.uid)
        if is_there and Status.RELEASING in (before, status):
            snapshot.set_ending(task.uid, status is Status.RELEASING)
        if before is Status.PIPELINED:
            snapshot.withdraw(task.uid)
        if status is Status.PIPELINED:
            snapshot.promise(task.uid, task.node, task.request)
        elif status in WAITING:
            task.node = ""

    def allocate(self, tasks: Sequence[Task], nodes: Sequence[str]) -> None:
        """Pending tasks of one job that are alike were put on nodes, where the snapshot has them already."""
        job = tasks[0].job
        job.allocate(tasks, nodes)
        queue = self.queues.get(job.queue)
        if queue is not None and job.uid in queue.jobs:
            queue.allocated += len(tasks) * tasks[0].request
        self.changed(job)

    def bind(self, job: Job, tasks: Sequence[Task]) -> None:
        """Tasks of the job that were given nodes are being bound to them."""
        job.bind(tasks)
        self.changed(job)

    def _count(self, task: Task, sign: int) -> None:
        queue = self.queues.get(task.job.queue)
        if queue is None or task.job.uid not in queue.jobs:
            return
        there, taking, requested = sign > 0, task.status in TAKING, task.status in REQUESTED
        shift(queue.allocated, taking and not there, taking and there, task.request)
        shift(queue.requested, requested and not there, requested and there, task.request)

    # --- places that are kept

    def hold(self, hold: Hold) -> None:
        self.holds[hold.pod.uid] = hold
        self.snapshot.add_pod(hold.pod, hold.node)
        queue = self.queue_of(hold.job)
        if queue is not None:
            queue.allocated += hold.pod.vector

    def unhold(self, job: Job, only: Iterable[str] | None = None) -> list[Hold]:
        """Give up the places that are kept for a job, or some of them (by uid)."""
        wanted = [uid for uid, hold in self.holds.items() if hold.job is job] if only is None else list(only)
        found: list[Hold] = []
        for uid in wanted:
            hold = self.holds.pop(uid)
            found.append(hold)
            self.snapshot.remove_pod(uid)
            queue = self.queue_of(hold.job)
            if queue is not None:
                queue.allocated -= hold.pod.vector
        return found

    # --- before a cycle

    def settle(self, now: float) -> None:
        """Bring sums and the list of waiting jobs up to date for the jobs that changed."""
        self.preemptions.settle(now, self.jobs)
        for uid in list(self._gathering):
            if uid in self.jobs:
                self._dirty[uid] = self.jobs[uid]
        for uid, job in self._dirty.items():
            if self.jobs.get(uid) is not job:
                continue
            self._settle(job, now)
            if job.pending or not job.is_admitted:
                self.waiting[uid] = job
            else:
                self.waiting.pop(uid, None)
            if job.counts[Status.GATED] and uid not in self.waiting:
                self.gated[uid] = job
            else:
                self.gated.pop(uid, None)
            if job.is_broken:
                self.broken[uid] = job
            else:
                self.broken.pop(uid, None)
        self._dirty.clear()

    def _settle(self, job: Job, now: float) -> None:
        queue = self.queues.get(job.queue)
        if queue is None:
            return
        old = self._claims.get(job.uid)
        if old is not None:
            queue.inqueue -= old.inqueue
            queue.elastic -= old.elastic
        inqueue = job.unallocated if self._claims_its_minimum(job, now) else np.zeros(WIDTH)
        claim = _Claim(queue.name, inqueue, job.elastic)
        queue.inqueue += claim.inqueue
        queue.elastic += claim.elastic
        self._claims[job.uid] = claim

    def _claims_its_minimum(self, job: Job, now: float) -> bool:
        """Only while that can lead to its running: what has finished, or never comes, holds nothing back."""
        self._gathering.discard(job.uid)
        if not job.is_admitted or job.phase == "Completed" or job.min_resources is None or job.uid in self.reserved:
            return False
        if job.pending or job.counts[Status.GATED] or job.counts[Status.PIPELINED]:
            return True
        if job.tasks:
            return False
        if now - self.admitted_at.setdefault(job.uid, now) > GATHER:
            return False
        self._gathering.add(job.uid)
        return True

    @property
    def total(self) -> Vector:
        """What all nodes offer."""
        return self.snapshot.table.total()
