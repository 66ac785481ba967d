"""Tasks of a job that its annotations would like on one node, in buckets. Pure.

`a,b;c` says of an affinity that a and b belong together, and tasks of c with each other; of an anti-affinity that they
do not.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from windlass.scheduler.framework.parts import PLACED
from windlass.scheduler.model.jobs import Job, Task

PREFIX = "volcano.sh/task-topology-"
AFFINITY, ANTI_AFFINITY, ORDER = f"{PREFIX}affinity", f"{PREFIX}anti-affinity", f"{PREFIX}task-order"

_SELF_ANTI, _INTER, _SELF, _INTER_ANTI = 4, 3, 2, 1  # whose tasks are given a bucket first
Pairs = frozenset[tuple[str, str]]
"""Roles that concern each other, either way round; a role with itself if its own tasks concern each other."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """What the annotations of a job say."""

    together: Pairs
    apart: Pairs
    order: tuple[str, ...]

    @classmethod
    def of(cls, annotations: Mapping[str, str]) -> "Preferences | None":
        """None: nothing."""
        text = [annotations.get(name, "") for name in (AFFINITY, ANTI_AFFINITY, ORDER)]
        if not any(text):
            return None
        return cls(_pairs(text[0]), _pairs(text[1]), tuple(_names(text[2])))

    @property
    def roles(self) -> frozenset[str]:
        return frozenset((*self.order, *(role for pair in (*self.together, *self.apart) for role in pair)))

    def rank(self, role: str) -> tuple[int, int]:
        """Less comes first: the order that was given, then by what is said of the role."""
        place = self.order.index(role) if role in self.order else len(self.order)
        kinds = (
            (_SELF_ANTI, (role, role) in self.apart),
            (_INTER, any(role in pair and pair[0] != pair[1] for pair in self.together)),
            (_SELF, (role, role) in self.together),
            (_INTER_ANTI, any(role in pair and pair[0] != pair[1] for pair in self.apart)),
        )
        return place, -max((kind for kind, is_so in kinds if is_so), default=0)

    def liking(self, role: str, others: Mapping[str, int]) -> int:
        """How many of the others it would like to be with, less those that it would not."""
        return sum(number * ((role, other) in self.together) for other, number in others.items()) + self.dislike(
            role, others
        )

    def dislike(self, role: str, others: Mapping[str, int]) -> int:
        """How many it would not like to be with, as a number below 0."""
        return -sum(number * ((role, other) in self.apart) for other, number in others.items())


def _names(text: str) -> list[str]:
    return [name for name in (one.strip() for one in text.split(",")) if name]


def _pairs(text: str) -> Pairs:
    found: set[tuple[str, str]] = set()
    for group in text.split(";"):
        names = _names(group)
        if len(names) == 1:
            found.add((names[0], names[0]))
        found.update((one, other) for one in names for other in names if one != other)
    return frozenset(found)


@dataclass(slots=True)
class Bucket:
    number: int
    tasks: list[Task] = field(default_factory=list[Task])
    roles: Counter[str] = field(default_factory=Counter[str])
    weight: float = 0.0

    def put(self, task: Task, weight: float) -> None:
        self.tasks.append(task)
        self.roles[task.role] += 1
        self.weight += weight


@dataclass(frozen=True, slots=True)
class Buckets:
    """`of` has the bucket of each task, by uid; tasks of roles that nothing is said of have none."""

    preferences: Preferences
    of: Mapping[str, Bucket]
    largest: int


def buckets(job: Job, preferences: Preferences, weigh: Callable[[Task], float]) -> Buckets:
    """Tasks that have a node are in the bucket of that node; each other one joins where it is liked best."""
    made: list[Bucket] = []
    of: dict[str, Bucket] = {}
    by_node: dict[str, Bucket] = {}
    for task in _in_turn(job, preferences):
        bucket = by_node.get(task.node) if task.status in PLACED else _best(task.role, made, preferences)
        if bucket is None:
            bucket = Bucket(len(made))
            made.append(bucket)
        if task.status in PLACED:
            by_node[task.node] = bucket
        bucket.put(task, weigh(task))
        of[task.uid] = bucket
    return Buckets(preferences, of, max((len(one.tasks) for one in made), default=1))


def _in_turn(job: Job, preferences: Preferences) -> Iterable[Task]:
    roles = preferences.roles
    tasks = [task for task in job.tasks.values() if task.role in roles]
    return sorted(
        tasks, key=lambda task: (task.status not in PLACED, *preferences.rank(task.role), task.index, task.uid)
    )


def _best(role: str, made: Iterable[Bucket], preferences: Preferences) -> Bucket | None:
    """None: all would rather be without it."""
    rated = [(-preferences.liking(role, bucket.roles), bucket.weight, bucket.number, bucket) for bucket in made]
    best = min(rated, default=None, key=lambda one: one[:3])
    return best[3] if best is not None and best[0] <= 0 else None
