"""Gives nodes to the jobs that were let in, each whole or not at all; queues and jobs take turns by their orders.

A job that is complete may have more tasks than it needs: those come one at a time, after its turn comes again, so that
gangs that are not complete yet go first.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from windlass.scheduler.actions.enqueue import admit
from windlass.scheduler.batch import words
from windlass.scheduler.batch.cluster import HyperNode
from windlass.scheduler.batch.model import READY, Job, Queue, Task
from windlass.scheduler.batch.order import Turns
from windlass.scheduler.batch.session import Session
from windlass.scheduler.batch.statement import Statement
from windlass.scheduler.placing.columns import Mask

WORTH_COUNTING = 8  # pods from which on it is cheaper to count whether all fit before trying


def run(session: Session) -> None:
    if "enqueue" not in session.conf.actions:
        for job in session.cluster.waiting.values():
            if not job.is_admitted:
                admit(session, job)
    turns = Turns(session, (job for job in session.cluster.waiting.values() if job.is_admitted and job.pending))
    for queue, job in turns:
        if not queue.is_open or session.is_overused(queue):
            for waiting in (job, *turns.empty(queue)):
                words.queue_has_enough(session, queue, waiting)
            continue
        invalid = session.why_invalid(job)
        if invalid is not None:
            words.invalid(session, job, *invalid)
        elif allocate(session, queue, job):
            if job.pending:
                turns.put(job)
        elif queue.fifo or session.conf.strict:
            turns.empty(queue)
        turns.again(queue)


def allocate(session: Session, queue: Queue, job: Job) -> bool:
    """Place what the job needs now; False if it cannot be."""
    attempt = Attempt(session, queue, job)
    groups = session.hyper_nodes(job)
    placed = attempt.anywhere() if groups is None else attempt.within_one(groups)
    if not placed:
        attempt.tell_why()
        attempt.statement.discard()
        return False
    if session.is_ready(job):
        attempt.statement.commit()
        return True
    session.keep(attempt.statement)  # it waits for pods that end: nobody else may count on their room
    attempt.tell_why()
    return False


class Attempt:
    """One job's turn."""

    def __init__(self, session: Session, queue: Queue, job: Job) -> None:
        self.session, self.queue, self.job = session, queue, job
        self.statement = Statement(session)
        self.failed: list[Task] = []
        """Tasks of which it is known that they find no node."""
        self.barred = False
        """The queue may have no more."""

    # --- where

    def anywhere(self) -> bool:
        return self._place(self.session.keep_out(self.job))

    def within_one(self, groups: Sequence[Sequence[HyperNode]]) -> bool:
        """All in one of the hyper nodes: of the first group in which it can be, the one that rates best."""
        keep_out = self.session.keep_out(self.job)
        for group in groups:
            fitting: list[tuple[float, str, Mask]] = []
            for hyper_node in group:
                mask = self.session.mask_of(hyper_node)
                mask = mask if keep_out is None else mask & keep_out
                if self._place(mask):
                    score = self.session.hyper_node_score(self.job, hyper_node)
                    fitting.append((-score, hyper_node.name, mask))
                self.statement.discard()
            if fitting:
                return self._place(min(fitting, key=lambda one: one[:2])[2])
        return False

    # --- in which order

    def _place(self, within: Mask | None) -> bool:
        """In the tasks' order; where that fails, the largest first, which leaves less room that is of no use."""
        tasks = sorted(self._candidates(), key=self.session.task_key)
        if self._try(tasks, within):
            return True
        sizes = {id(self.session.placer.shapes.of(task.pod)) for task in tasks}
        if len(sizes) > 1 and not self.barred:
            kept = self.failed
            self.statement.discard()
            self.failed = []
            if self._try(sorted(tasks, key=self._size, reverse=True), within):
                return True
            self.failed = kept
        return False

    def _candidates(self) -> list[Task]:
        tasks = self.job.pending.values()
        if self.session.is_ready(self.job):
            return [task for task in tasks if not task.best_effort]
        return list(tasks)

    def _size(self, task: Task) -> float:
        total = self.session.total
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(total > 0, task.request / total, 0)
        return float(shares.max())

    # --- trying

    def _try(self, tasks: Sequence[Task], within: Mask | None) -> bool:
        job = self.job
        surplus = self.session.is_ready(job)
        left = 1 if surplus else max(1, job.min_member - job.ready)
        lacking = (
            {}
            if surplus or not job.needs_roles
            else {role: least - job.role_number(role, READY) for role, least in job.min_tasks.items()}
        )
        lacking = {role: number for role, number in lacking.items() if number > 0}
        left = max(left, sum(lacking.values()))
        spare = len(tasks) - left
        for role, batch in self._batches(tasks):
            wanted = min(len(batch), lacking.get(role, 0) + left - sum(lacking.values()))
            if wanted <= 0:
                continue
            placed = self._fill(batch, wanted, within, spare=spare)
            left -= placed
            if role in lacking:
                lacking[role] = max(0, lacking[role] - placed)
            spare -= len(batch) - placed if placed < wanted else 0
            if left <= 0:
                return not self.barred
            if spare < 0:
                return False
        return False

    def _batches(self, tasks: Sequence[Task]) -> Iterator[tuple[str, list[Task]]]:
        """Tasks in a row that are alike and have the same role."""
        shapes = self.session.placer.shapes
        for (role, _), batch in groupby(tasks, key=lambda task: (task.role, id(shapes.of(task.pod)))):
            yield role, list(batch)

    def _fill(self, batch: list[Task], wanted: int, within: Mask | None, spare: int) -> int:
        session = self.session
        may = session.allocatable(self.queue, batch[0].request, wanted)
        if may < wanted and spare < wanted - may:
            self.barred = True
            if not session.wants_words:
                return 0
            may = wanted  # all the same, to be able to say whether there would be nodes
        if may <= 0:
            return 0
        shape = session.placer.shapes.of(batch[0].pod)
        if session.one_at_a_time(shape, self.job):
            placed = next((at for at, task in enumerate(batch[:may]) if not self._fill_alike([task], within)), may)
        else:
            placed = self._fill_alike(batch[:may], within, all_or_none=spare < 1)
        if placed < may:
            placed += self._pipeline(batch[placed:may], within)
        if placed < may:
            self.failed += batch[placed:may]
        return placed

    def _fill_alike(self, tasks: list[Task], within: Mask | None, *, all_or_none: bool = False) -> int:
        session = self.session
        mask, extra = session.mask(tasks[0]), session.score(tasks[0])
        mask = within if mask is None else mask if within is None else mask & within
        by_uid = {task.uid: task for task in tasks}
        if all_or_none and len(tasks) >= WORTH_COUNTING and not self.releasing:
            shape = session.placer.shapes.of(tasks[0].pod)
            if session.placer.slots(shape, within=mask).sum() < len(tasks):
                return 0
        return session.placer.fill(
            [task.pod for task in tasks],
            lambda pod, node: self.statement.allocate(by_uid[pod.uid], node),
            within=mask,
            extra=extra,
        )

    @property
    def releasing(self) -> bool:
        return bool(self.session.cluster.snapshot.table.releasing.any())

    def _pipeline(self, tasks: list[Task], within: Mask | None) -> int:
        """Onto nodes that have room once those that are ending have ended."""
        if not self.releasing:
            return 0
        session, table = self.session, self.session.cluster.snapshot.table
        placed = 0
        for task in tasks:
            shape = session.placer.shapes.of(task.pod)
            mask = session.mask(task)
            mask = within if mask is None else mask if within is None else mask & within
            slots = session.placer.slots(shape, future=True, within=mask)
            if not (slots >= 1).any():
                break
            self.statement.pipeline(task, table.names[int(slots.argmax())])
            placed += 1
        return placed

    # --- telling

    def tell_why(self) -> None:
        words.unplaceable(self.session, self.queue, self.job, self.failed, barred=self.barred)
