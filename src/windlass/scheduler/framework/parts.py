"""A job as the parts that have to be together: itself as a whole, or each of its sub groups. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from windlass.apis.reasons import SubGroupsIncomplete
from windlass.scheduler.model.columns import WIDTH, Vector
from windlass.scheduler.model.jobs import ALLOCATED, READY, Job, Part, Status, SubGroups, Task

PLACED = ALLOCATED | {Status.PIPELINED}


def whole(job: Job) -> Part:
    tasks = tuple(job.pending.values())
    needs = job.unallocated if job.min_resources is not None else np.zeros(WIDTH)
    number = 1 if job.has_enough(READY) else min(len(tasks), max(1, job.min_member - job.ready))
    return Part(job, job.topology, tasks, max(1, number), nodes_of(job.tasks.values()), needs, asked_by(tasks))


def nodes_of(tasks: Iterable[Task]) -> frozenset[str]:
    """Where those are that have a node."""
    return frozenset(task.node for task in tasks if task.status in PLACED)


def asked_by(tasks: Iterable[Task]) -> Vector:
    return sum((task.request for task in tasks), np.zeros(WIDTH))


@dataclass(frozen=True, slots=True)
class SubGroup:
    """Tasks of one sub group: it is of use once `policy.size` of them have a node."""

    policy: SubGroups
    key: tuple[str, ...]
    tasks: tuple[Task, ...]

    @property
    def ready(self) -> int:
        return sum(task.status in READY for task in self.tasks)

    @property
    def waiting(self) -> tuple[Task, ...]:
        return tuple(task for task in self.tasks if task.status is Status.PENDING)

    @property
    def is_complete(self) -> bool:
        return self.ready >= self.policy.size

    def part(self, job: Job, tasks: tuple[Task, ...]) -> Part:
        """To place these of its tasks beside those that have a node."""
        asked = asked_by(tasks)
        return Part(job, self.policy.topology, tasks, len(tasks), nodes_of(self.tasks), asked, asked)


def sub_groups(job: Job) -> list[SubGroup]:
    """By policy, then by what distinguishes its groups; a task belongs to the first policy that selects it."""
    found: dict[tuple[int, tuple[str, ...]], list[Task]] = {}
    for task in job.tasks.values():
        place = next(_places(job, task), None)
        if place is not None:
            found.setdefault(place, []).append(task)
    return [SubGroup(job.sub_groups[at], key, tuple(tasks)) for (at, key), tasks in sorted(found.items())]


def _places(job: Job, task: Task) -> Iterator[tuple[int, tuple[str, ...]]]:
    for at, policy in enumerate(job.sub_groups):
        key = policy.key_of(task)
        if key is not None:
            yield at, key


def lacking(job: Job, groups: Iterable[SubGroup]) -> SubGroupsIncomplete | None:
    """The policy that has fewer complete groups than it needs; None if none has."""
    complete = [group for group in groups if group.is_complete]
    for policy in job.sub_groups:
        number = sum(group.policy is policy for group in complete)
        if number < policy.least:
            return SubGroupsIncomplete(policy.name, number, policy.least, policy.size)
    return None
