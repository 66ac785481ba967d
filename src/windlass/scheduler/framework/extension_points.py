"""The questions that a cycle asks its plugins: one protocol each. A plugin answers those whose methods it has.

How the answers of several plugins are put together is said here, and done in `session`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from windlass.apis.reasons import GangReason, NodeCause
from windlass.scheduler.model.columns import Mask, Vector
from windlass.scheduler.model.jobs import Job, Part, Queue, Task
from windlass.scheduler.placing.ranking import Weighted
from windlass.scheduler.placing.shapes import Shape
from windlass.scheduler.scores import Score

if TYPE_CHECKING:
    from windlass.scheduler.model.cluster import HyperNode


class Vote(IntEnum):
    """One REJECT decides; else one PERMIT does; if all abstain the next tier is asked."""

    REJECT = -1
    ABSTAIN = 0
    PERMIT = 1


@dataclass(frozen=True, slots=True)
class Due:
    """What a queue deserves, what it may have at most, and which part of the former it has."""

    deserved: Vector
    most: Vector
    share: float


# --- orders: what answers less comes first; plugins in their order, the first difference counts


@runtime_checkable
class QueueOrder(Protocol):
    def queue_order(self, queue: Queue) -> Any: ...


@runtime_checkable
class JobOrder(Protocol):
    def job_order(self, job: Job) -> Any: ...


@runtime_checkable
class TaskOrder(Protocol):
    def task_order(self, task: Task) -> Any: ...


# --- jobs


@runtime_checkable
class JobValid(Protocol):
    def job_valid(self, job: Job) -> GangReason | None:
        """Why the job cannot be scheduled as it is; None if it can, as far as this plugin knows."""
        ...


@runtime_checkable
class JobEnqueueable(Protocol):
    def job_enqueueable(self, job: Job) -> Vote:
        """A vote. A plugin that rejects says why with `session.refuse(job, cause)`."""
        ...


@runtime_checkable
class JobEnqueued(Protocol):
    def job_enqueued(self, job: Job) -> None:
        """The job was admitted: count what it will take."""
        ...


@runtime_checkable
class JobReady(Protocol):
    def job_ready(self, job: Job) -> bool:
        """What was allocated may be committed: all must agree."""
        ...


@runtime_checkable
class JobPipelined(Protocol):
    def job_pipelined(self, job: Job) -> Vote:
        """A vote: with what others will free, the job would be ready."""
        ...


@runtime_checkable
class JobStarving(Protocol):
    def job_starving(self, job: Job) -> bool:
        """The job may have others evicted: all of the first tier that answers must agree."""
        ...


# --- queues


@runtime_checkable
class Overused(Protocol):
    def overused(self, queue: Queue) -> bool:
        """The queue has had enough in this cycle: one is enough."""
        ...


@runtime_checkable
class QueueLimits(Protocol):
    def allocatable(self, queue: Queue, request: Vector, wanted: int) -> int:
        """How many of `wanted` such pods the queue may have more: the least counts."""
        ...

    def within_limits(self, queue: Queue, request: Vector, wanted: int) -> int:
        """The same without regard to what it deserves: its hard limits alone."""
        ...


@runtime_checkable
class Preemptive(Protocol):
    def preemptive(self, queue: Queue, task: Task) -> bool:
        """The queue may take from others for this task: all must agree."""
        ...


@runtime_checkable
class QueueShares(Protocol):
    def due(self, queue: Queue) -> Due | None:
        """By the last cycle, for metrics and messages; None: the queue is newer than that. The first answer counts."""
        ...


# --- nodes


@runtime_checkable
class UseScores(Protocol):
    def use_scores(self) -> Weighted:
        """Scores of nodes by how full they are, with weights; they are added up."""
        ...


@runtime_checkable
class ThoroughScores(Protocol):
    def thorough_scores(self) -> tuple[tuple[Score, float], ...]:
        """Scores that are computed node by node, with weights; asked of plugins that have `use_scores`."""
        ...


@runtime_checkable
class NodeFilter(Protocol):
    def node_mask(self, task: Task) -> Mask | None:
        """Which nodes (by their number in the table) will do; None: all. All must agree."""
        ...

    def node_cause(self, task: Task) -> NodeCause:
        """Why the nodes that `node_mask` leaves out will not do."""
        ...


@runtime_checkable
class NodeScore(Protocol):
    def node_score(self, task: Task) -> Vector | None:
        """Added to the rates of all nodes for this task; None: nothing."""
        ...


@runtime_checkable
class OneAtATime(Protocol):
    def one_at_a_time(self, shape: Shape, job: Job) -> bool:
        """Whether mask or score change with each pod that is placed, so that both are asked for each: one is enough."""
        ...


@runtime_checkable
class HyperNodes(Protocol):
    def hyper_nodes(self, job: Job, part: Part | None = None) -> "Sequence[Sequence[HyperNode]] | None":
        """Where a job, or a part of it, must be as a whole: groups of candidates, the better ones first.

        None: anywhere. The first answer counts.
        """
        ...


@runtime_checkable
class HyperNodeScore(Protocol):
    def hyper_node_score(self, job: Job, hyper_node: "HyperNode", part: Part | None = None) -> float:
        """Added up."""
        ...


# --- victims


@runtime_checkable
class Preemptable(Protocol):
    def preemptable(self, preemptor: Task, candidates: Sequence[Task]) -> Sequence[Task] | None:
        """Which of them may be evicted for a task of the same queue.

        All of a tier must agree; [] is a veto, None abstains.
        """
        ...


@runtime_checkable
class Reclaimable(Protocol):
    def reclaimable(self, reclaimer: Task, candidates: Sequence[Task]) -> Sequence[Task] | None:
        """The same, for a task of another queue."""
        ...


@runtime_checkable
class VictimOrder(Protocol):
    def victim_order(self, gainer: Task, victim: Task) -> Any:
        """Which is evicted first for a task of another queue: what answers less, before any other order."""
        ...


@runtime_checkable
class Victims(Protocol):
    def victims(self, tasks: Sequence[Task]) -> Sequence[Task]:
        """Tasks that should be evicted for reasons of their own (`shuffle`)."""
        ...


@runtime_checkable
class MayGo(Protocol):
    def may_go(self, tasks: Sequence[Task]) -> Sequence[Task]:
        """Which of the tasks that were named may be evicted: all must agree."""
        ...


# --- what happens in the cycle


@runtime_checkable
class Placed(Protocol):
    def placed(self, task: Task) -> None:
        """A task was given a node, or an eviction was taken back."""
        ...


@runtime_checkable
class Removed(Protocol):
    def removed(self, task: Task) -> None:
        """That was taken back, or the task is to be evicted."""
        ...


EXTENSION_POINTS: dict[type, str] = {
    QueueOrder: "queue_order",
    JobOrder: "job_order",
    TaskOrder: "task_order",
    JobValid: "job_valid",
    JobEnqueueable: "job_enqueueable",
    JobEnqueued: "job_enqueued",
    JobReady: "job_ready",
    JobPipelined: "job_pipelined",
    JobStarving: "job_starving",
    Overused: "overused",
    QueueLimits: "allocatable",
    Preemptive: "preemptive",
    QueueShares: "due",
    UseScores: "use_scores",
    ThoroughScores: "thorough_scores",
    NodeFilter: "node_mask",
    NodeScore: "node_score",
    OneAtATime: "one_at_a_time",
    HyperNodes: "hyper_nodes",
    HyperNodeScore: "hyper_node_score",
    Preemptable: "preemptable",
    Reclaimable: "reclaimable",
    VictimOrder: "victim_order",
    Victims: "victims",
    MayGo: "may_go",
    Placed: "placed",
    Removed: "removed",
}
"""All of them, with the name by which a configuration switches each off."""
