"""What cycles must remember of preemption: who was promised which room until when, and who made whom go.

Room is promised in the table of nodes, so that nobody else is given it, whatever else is decided there; while the job
that it is for has its turn the promise is lifted, also for jobs of higher priority. Pure: the time is given.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from windlass.scheduler.model.columns import Vector
from windlass.scheduler.model.jobs import READY, Job, Status, Task
from windlass.scheduler.model.snapshot import Snapshot

ONCE_IN = 600.0  # seconds in which one of a pair of jobs may make the other go once


@dataclass(slots=True)
class Nomination:
    """Room on a node for one task of a job."""

    job: str
    task: str
    node: str
    request: Vector
    priority: int
    until: float
    stands: bool = True
    """It counts in the table; not while it is lifted."""


@dataclass(slots=True)
class Preemptions:
    """Jobs are known by their uids."""

    snapshot: Snapshot
    nominations: dict[str, Nomination] = field(default_factory=dict[str, Nomination])
    """By the uid of the task."""
    freed: list[str] = field(default_factory=list[str])
    _lifted: dict[str, Nomination] = field(default_factory=dict[str, Nomination])
    _placed: dict[str, Nomination] = field(default_factory=dict[str, Nomination])
    _made_go: dict[str, dict[str, float]] = field(default_factory=dict[str, dict[str, float]])
    """Of each job that had to go: for whom, and when."""

    # --- promises

    def nominate(self, task: Task, node: str, until: float) -> None:
        """The task is to be on that node as soon as others have left it; the room is kept for it until then."""
        self._drop(task.uid)
        job = task.job
        made = Nomination(job.uid, task.uid, node, task.request, job.priority, until)
        self.nominations[task.uid] = made
        self._promise(made)

    def recall(self, job: Job, until: float) -> None:
        """Find what its pods were promised before this process started: their nominated nodes."""
        for task in job.pending.values():
            node = task.pod.pod.status.nominated_node_name
            if node in self.snapshot.table.index:
                self.nominate(task, node, until)

    def nodes_of(self, job: Job) -> frozenset[str]:
        """Where room was made for the job."""
        return frozenset(one.node for one in self.nominations.values() if one.job == job.uid)

    def lift(self, job: Job) -> None:
        """It is the job's turn: what was promised to it, or to less important ones, is there for it."""
        for one in self.nominations.values():
            if one.stands and (one.job == job.uid or one.priority < job.priority):
                one.stands = False
                self.snapshot.withdraw(one.task)
                self._lifted[one.task] = one

    def restore(self, jobs: Mapping[str, Job], *, final: bool = False) -> None:
        """The turn is over, or (`final`) the cycle is. A promise holds on while its task waits.

        A task that was given a node in the cycle keeps its room itself until the end of it.
        """
        if final:
            self._lifted |= self._placed
            self._placed = {}
        for uid, one in list(self._lifted.items()):
            job = jobs.get(one.job)
            task = job.tasks.get(uid) if job is not None else None
            del self._lifted[uid]
            if task is not None and task.status in (Status.PIPELINED, Status.ALLOCATED):
                self._placed[uid] = one
            elif task is None or task.status is not Status.PENDING:
                self._drop(uid)
            else:
                one.stands = True
                self._promise(one)

    def _promise(self, one: Nomination) -> None:
        self.snapshot.promise(one.task, one.node, one.request)

    def _drop(self, uid: str) -> None:
        one = self.nominations.pop(uid, None)
        self._lifted.pop(uid, None)
        self._placed.pop(uid, None)
        if one is not None and one.stands:
            self.snapshot.withdraw(uid)

    # --- who made whom go

    def note(self, gainer: Job, loser: Job, now: float) -> None:
        if gainer is not loser:
            self._made_go.setdefault(loser.uid, {})[gainer.uid] = now

    def victims_of(self, gainer: Job, jobs: Mapping[str, Job]) -> set[str]:
        """Uids of the tasks that are terminating because of the job, as far as it is known who made them go."""
        losers = [jobs[uid] for uid, times in self._made_go.items() if gainer.uid in times and uid in jobs]
        return {task.uid for job in losers for task in job.tasks.values() if task.status is Status.RELEASING}

    def may(self, gainer: Job, loser: Job, now: float) -> bool:
        """Whether one may make the other go; what is decided at the same moment is one preemption."""
        pairs = ((gainer.uid, loser.uid), (loser.uid, gainer.uid))
        times = [self._made_go.get(one, {}).get(other, -ONCE_IN) for one, other in pairs]
        return all(at == now or now - at >= ONCE_IN for at in times)

    def must_wait_for(self, job: Job, jobs: Mapping[str, Job]) -> Job | None:
        """The job that made this one go and has not started yet: it goes first."""
        for gainer in self._made_go.get(job.uid, ()):
            other = jobs.get(gainer)
            if other is not None and other.pending and not other.has_enough(READY):
                return other
        return None

    # --- before a cycle

    def settle(self, now: float, jobs: Mapping[str, Job]) -> None:
        """Forget what is over: tasks that are bound or gone, promises and preemptions of long ago.

        The nodes that have room by that are `freed`.
        """
        self.freed = []
        for uid, one in list(self.nominations.items()):
            job = jobs.get(one.job)
            task = job.tasks.get(uid) if job is not None else None
            if task is None or task.status is not Status.PENDING or now >= one.until:
                self._drop(uid)
                self.freed.append(one.node)
        for loser, times in list(self._made_go.items()):
            kept = {gainer: at for gainer, at in times.items() if now - at < ONCE_IN and gainer in jobs}
            if kept and loser in jobs:
                self._made_go[loser] = kept
            else:
                del self._made_go[loser]
