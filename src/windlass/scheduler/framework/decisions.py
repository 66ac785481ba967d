"""What a cycle decided. The live loop carries it out; a simulation believes it."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from windlass.apis.reason_text import CONDITION_REASONS, Dialect, condition_message, pod_message
from windlass.apis.reasons import GangIncomplete, GangReason, OriginCause, TasksIncomplete
from windlass.scheduler.model.jobs import Job, Task

if TYPE_CHECKING:
    from windlass.scheduler.framework.reservation import Reservation

PodCause: TypeAlias = OriginCause | GangReason


@dataclass(frozen=True, slots=True)
class Commit:
    """Tasks of one job that are bound together, each to its `node`."""

    job: Job
    tasks: tuple[Task, ...]


@dataclass(frozen=True, slots=True)
class Eviction:
    """A task must go. `action` is preempt, reclaim, shuffle or release; `because` the job that gains by it."""

    task: Task
    action: str
    because: Job | None = None


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a job waits, and each of its tasks, by uid; `dialect` is that of the job's scheduler."""

    reason: GangReason
    pods: dict[str, PodCause] = field(default_factory=dict[str, PodCause])
    dialect: Dialect = "volcano"

    @property
    def is_gathering(self) -> bool:
        """Whether the reason goes when more pods come."""
        return isinstance(self.reason, GangIncomplete | TasksIncomplete)

    @property
    def code(self) -> str:
        """The reason of the PodGroup's condition."""
        return CONDITION_REASONS[type(self.reason)]

    @property
    def message(self) -> str:
        """The message of the PodGroup's condition."""
        return condition_message(self.reason, self.dialect)

    def pod_messages(self) -> dict[str, str]:
        """The messages of the pods' conditions. Pods that wait for the same are worded once."""
        texts = {cause: pod_message(cause, self.dialect) for cause in set(self.pods.values())}
        return {uid: texts[cause] for uid, cause in self.pods.items()}


@dataclass(slots=True)
class Decisions:
    """In the order in which they were made."""

    admitted: list[Job] = field(default_factory=list[Job])
    commits: list[Commit] = field(default_factory=list[Commit])
    evictions: list[Eviction] = field(default_factory=list[Eviction])
    nominated: dict[str, str] = field(default_factory=dict[str, str])
    """Nodes on which room is being made, by the uid of the task that it is for."""
    troubles: dict[str, Trouble] = field(default_factory=dict[str, Trouble])
    """By the uid of the job."""
    hyper_nodes: dict[str, str] = field(default_factory=dict[str, str])
    """Where a job with a network topology is, by its uid: for its annotation `volcano.sh/job-allocated-hypernode`."""
    released: list[Job] = field(default_factory=list[Job])
    """Broken gangs that were released so that others can finish."""
    reservations: dict[str, "Reservation"] = field(default_factory=dict[str, "Reservation"])
    """For gangs that wait, by the uid of the job: from when on there is room, and where."""
    freed: list[str] = field(default_factory=list[str])
    """Nodes on which a place is no longer kept for a gang."""
    notes: list[str] = field(default_factory=list[str])
    """For the log."""

    def __bool__(self) -> bool:
        return bool(self.admitted or self.commits or self.evictions or self.released)
