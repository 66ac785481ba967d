"""Makes room for one whole gang: finds who has to go, and has it so; or leaves everybody alone."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from windlass.scheduler.actions.bundles import Bundle, Usefulness, bundles_of, in_order
from windlass.scheduler.actions.gang_search import Plan, Search
from windlass.scheduler.batch import words
from windlass.scheduler.batch.model import Job, Queue, Task
from windlass.scheduler.batch.parts import asked_by
from windlass.scheduler.batch.session import Session
from windlass.scheduler.batch.supposed import Supposed
from windlass.scheduler.batch.turn import turn_of
from windlass.scheduler.placing.columns import Mask

MAX_DOMAINS = 8


class GangRoom:
    """`cost` rates the job that a victim is of: the less, the sooner it goes. `action` is what victims are told."""

    def __init__(self, session: Session, queue: Queue, job: Job, action: str, cost: Callable[[Job], Any]) -> None:
        self._session, self._queue, self._job = session, queue, job
        self._action, self._cost = action, cost
        given: Mapping[str, Any] = session.conf.configurations.get(f"gang{action}", {})
        self._allow_whole = given.get("allowWholeBundle", True) is not False
        self._max_domains = int(given.get("maxDomains", MAX_DOMAINS))

    def make(self, lawful: Sequence[Task]) -> bool:
        """`lawful` are the tasks that may go, the cheapest first."""
        with turn_of(self._session, self._job):
            plan = self._plan(bundles_of(self._session, lawful, allow_whole=self._allow_whole))
            return plan is not None and self._carry_out(plan)

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
        with Supposed(session) as world:
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

    @property
    def _needs(self) -> Any:
        job = self._job
        tasks = sorted(job.pending.values(), key=self._session.task_key)
        return asked_by(tasks[: max(1, job.min_member - job.ready)])

    def _of_use(self, within: Mask | None) -> Mask | None:
        """Nodes that the gang may be on; if it lacks its queue's leave, whoever goes helps."""
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
        words.unplaceable(session, self._queue, self._job, [], barred=False)
        statement.commit()
        if plan.hyper_node:
            session.decisions.hyper_nodes[self._job.uid] = plan.hyper_node
        return True
