"""Makes room for one whole gang: finds who has to go, and has it so; or leaves everybody alone."""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from windlass.scheduler.actions.bundles import Bundle, Usefulness, bundles_of, in_order
from windlass.scheduler.actions.gang_search import Plan, Search
from windlass.scheduler.actions.portions import portions
from windlass.scheduler.actions.victims import BOUND, cheapest_first, tasks_of
from windlass.scheduler.framework import wait_reasons
from windlass.scheduler.framework.action_arguments import whole_gangs
from windlass.scheduler.framework.assumed_evictions import AssumedEvictions
from windlass.scheduler.framework.order import turn_of
from windlass.scheduler.framework.parts import asked_by
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.columns import WIDTH, Mask, fits
from windlass.scheduler.model.jobs import Job, Queue, Task


class Tried:
    """Of jobs that are alike one is enough to know that there is no room to be made, as long as nothing changes."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._in_vain: set[Hashable] = set()
        self._made = 0

    def is_new(self, job: Job) -> bool:
        made = len(self._session.decisions.evictions)
        if made != self._made:
            self._made = made
            self._in_vain.clear()
        return self._key(job) not in self._in_vain

    def in_vain(self, job: Job) -> None:
        self._in_vain.add(self._key(job))

    def _key(self, job: Job) -> Hashable:
        shapes = Counter(id(self._session.placer.shapes.of(task.pod)) for task in job.pending.values())
        alike = frozenset(shapes.items()), job.topology, job.sub_groups, tuple(sorted(job.min_tasks.items()))
        return job.queue, job.priority, job.min_member, job.ready, alike


class GangRoom:
    """`cost` rates the job that a victim is of: the less, the sooner it is evicted. Messages name `action`."""

    def __init__(self, session: Session, queue: Queue, job: Job, action: str, cost: Callable[[Job], Any]) -> None:
        self._session, self._queue, self._job = session, queue, job
        self._action, self._cost = action, cost
        asked = whole_gangs(session.conf.configurations, f"gang{action}")
        self._allow_whole, self._max_domains = asked.allow_whole, asked.max_domains
        wanted = sorted(job.pending.values(), key=session.task_key)[: max(1, job.min_member - job.ready)]
        self._needs = asked_by(wanted)

    def make(self, jobs: Sequence[Job]) -> bool:
        """`jobs` are those that could go, the cheapest first."""
        if not self._could_be_enough(jobs):
            return False
        with turn_of(self._session, self._job):
            for some in portions(self._needs, jobs):
                plan = self._plan(bundles_of(self._session, self._lawful(some), allow_whole=self._allow_whole))
                if plan is not None:
                    return self._carry_out(plan)
        return False

    # --- who

    def _could_be_enough(self, jobs: Sequence[Job]) -> bool:
        """By sums alone: what is free, or will be, and what all of them have, is as much as is needed."""
        if not jobs:
            return False
        table, size = self._session.cluster.snapshot.table, len(self._session.cluster.snapshot.table)
        free = table.allocatable[:, :size] - table.used[:, :size] + table.releasing[:, :size]
        room = np.maximum(free, 0).sum(axis=1) + sum((job.allocated for job in jobs), np.zeros(WIDTH))
        return fits(self._needs, room)

    def _lawful(self, jobs: Sequence[Job]) -> list[Task]:
        """What plugins let go, the cheapest first; what a gang needs is seen to here."""
        session = self._session
        first = min(self._job.pending.values(), key=session.task_key)
        candidates = cheapest_first(session, first, tasks_of(session, self._job, jobs, BOUND))
        hook = "preemptable" if self._action == "preempt" else "reclaimable"
        return session.lawful_victims(hook, first, candidates, apart_from="gang") if candidates else []

    # --- where

    def _plan(self, bundles: list[Bundle]) -> Plan | None:
        domains = self._domains(bundles)
        if domains is None:
            return self._within(bundles, None)
        for group in domains:
            plans = [plan for mask in group if (plan := self._within(bundles, mask)) is not None]
            if plans:
                return min(plans, key=lambda plan: plan.cost)
        return None

    def _domains(self, bundles: Sequence[Bundle]) -> list[list[Mask]] | None:
        """The hyper nodes in which it could be without all of them, the better ones first; None: anywhere."""
        session = self._session
        if session.hyper_nodes(self._job) is None:
            return None
        with AssumedEvictions(session, plain=True) as world:
            world.without(task for bundle in bundles for task in bundle.all_tasks)
            groups = session.hyper_nodes(self._job)
        if groups is None:
            return None
        left, found = self._max_domains, list[list[Mask]]()
        for group in groups:
            found.append([session.mask_of(one) for one in group[:left]])
            left -= len(found[-1])
        return found

    def _within(self, bundles: list[Bundle], within: Mask | None) -> Plan | None:
        useful = Usefulness(self._session, self._needs, self._of_use(within))
        chosen = in_order(self._session, bundles, useful, self._cost)
        return Search(self._session, self._queue, self._job, within).find(chosen)

    def _of_use(self, within: Mask | None) -> Mask | None:
        """Nodes that the gang may be on; where its queue has reached its limit, any victim of the queue helps."""
        session, job = self._session, self._job
        wanted = max(1, job.min_member - job.ready)
        first = next(iter(job.pending.values()))
        if session.allocatable(self._queue, first.request, wanted) < wanted:
            return None
        shapes = {
            id(shape): shape for shape in map(session.placer.shapes.of, (one.pod for one in job.pending.values()))
        }
        mask: Mask = np.logical_or.reduce([session.placer.allowed(shape) for shape in shapes.values()])
        return mask if within is None else mask & within

    # --- what follows

    def _carry_out(self, plan: Plan) -> bool:
        session, statement = self._session, self._session.statement()
        for task in plan.victims:
            statement.evict(task, self._action, self._job)
        for task, node in plan.places:
            if self._action == "reclaim" and not session.is_preemptive(self._queue, task):
                statement.discard()
                return False
            statement.pipeline(task, node)
        if not session.is_pipelined(self._job):
            statement.discard()
            return False
        statement.commit()
        wait_reasons.unplaceable(session, self._queue, self._job, [], barred=False)
        if plan.hyper_node:
            session.decisions.hyper_nodes[self._job.uid] = plan.hyper_node
        return True
