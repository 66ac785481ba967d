"""`capacity`: each queue has what its spec says that it deserves; more is lent to it until others want theirs back."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from windlass.apis.reasons import QueueHasChildren
from windlass.scheduler.framework import admission
from windlass.scheduler.framework.extension_points import Due, Vote
from windlass.scheduler.framework.plugin import Arguments, Plugin
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.columns import PODS, TOLERANCE, Mask, Vector, fits, fits_where_asked, short
from windlass.scheduler.model.jobs import Job, Queue, Task
from windlass.scheduler.model.queue_tree import QueueTree

NOT_HERE = ("capacity.DynamicResourceAllocationEnable", "capacity.DRAConsumableCapacityEnable")


class Capacity(Plugin):
    NAME = "capacity"

    def __init__(self, arguments: Arguments) -> None:
        super().__init__(arguments)
        self._hierarchical = arguments.raw("enableHierarchy") is True
        self._levels = int(arguments.number("ancestorReclaimLevel", 0))
        for name in NOT_HERE:
            if arguments.flag(name, False):
                arguments.warnings.append(f"capacity: {name}: true is not followed: pods with resource claims wait")

    def open(self, session: Session) -> None:
        self._session = session
        queues = session.cluster.queues.values()
        self._tree = QueueTree(queues, session.total, hierarchical=self._hierarchical)
        self._inqueue = {queue.name: queue.inqueue.copy() for queue in queues}

    def due(self, queue: Queue) -> Due | None:
        name = queue.name
        if name not in self._tree.deserved:
            return None
        return Due(self._tree.deserved[name], self._tree.real[name], self._tree.share(name))

    def queue_order(self, queue: Queue) -> Any:
        return self._tree.order(queue)

    # --- admission

    def job_enqueueable(self, job: Job) -> Vote:
        queue = self._session.cluster.queue_of(job)
        if queue is None:
            return Vote.PERMIT
        if not self._tree.is_leaf(queue):
            self._session.refuse(job, QueueHasChildren(queue.name))
            return Vote.REJECT
        asked, victims = job.unallocated, admission.lawful_victims(self._session, job)
        for name in self._tree.chain(queue):
            real = self._tree.real[name]
            taken = self._tree.sum(name, lambda one: one.allocated + self._inqueue[one.name] - one.elastic)
            lacking = short(taken + asked, asked, real + victims)
            if lacking:
                admission.report_shortage(self._session, job, name, lacking, asked, real, real + victims - taken)
                return Vote.REJECT
        return Vote.PERMIT

    def job_enqueued(self, job: Job) -> None:
        if job.queue in self._inqueue:
            self._inqueue[job.queue] = self._inqueue[job.queue] + job.unallocated

    # --- placing

    def allocatable(self, queue: Queue, request: Vector, wanted: int) -> int:
        """As many as it and all above it may still have."""
        if not self._tree.is_leaf(queue):
            return 0
        asked = request > 0
        for name in self._tree.chain(queue):
            left = self._tree.real[name][asked] - self._tree.allocated(name)[asked] + TOLERANCE
            wanted = min(wanted, int(np.floor(left / request[asked]).min()))
        return max(0, wanted)

    def within_limits(self, queue: Queue, request: Vector, wanted: int) -> int:
        """`allocatable` regards hard limits alone: more than it deserves is lent to a queue."""
        return self.allocatable(queue, request, wanted)

    # --- taking back

    def preemptive(self, queue: Queue, task: Task) -> bool:
        """It may have that much, and deserves it in at least one of the things that the task asks for."""
        for name in self._tree.chain(queue):
            wanted = self._tree.allocated(name) + task.request
            if not fits_where_asked(wanted, task.request, self._tree.real[name]):
                return False
        return self._deserves(queue.name, task.request)

    def _deserves(self, name: str, request: Vector) -> bool:
        asked = of_note(request)
        wanted = self._tree.allocated(name) + request
        return bool((wanted <= self._tree.deserved[name] + TOLERANCE)[asked].any())

    def reclaimable(self, reclaimer: Task, candidates: Sequence[Task]) -> Sequence[Task]:
        """Tasks of queues that have more than they deserve, as long as they have, and more than is guaranteed."""
        cluster, tree = self._session.cluster, self._tree
        mine, gone = cluster.queue_of(reclaimer.job), dict[str, Vector]()
        found: list[Task] = []
        for task in candidates:
            queue = cluster.queue_of(task.job)
            if queue is None or mine is None or not (of_note(task.request) & of_note(reclaimer.request)).any():
                continue
            if not self._may_lose(mine, queue, task, reclaimer, gone):
                continue
            for name in tree.chain(queue):
                gone[name] = gone.get(name, 0) + task.request
            found.append(task)
        return found

    def _may_lose(self, mine: Queue, queue: Queue, task: Task, reclaimer: Task, gone: dict[str, Vector]) -> bool:
        has = self._tree.allocated(queue.name) - gone.get(queue.name, 0)
        if not fits(queue.guarantee, has - task.request) or not self._has_too_much(queue.name, has, task.request):
            return False
        chain, own = self._tree.chain(queue), self._tree.chain(mine)
        apart = [name for name in chain[1 : self._levels + 1] if name not in own]
        above = [name for name in own[1 : self._levels + 1] if name not in chain]
        return all(
            self._has_too_much(name, self._tree.allocated(name) - gone.get(name, 0), task.request) for name in apart
        ) and all(self._deserves(name, reclaimer.request) for name in above)

    def _has_too_much(self, name: str, has: Vector, request: Vector) -> bool:
        """More than it deserves of something that the task has; or it deserves nothing of what the task has."""
        asked, deserved = of_note(request), self._tree.deserved[name]
        return not (deserved[asked] > 0).any() or bool((has > deserved + TOLERANCE)[asked].any())

    def victim_order(self, gainer: Task, victim: Task) -> int:
        """The nearest relatives first."""
        cluster = self._session.cluster
        mine, theirs = cluster.queue_of(gainer.job), cluster.queue_of(victim.job)
        return self._tree.distance(mine, theirs) if mine is not None and theirs is not None else 0


def of_note(request: Vector) -> Mask:
    """What it asks for; that it is a pod does not count."""
    found = request > 0
    found[PODS] = False
    return found
