"""What the gang scheduler decides about: tasks (pods), jobs (pod groups) and queues. Plain data, kept up to date."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np

from windlass.scheduler.model.columns import PODS, WIDTH, Vector, limits, vector
from windlass.scheduler.model.pod_info import PodInfo


class Status(IntEnum):
    """What has become of a task. The first four hold a node."""

    ALLOCATED = 0  # a node was chosen in this cycle
    BINDING = 1
    BOUND = 2
    RUNNING = 3
    PIPELINED = 4  # a node was chosen on which others must end first
    PENDING = 5
    GATED = 6  # must not be scheduled yet
    RELEASING = 7
    SUCCEEDED = 8
    FAILED = 9
    UNKNOWN = 10


ALLOCATED = frozenset((Status.ALLOCATED, Status.BINDING, Status.BOUND, Status.RUNNING))
COMMITTED = ALLOCATED - {Status.ALLOCATED}
READY = ALLOCATED | {Status.SUCCEEDED}
WAITING = frozenset((Status.PENDING, Status.GATED))
REQUESTED = ALLOCATED | {Status.PENDING, Status.PIPELINED}
VALID = ALLOCATED | WAITING | {Status.PIPELINED, Status.SUCCEEDED}


NO_NOTES: Mapping[str, str] = {}


def shift(total: Vector, was: bool, is_: bool, amounts: Vector) -> None:
    """Add what has come to belong to a sum, or take off what does no more."""
    if was is is_:
        return
    if is_:
        total += amounts
    else:
        total -= amounts


class Task:
    """One pod of a job."""

    __slots__ = (
        "best_effort", "created", "index", "job", "node", "notes", "pod", "priority", "role", "started", "status",
    )  # fmt: skip

    def __init__(
        self,
        pod: PodInfo,
        role: str = "",
        *,
        status: Status = Status.PENDING,
        node: str = "",
        priority: int | None = None,
        index: int = 0,
        created: float = 0.0,
        started: float = 0.0,
    ) -> None:
        self.pod, self.role, self.status, self.node = pod, role, status, node
        self.priority = pod.priority if priority is None else priority
        self.index, self.created, self.started = index, created, started
        self.best_effort = not pod.requests
        self.notes: Mapping[str, str] = NO_NOTES
        """Annotations that the pod is to get together with its node."""
        self.job: Job

    @property
    def uid(self) -> str:
        return self.pod.uid

    @property
    def request(self) -> Vector:
        """What it asks for, itself counting as one of `pods`."""
        return self.pod.vector

    def __repr__(self) -> str:
        return f"<{self.pod.key} {self.status.name}{' on ' + self.node if self.node else ''}>"


@dataclass(frozen=True, slots=True)
class Topology:
    """How close together pods must be (hard) or had better be."""

    hard: bool
    highest_tier: int | None = None
    highest_name: str = ""


@dataclass(frozen=True, slots=True)
class SubGroups:
    """Members of one `subGroupPolicy`: which of its groups a task is in is `key_of(task)`, None for none."""

    name: str
    size: int
    least: int
    topology: Topology | None
    selector: Any = None
    label_keys: tuple[str, ...] = ()

    def key_of(self, task: Task) -> tuple[str, ...] | None:
        labels = task.pod.pod.metadata.labels
        if self.selector is not None and not self.selector.matches(labels):
            return None
        if any(key not in labels for key in self.label_keys):
            return None
        return tuple(labels[key] for key in self.label_keys)


@dataclass(frozen=True, slots=True)
class Part:
    """Tasks of a job that have to be together: all of it, or one of its sub groups."""

    job: "Job"
    topology: Topology | None
    tasks: tuple[Task, ...]
    """Those that wait."""
    number: int
    """How many of them must find a node."""
    there: frozenset[str]
    """Nodes that others of the part have."""
    needs: Vector
    """What it must find room for, as far as that is known."""
    asked: Vector
    """What all that wait ask for."""


@dataclass(slots=True, eq=False)
class Job:
    """A pod group and its pods. `min_resources` None: it is admitted unconditionally."""

    uid: str
    namespace: str
    name: str
    queue: str = "default"
    priority: int = 0
    min_member: int = 0
    min_tasks: dict[str, int] = field(default_factory=dict[str, int])
    min_resources: Vector | None = None
    quota_asked: dict[str, float] = field(default_factory=dict[str, float])
    """`minResources` as it was written, with names of quotas (`requests.cpu`, `limits.memory`, `count/pods`)."""
    created: float = 0.0
    phase: str = "Pending"
    annotations: Mapping[str, str] = field(default_factory=dict[str, str])
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    preemption_policy: str = "PreemptLowerPriority"
    topology: Topology | None = None
    sub_groups: tuple[SubGroups, ...] = ()
    estimate: float | None = None
    """Seconds that it is expected to run, by its annotation or by past runs of its owner."""
    scheduler: str = "volcano"
    ref: Any = None
    """What stands for it outside: the PodGroup's key, or whatever a simulation likes."""

    tasks: dict[str, Task] = field(default_factory=dict[str, Task])
    counts: Counter[Status] = field(default_factory=Counter[Status])
    roles: dict[str, Counter[Status]] = field(default_factory=dict[str, "Counter[Status]"])
    pending: dict[str, Task] = field(default_factory=dict[str, Task])
    ready: int = 0
    """Tasks that hold a node or have done their part."""
    valid: int = 0
    """Tasks that are of any use to the gang."""
    running: int = 0
    """Tasks that have a node, without those that only this cycle has given one."""
    allocated: Vector = field(default_factory=lambda: np.zeros(WIDTH))
    """Asked by tasks that hold a node."""
    requested: Vector = field(default_factory=lambda: np.zeros(WIDTH))
    """Asked by those and by tasks that wait."""
    pipelined: Vector = field(default_factory=lambda: np.zeros(WIDTH))

    def __repr__(self) -> str:
        return f"<job {self.namespace}/{self.name} {self.phase} {dict(self.counts)}>"

    # --- tasks; only `Cluster` and `Statement` call these

    def put(self, task: Task) -> None:
        self.drop(task.uid)
        task.job = self
        self.tasks[task.uid] = task
        self._count(task, 1)

    def drop(self, uid: str) -> None:
        task = self.tasks.pop(uid, None)
        if task is not None:
            self._count(task, -1)
        if not self.tasks:  # whatever rounding left
            for total in (self.allocated, self.requested, self.pipelined):
                total[:] = 0

    def move(self, task: Task, status: Status) -> None:
        """Only sums that change are touched: this is what placing a pod mostly costs."""
        before, request = task.status, task.request
        self._number(task, -1)
        task.status = status
        self._number(task, 1)
        shift(self.allocated, before in ALLOCATED, status in ALLOCATED, request)
        shift(self.requested, before in REQUESTED, status in REQUESTED, request)
        shift(self.pipelined, before is Status.PIPELINED, status is Status.PIPELINED, request)

    def allocate(self, tasks: Sequence[Task], nodes: Sequence[str]) -> None:
        """Pending tasks that are alike get nodes: as by `move`, but all at once."""
        for task, node in zip(tasks, nodes, strict=True):
            role, task.status, task.node = self.roles[task.role], Status.ALLOCATED, node
            role[Status.PENDING] -= 1
            role[Status.ALLOCATED] += 1
            del self.pending[task.uid]
        self.counts[Status.PENDING] -= len(tasks)
        self.counts[Status.ALLOCATED] += len(tasks)
        self.ready += len(tasks)
        self.allocated += len(tasks) * tasks[0].request

    def bind(self, tasks: Sequence[Task]) -> None:
        """Tasks with a node are being bound to it: their numbers change, and no sum does."""
        for task in tasks:
            role, task.status = self.roles[task.role], Status.BINDING
            role[Status.ALLOCATED] -= 1
            role[Status.BINDING] += 1
        self.counts[Status.ALLOCATED] -= len(tasks)
        self.counts[Status.BINDING] += len(tasks)
        self.running += len(tasks)

    def _count(self, task: Task, sign: int) -> None:
        status, request, there = task.status, task.request, sign > 0
        self._number(task, sign)
        shift(self.allocated, status in ALLOCATED and not there, status in ALLOCATED and there, request)
        shift(self.requested, status in REQUESTED and not there, status in REQUESTED and there, request)
        is_pipelined = status is Status.PIPELINED
        shift(self.pipelined, is_pipelined and not there, is_pipelined and there, request)

    def _number(self, task: Task, sign: int) -> None:
        status = task.status
        self.counts[status] += sign
        role = self.roles.get(task.role)
        if role is None:
            role = self.roles[task.role] = Counter()
        role[status] += sign
        if status in READY:
            self.ready += sign
        if status in VALID:
            self.valid += sign
        if status in COMMITTED:
            self.running += sign
        if status is Status.PENDING:
            if sign > 0:
                self.pending[task.uid] = task
            else:
                self.pending.pop(task.uid, None)

    # --- questions

    def number(self, statuses: Iterable[Status]) -> int:
        return sum(self.counts[status] for status in statuses)

    def role_number(self, role: str, statuses: Iterable[Status]) -> int:
        found = self.roles.get(role)
        return sum(found[status] for status in statuses) if found is not None else 0

    @property
    def needs_roles(self) -> bool:
        """Minimums of roles count only where together they are no more than the gang's own."""
        return bool(self.min_tasks) and self.min_member >= sum(self.min_tasks.values())

    def has_enough(self, statuses: Iterable[Status]) -> bool:
        """Tasks of these statuses make the gang complete: in number, and of each role."""
        if statuses is READY:
            number = self.ready
        else:
            statuses = tuple(statuses)
            number = self.number(statuses)
        if number < self.min_member:
            return False
        return not self.needs_roles or all(
            self.role_number(role, statuses) >= least for role, least in self.min_tasks.items()
        )

    @property
    def is_admitted(self) -> bool:
        return self.phase not in ("", "Pending")

    @property
    def is_broken(self) -> bool:
        """It runs, but with fewer than it needs."""
        return self.running > 0 and not self.has_enough(READY) and self.min_member > 1

    @property
    def unallocated(self) -> Vector:
        """What of its minimum it does not have yet."""
        if self.min_resources is None:
            return np.zeros(WIDTH)
        return np.maximum(self.min_resources - self.allocated, 0)

    @property
    def elastic(self) -> Vector:
        """What it has beyond its minimum."""
        if self.min_resources is None:
            return self.allocated.copy()
        return np.maximum(self.allocated - self.min_resources, 0)


@dataclass(slots=True, eq=False)
class Queue:
    """A share of the cluster. `capability` is infinite where nothing is said; `deserved` None: nothing was said."""

    name: str
    weight: int = 1
    capability: Vector = field(default_factory=lambda: limits({}))
    deserved: Vector | None = None
    guarantee: Vector = field(default_factory=lambda: np.zeros(WIDTH))
    reclaimable: bool = True
    priority: int = 0
    parent: str = ""
    is_open: bool = True
    fifo: bool = False
    created: float = 0.0
    uid: str = ""
    annotations: Mapping[str, str] = field(default_factory=dict[str, str])
    affinity: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """`spec.affinity` as it was written."""

    jobs: dict[str, Job] = field(default_factory=dict[str, Job])
    allocated: Vector = field(default_factory=lambda: np.zeros(WIDTH))
    requested: Vector = field(default_factory=lambda: np.zeros(WIDTH))
    inqueue: Vector = field(default_factory=lambda: np.zeros(WIDTH))
    """Minimums of admitted jobs, as far as they do not have them yet."""
    elastic: Vector = field(default_factory=lambda: np.zeros(WIDTH))

    @classmethod
    def of(cls, name: str, spec: Mapping[str, Any], amounts: Any, **more: Any) -> "Queue":
        """From a Queue's spec; `amounts` reads a resource list into numbers."""
        deserved = spec.get("deserved")
        return cls(
            name,
            weight=max(1, int(spec.get("weight") or 1)),
            capability=limits(amounts(spec.get("capability") or {})),
            deserved=vector(amounts(deserved)) if deserved else None,
            guarantee=vector(amounts((spec.get("guarantee") or {}).get("resource") or {})),
            reclaimable=spec.get("reclaimable") is not False,
            priority=int(spec.get("priority") or 0),
            parent=spec.get("parent") or "",
            fifo=spec.get("dequeueStrategy") == "fifo",
            affinity=spec.get("affinity") or {},
            **more,
        )


def pods_of(amounts: Vector) -> int:
    return int(amounts[PODS])
