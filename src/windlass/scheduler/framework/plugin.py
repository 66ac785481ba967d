"""What a plugin of the scheduler may have a say in. It overrides the hooks that it takes part in, and no others.

Registered by `NAME` through being in `windlass.scheduler.plugins`; switched and ordered by the configuration (`conf`).
How the answers of several are put together is in `session`.
"""

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar

from windlass.scheduler.model.columns import Mask, Vector
from windlass.scheduler.model.jobs import Job, Part, Queue, Task
from windlass.scheduler.placing.ranking import Weighted
from windlass.scheduler.placing.shapes import Shape
from windlass.scheduler.scores import Score

if TYPE_CHECKING:
    from windlass.scheduler.framework.session import Session
    from windlass.scheduler.model.cluster import HyperNode


Timed = Callable[[str, str], AbstractContextManager[None]]
"""Measures how long something takes: of which kind (`action`, `plugin`, `cycle`), and its name."""
_UNTIMED = nullcontext()
LARGEST = sys.float_info.max


def untimed(kind: str, name: str) -> AbstractContextManager[None]:
    return _UNTIMED


class Vote(IntEnum):
    """One REJECT decides; else one PERMIT does; if all abstain the next tier is asked."""

    REJECT = -1
    ABSTAIN = 0
    PERMIT = 1


class Arguments:
    """A plugin's arguments. Numbers must be written as numbers: one in quotes is not taken, and warned of."""

    def __init__(self, given: Mapping[str, Any], plugin: str = "") -> None:
        self.given, self._plugin = dict(given), plugin
        self.warnings: list[str] = []
        self.asked: set[str] = set()
        """Names that were asked for, given or not."""

    def number(self, name: str, default: float, *, least: float = -math.inf) -> float:
        value = self._get(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
            self.warnings.append(f"{self._plugin}: {name}: {value!r} is not a number; {default:g} is used")
            return default
        if value < least:
            self.warnings.append(f"{self._plugin}: {name}: {value!r} is less than {least:g}; {default:g} is used")
            return default
        return float(value)

    def flag(self, name: str, default: bool) -> bool:
        value = self._get(name, default)
        if not isinstance(value, bool):
            self.warnings.append(f"{self._plugin}: {name}: {value!r} is not true or false; {default} is used")
            return default
        return value

    def text(self, name: str, default: str = "") -> str:
        value = self._get(name, default)
        return value if isinstance(value, str) else str(value)

    def raw(self, name: str) -> Any:
        """As it was written; None where it is not given."""
        return self._get(name, None)

    def starting_with(self, prefix: str) -> dict[str, Any]:
        """Those whose names begin so, by the rest of their names."""
        found = [name for name in self.given if name.startswith(prefix)]
        self.asked.update(found)
        return {name.removeprefix(prefix): self.given[name] for name in found}

    @property
    def unused(self) -> list[str]:
        """What is given and nobody asks for."""
        return [name for name in self.given if name not in self.asked]

    def _get(self, name: str, default: Any) -> Any:
        self.asked.add(name)
        return self.given.get(name, default)


@dataclass(frozen=True, slots=True)
class Due:
    """What a queue deserves, what it may have at most, and which part of the former it has."""

    deserved: Vector
    most: Vector
    share: float


class Plugin:
    """Hooks: the comment of each says how answers count. Made once for a configuration, opened each cycle."""

    NAME: ClassVar[str] = ""

    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments

    def open(self, session: "Session") -> None:
        """A cycle begins: find out what is needed for it. Must cost by queues and waiting jobs, not by running ones."""

    # --- orders: what answers less comes first; plugins in their order, the first difference counts

    def queue_order(self, queue: Queue) -> Any:
        raise NotImplementedError

    def job_order(self, job: Job) -> Any:
        raise NotImplementedError

    def task_order(self, task: Task) -> Any:
        raise NotImplementedError

    # --- jobs

    def job_valid(self, job: Job) -> tuple[str, str] | None:
        """Why it cannot be scheduled as it is: reason and message. All must have none."""
        raise NotImplementedError

    def job_enqueueable(self, job: Job) -> Vote:
        """A vote. Who rejects says why with `session.refuse(job, message)`."""
        raise NotImplementedError

    def job_enqueued(self, job: Job) -> None:
        """It was let in: count what it will take."""
        raise NotImplementedError

    def job_ready(self, job: Job) -> bool:
        """What was allocated may be committed: all must agree."""
        raise NotImplementedError

    def job_pipelined(self, job: Job) -> Vote:
        """A vote: with what others will free, it would be ready."""
        raise NotImplementedError

    def job_starving(self, job: Job) -> bool:
        """It may make others go: all of the first tier that has a say must agree."""
        raise NotImplementedError

    # --- queues

    def overused(self, queue: Queue) -> bool:
        """It has had enough in this cycle: one is enough."""
        raise NotImplementedError

    def allocatable(self, queue: Queue, request: Vector, wanted: int) -> int:
        """How many of `wanted` such pods the queue may have more: the least counts."""
        raise NotImplementedError

    def within_limits(self, queue: Queue, request: Vector, wanted: int) -> int:
        """The same without regard to what it deserves: its hard limits alone."""
        return self.allocatable(queue, request, wanted)

    def preemptive(self, queue: Queue, task: Task) -> bool:
        """The queue may take from others for this task: all must agree."""
        raise NotImplementedError

    def due(self, queue: Queue) -> Due | None:
        """By the last cycle, for those who watch; None: it does not say, or the queue is newer than that."""
        return None

    # --- nodes

    def use_scores(self) -> Weighted:
        """Scores of nodes by how full they are, with weights; they are added up."""
        raise NotImplementedError

    def thorough_scores(self) -> tuple[tuple[Score, float], ...]:
        """Scores that need a look at each node, with weights; only of plugins that have `use_scores`."""
        return ()

    def node_mask(self, task: Task) -> Mask | None:
        """Which nodes (by their number in the table) will do; None: all. All must agree."""
        raise NotImplementedError

    def node_reason(self, task: Task) -> str:
        """Why the nodes that `node_mask` leaves out will not do."""
        return f"node(s) were refused by {self.NAME}"

    def node_score(self, task: Task) -> Vector | None:
        """Added to the rates of all nodes for this task; None: nothing."""
        raise NotImplementedError

    def one_at_a_time(self, shape: Shape, job: Job) -> bool:
        """Whether mask or score change with each pod that is placed, so that each must be asked for anew."""
        return False

    def hyper_nodes(self, job: Job, part: Part | None = None) -> "Sequence[Sequence[HyperNode]] | None":
        """Where a job, or a part of it, must be as a whole: groups of candidates, the better ones first.

        None: anywhere.
        """
        raise NotImplementedError

    def hyper_node_score(self, job: Job, hyper_node: "HyperNode", part: Part | None = None) -> float:
        raise NotImplementedError

    # --- victims

    def preemptable(self, preemptor: Task, candidates: Sequence[Task]) -> Sequence[Task] | None:
        """Which of them may go for a task of the same queue. All of a tier must agree; [] is a veto, None abstains."""
        raise NotImplementedError

    def reclaimable(self, reclaimer: Task, candidates: Sequence[Task]) -> Sequence[Task] | None:
        """The same, for a task of another queue."""
        raise NotImplementedError

    def victim_order(self, gainer: Task, victim: Task) -> Any:
        """Who goes first for a task of another queue: what answers less, before any other order."""
        raise NotImplementedError

    def victims(self, tasks: Sequence[Task]) -> Sequence[Task]:
        """Tasks that had better go for reasons of their own (`shuffle`)."""
        raise NotImplementedError

    def may_go(self, tasks: Sequence[Task]) -> Sequence[Task]:
        """Which of those that were named may go: all must agree."""
        raise NotImplementedError

    # --- what happens in the cycle

    def placed(self, task: Task) -> None:
        """A task was given a node, or an eviction was taken back."""
        raise NotImplementedError

    def removed(self, task: Task) -> None:
        """That was taken back, or the task is to be evicted."""
        raise NotImplementedError


def takes_part(plugin: Plugin, hook: str) -> bool:
    return getattr(type(plugin), hook) is not getattr(Plugin, hook)
