"""What a job can lose at once: what it has beyond its minimum (*safe*), or all of it (*whole*); never half of it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from windlass.scheduler.framework import parts
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.columns import WIDTH, Mask, Vector
from windlass.scheduler.model.jobs import ALLOCATED, READY, Job, Task
from windlass.scheduler.plugins.gang import surplus


@dataclass(frozen=True)
class Bundle:
    """Tasks of one job, the first to go first; where they are the rest of it, those that go `before` them."""

    job: Job
    tasks: tuple[Task, ...]
    whole: bool
    before: tuple[Task, ...] = ()

    @property
    def all_tasks(self) -> tuple[Task, ...]:
        return self.before + self.tasks

    @cached_property
    def amounts(self) -> Vector:
        return sum((task.request for task in self.tasks), np.zeros(WIDTH))


def bundles_of(session: Session, lawful: Sequence[Task], *, allow_whole: bool = True) -> list[Bundle]:
    """`lawful` are the tasks that may go, the cheapest first."""
    by_job: dict[str, list[Task]] = {}
    for task in lawful:
        by_job.setdefault(task.job.uid, []).append(task)
    found: list[Bundle] = []
    for tasks in by_job.values():
        job = tasks[0].job
        safe = tasks if job.is_broken else _beyond_minimum(session, job, tasks)
        if safe:
            found.append(Bundle(job, tuple(safe), whole=False))
        taken = {task.uid for task in safe}
        rest = tuple(task for task in tasks if task.uid not in taken)
        if rest and allow_whole and len(tasks) == job.number(ALLOCATED):
            found.append(Bundle(job, rest, whole=True, before=tuple(safe)))
    return found


def _beyond_minimum(session: Session, job: Job, tasks: Sequence[Task]) -> list[Task]:
    needed = _needed_by_sub_groups(session, job)
    return surplus([task for task in tasks if task.uid not in needed])


def _needed_by_sub_groups(session: Session, job: Job) -> set[str]:
    """Tasks of as many complete sub groups as each policy asks for."""
    found: set[str] = set()
    groups = parts.sub_groups(job) if job.sub_groups else []
    for policy in job.sub_groups:
        complete = [group for group in groups if group.policy is policy and group.is_complete]
        for group in complete[: policy.least]:
            holding = sorted((task for task in group.tasks if task.status in READY), key=session.task_key)
            found.update(task.uid for task in holding[: policy.size])
    return found


class Usefulness:
    """How much of what is needed a bundle frees, for what it costs. `where`: nodes that are of use; None: all."""

    def __init__(self, session: Session, needs: Vector, where: Mask | None) -> None:
        self._index, self._needs, self._where = session.cluster.snapshot.table.index, needs, where
        self._asked = needs > 0

    def of(self, bundle: Bundle) -> float:
        asked, needs = self._asked, self._needs[self._asked]
        local = bundle.amounts if self._where is None else self._local(bundle.tasks)
        cost = float((bundle.amounts[asked] / needs).sum())
        return float((np.minimum(local[asked], needs) / needs).sum()) / cost if cost else 0.0

    def _local(self, tasks: Iterable[Task]) -> Vector:
        assert self._where is not None
        there = (task.request for task in tasks if self._where[self._index[task.node]])
        return sum(there, np.zeros(WIDTH))


def in_order(
    session: Session, bundles: Iterable[Bundle], useful: Usefulness, cost: Callable[[Job], Any]
) -> list[Bundle]:
    """Safe ones first, then what costs least, then what is of most use; those of no use are left out."""
    rated = [(bundle, rate) for bundle in bundles if (rate := useful.of(bundle)) > 0]
    rated.sort(key=lambda one: session.job_key(one[0].job), reverse=True)
    rated.sort(key=lambda one: (one[0].whole, cost(one[0].job), -round(one[1], 6)))
    return [bundle for bundle, _ in rated]
