"""One try to give a job the nodes that it needs: all of it, or none.

It takes effect in the cluster at once; who asked for it commits its statement or takes it back.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

import numpy as np

from windlass.apis.reasons import GroupCause
from windlass.scheduler.framework import holds, parts, wait_reasons
from windlass.scheduler.framework.parts import SubGroup
from windlass.scheduler.framework.session import Session
from windlass.scheduler.framework.statement import Statement
from windlass.scheduler.model.cluster import HyperNode
from windlass.scheduler.model.columns import Mask
from windlass.scheduler.model.jobs import READY, Job, Part, Queue, Status, Task

READY_OR_WAITING = READY | {Status.PIPELINED}
WORTH_COUNTING = 8  # pods from which on it is cheaper to count whether all fit before trying


class Attempt:
    """One job's turn, on the nodes `within`, or all."""

    def __init__(self, session: Session, queue: Queue, job: Job, within: Mask | None = None) -> None:
        self.session, self.queue, self.job, self._mask = session, queue, job, within
        self.statement = Statement(session)
        self.failed: list[Task] = []
        """Tasks of which it is known that they find no node."""
        self.barred = False
        """The queue may have no more."""
        self._left_out = False
        """Pods were left out because the queue may have no more; others may do."""
        self.hyper_node = ""
        """Where all of it is, if it has to be somewhere together."""
        self.why: GroupCause | None = None
        """What keeps it from being placed, where that is not for want of nodes for single pods."""

    # --- where

    def place(self) -> bool:
        part = parts.whole(self.job) if self.job.topology is not None else None
        keep_out, groups = self.session.keep_out(self.job), self.session.hyper_nodes(self.job, part)
        if keep_out is not None and self.session.reservations is not None and self.session.wants_words:
            self.why = self.session.reservations.why(self.job)
        if keep_out is not None and not keep_out.any():
            return False
        if self._mask is not None:
            keep_out = self._mask if keep_out is None else keep_out & self._mask
        if groups is None:
            return self._within(keep_out)
        found = self.within_one(groups, part, keep_out, self._within)
        if found is None:
            self.why = self.why or wait_reasons.no_hyper_node(self.job)
            return False
        self.hyper_node = found
        return True

    def _within(self, mask: Mask | None) -> bool:
        return self._in_sub_groups(mask) if self.job.sub_groups else self._place(mask)

    def within_one(
        self,
        groups: Sequence[Sequence[HyperNode]],
        part: Part | None,
        within: Mask | None,
        place: Callable[[Mask], bool],
    ) -> str | None:
        """All in one of the hyper nodes: of the first group in which it can be, the one that rates best; its name.

        Rather where it can start now than where it waits for others to end.
        """
        start, counts = len(self.statement), self.job.counts
        waits = counts[Status.PIPELINED]
        for group in groups:
            best = sorted(group, key=lambda one: (-self.session.hyper_node_score(self.job, one, part), one.name))
            for may_wait in (False, True) if self.releasing else (True,):
                for hyper_node in best:
                    self.failed = []
                    mask = self.session.mask_of(hyper_node)
                    done = place(mask if within is None else mask & within)
                    if done and (may_wait or counts[Status.PIPELINED] == waits):
                        return hyper_node.name
                    self.statement.back_to(start)
        return None

    def _in_sub_groups(self, within: Mask | None) -> bool:
        """Sub group after sub group, each whole and where it must be, until the job has what it needs."""
        job = self.job
        groups = parts.sub_groups(job)
        surplus = self._has_enough(groups)
        for group in sorted(groups, key=lambda one: (one.ready == 0, one.policy.name, one.key)):
            if self._has_enough(groups) and not (surplus and not len(self.statement)):
                return True
            lacks = group.policy.size - group.ready
            if 0 < lacks <= len(group.waiting):
                self._sub_group(group, sorted(group.waiting, key=self.session.task_key)[:lacks], within)
        if not self._has_enough(groups) or (surplus and not len(self.statement)):
            in_groups = {task.uid for group in groups if not group.is_complete for task in group.tasks}
            rest = [task for task in self._candidates() if task.uid not in in_groups]
            if rest:
                self._try(sorted(rest, key=self.session.task_key), within)
        self.why = parts.lacking(job, groups)
        return bool(len(self.statement)) and not self.barred and self._has_enough(groups)

    def _has_enough(self, groups: Sequence[SubGroup]) -> bool:
        return self.job.has_enough(READY_OR_WAITING) and not parts.lacking(self.job, groups)

    def _sub_group(self, group: SubGroup, tasks: Sequence[Task], within: Mask | None) -> bool:
        start = len(self.statement)
        part = group.part(self.job, tuple(tasks))
        groups = self.session.hyper_nodes(self.job, part)
        if groups is not None:
            return self.within_one(groups, part, within, lambda mask: self._all_of(tasks, mask)) is not None
        if self._all_of(tasks, within):
            return True
        self.statement.back_to(start)
        return False

    def _all_of(self, tasks: Sequence[Task], within: Mask | None) -> bool:
        batches = self._batches(tasks)
        return all(self._fill(batch, len(batch), within, spare=0) == len(batch) for _, batch in batches)

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
        may = max(may, min(wanted, holds.kept_for(session.cluster, self.job)))
        if self.job.is_broken:  # it had them: if its queue deserves less by now, half a gang is of no use
            may = max(may, session.within_limits(self.queue, batch[0].request, wanted))
        self._left_out = self._left_out or may < wanted
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
        preferences = holds.preferences(session.cluster, self.job)
        extra = preferences if extra is None else extra if preferences is None else extra + preferences
        mask = within if mask is None else mask if within is None else mask & within
        if all_or_none and len(tasks) >= WORTH_COUNTING and not self.releasing:
            shape = session.placer.shapes.of(tasks[0].pod)
            if session.placer.slots(shape, within=mask).sum() < len(tasks):
                return 0
        nodes = session.placer.fill([task.pod for task in tasks], within=mask, extra=extra)
        self.statement.allocate(tasks[: len(nodes)], nodes)
        return len(nodes)

    @property
    def releasing(self) -> bool:
        return self.session.cluster.snapshot.table.ending > 0

    def _pipeline(self, tasks: list[Task], within: Mask | None) -> int:
        """Onto nodes that have room once those that are ending have ended."""
        if not self.releasing:
            return 0
        session, table = self.session, self.session.cluster.snapshot.table
        shape = session.placer.shapes.of(tasks[0].pod)
        anew, slots = session.one_at_a_time(shape, self.job), None
        for placed, task in enumerate(tasks):
            if slots is None or anew:
                mask = session.mask(task)
                mask = within if mask is None else mask if within is None else mask & within
                slots = session.placer.slots(shape, future=True, within=mask)
            at = int(slots.argmax()) if len(slots) else 0
            if not len(slots) or slots[at] < 1:
                return placed
            self.statement.pipeline(task, table.names[at])
            slots[at] -= 1
        return len(tasks)

    # --- messages

    @property
    def lacks_share(self) -> bool:
        """It is for want of its queue's share, not of nodes."""
        return self.barred or (self._left_out and not self.failed)

    def explain_failure(self) -> None:
        wait_reasons.unplaceable(self.session, self.queue, self.job, self.failed, barred=self.lacks_share, why=self.why)
