"""One cycle: the cluster as it is, and plugins whose answers are put together as the configuration's tiers have it.

Orders: tier by tier, the first difference counts. Votes: one that rejects decides; else one that permits does; if a
whole tier abstains the next is asked. Ready, allocatable and preemptive need all; overused needs one. Victims: those
that the plugins of the first tier that has a say agree on; one that names none vetoes.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from windlass.apis.reasons import AdmissionCause, GangReason, KeptForOthers
from windlass.scheduler.framework import holds
from windlass.scheduler.framework.conf import Conf
from windlass.scheduler.framework.decisions import Decisions, Trouble
from windlass.scheduler.framework.extension_points import (
    EXTENSION_POINTS,
    Due,
    HyperNodes,
    HyperNodeScore,
    JobEnqueueable,
    JobEnqueued,
    JobOrder,
    JobPipelined,
    JobReady,
    JobStarving,
    JobValid,
    NodeFilter,
    NodeScore,
    OneAtATime,
    Overused,
    Placed,
    Preemptable,
    Preemptive,
    QueueLimits,
    QueueOrder,
    QueueShares,
    Reclaimable,
    Removed,
    TaskOrder,
    ThoroughScores,
    UseScores,
    VictimOrder,
    Vote,
)
from windlass.scheduler.framework.plugin import Arguments, Plugin, Timed, untimed
from windlass.scheduler.framework.statement import Statement
from windlass.scheduler.model.cluster import Cluster, HyperNode
from windlass.scheduler.model.columns import Mask, Vector
from windlass.scheduler.model.jobs import Job, Part, Queue, Status, Task
from windlass.scheduler.placing.placer import Placer, Profile
from windlass.scheduler.placing.ranking import Weighted
from windlass.scheduler.placing.shapes import Shape

P = TypeVar("P")


class Reservations(Protocol):
    """Who may use which nodes while some are kept for a gang that waits."""

    def open_to(self, job: Job) -> Mask | None:
        """The nodes that the job may use; None: all."""
        ...

    def why(self, job: Job) -> KeptForOthers | None:
        """For whom nodes are kept that the job may not use; None if for nobody."""
        ...

    def failed(self, queue: Queue, job: Job, *, barred: bool) -> None:
        """The job could not be placed; `barred`: its queue may have no more."""
        ...


class Plugins:
    """The plugins of a configuration, made once: which take part in what, tier by tier."""

    def __init__(self, conf: Conf, makers: Mapping[str, Callable[[Arguments], Plugin]], arguments: Any) -> None:
        self.conf = conf
        self.tiers = [[(makers[one.name](arguments(one)), one.off) for one in tier] for tier in conf.tiers]
        self.all: list[Plugin] = [plugin for tier in self.tiers for plugin, _ in tier]
        self._by_tier: dict[type, list[list[Any]]] = {
            point: self._answering(point, name) for point, name in EXTENSION_POINTS.items()
        }
        self._flat: dict[type, list[Any]] = {
            point: [plugin for tier in tiers for plugin in tier] for point, tiers in self._by_tier.items()
        }

    def _answering(self, point: type, name: str) -> list[list[Any]]:
        tiers = [
            [plugin for plugin, off in tier if isinstance(plugin, point) and name not in off] for tier in self.tiers
        ]
        return [tier for tier in tiers if tier]

    def asked(self, point: type[P]) -> list[P]:
        """The plugins that answer a question, in their order."""
        return self._flat[point]

    def asked_but(self, point: type[P], names: Collection[str]) -> list[P]:
        """The plugins that answer a question, without some."""
        left_out = {id(plugin) for plugin in self.all if plugin.NAME in names}
        return [plugin for plugin in self.asked(point) if id(plugin) not in left_out]

    def by_tier(self, point: type[P]) -> list[list[P]]:
        """The same, tier by tier; tiers that do not answer are left out."""
        return self._by_tier[point]

    def due(self, queue: Queue) -> Due | None:
        """What a queue deserves by the last cycle; None: no plugin says."""
        return next((due for plugin in self.asked(QueueShares) if (due := plugin.due(queue)) is not None), None)

    def named(self, name: str) -> Plugin | None:
        return next((plugin for plugin in self.all if name == plugin.NAME), None)

    @property
    def warnings(self) -> list[str]:
        """What of the configuration is not followed."""
        own = (warning for plugin in self.all for warning in plugin.arguments.warnings)
        unused = (f"{one.NAME}: {name} has no effect here" for one in self.all for name in one.arguments.unused)
        return list(dict.fromkeys((*self.conf.warnings, *own, *unused)))

    def profile(self) -> Profile:
        """How nodes are rated, in one sum."""
        by_use: Weighted = tuple(score for plugin in self.asked(UseScores) for score in plugin.use_scores())
        thorough = tuple(score for plugin in self.asked(ThoroughScores) for score in plugin.thorough_scores())
        return Profile(by_use, thorough)


class Session:
    """Opened for each cycle. `placer` and `plugins` are kept from one to the next."""

    def __init__(
        self,
        cluster: Cluster,
        plugins: Plugins,
        placer: Placer,
        now: float,
        *,
        wants_words: bool = True,
        timed: Timed = untimed,
    ) -> None:
        self.cluster, self.plugins, self.placer, self.now = cluster, plugins, placer, now
        self.conf = plugins.conf
        self.wants_words = wants_words
        """Whether the messages why jobs wait are read: they cost."""
        self.decisions = Decisions()
        self.total = cluster.total
        self.reservations: Reservations | None = None
        self._kept: list[Statement] = []
        self._statements: list[Statement] = []
        self._nominated: list[tuple[Task, str]] = []
        self._refusals: dict[str, list[AdmissionCause]] = {}
        self.may_be_freed: dict[tuple[str, int], Vector] = {}
        """What jobs of a queue and a priority may make others give up, as `admission` found it in this cycle."""
        cluster.settle(now)
        self.decisions.freed += cluster.preemptions.freed
        for plugin in plugins.all:
            with timed("plugin", plugin.NAME):
                plugin.open(self)
        self._job_order, self._queue_order = plugins.asked(JobOrder), plugins.asked(QueueOrder)
        self._task_order = plugins.asked(TaskOrder)
        self._on_placed, self._on_removed = plugins.asked(Placed), plugins.asked(Removed)

    # --- orders

    def job_key(self, job: Job) -> tuple[Any, ...]:
        return (*[plugin.job_order(job) for plugin in self._job_order], job.created, job.uid)

    def queue_key(self, queue: Queue) -> tuple[Any, ...]:
        return (*[plugin.queue_order(queue) for plugin in self._queue_order], queue.created, queue.name)

    def task_key(self, task: Task) -> tuple[Any, ...]:
        return (*[plugin.task_order(task) for plugin in self._task_order], task.index, task.created, task.uid)

    # --- jobs

    def why_invalid(self, job: Job) -> GangReason | None:
        for plugin in self.plugins.asked(JobValid):
            found = plugin.job_valid(job)
            if found is not None:
                return found
        return None

    def is_enqueueable(self, job: Job) -> bool:
        tiers = self.plugins.by_tier(JobEnqueueable)
        return _vote([plugin.job_enqueueable(job) for plugin in tier] for tier in tiers)

    def enqueued(self, job: Job) -> None:
        for plugin in self.plugins.asked(JobEnqueued):
            plugin.job_enqueued(job)

    def is_ready(self, job: Job) -> bool:
        return all(plugin.job_ready(job) for plugin in self.plugins.asked(JobReady))

    def is_pipelined(self, job: Job) -> bool:
        tiers = self.plugins.by_tier(JobPipelined)
        return _vote([plugin.job_pipelined(job) for plugin in tier] for tier in tiers)

    def is_starving(self, job: Job) -> bool:
        tiers = self.plugins.by_tier(JobStarving)
        return bool(tiers) and all(plugin.job_starving(job) for plugin in tiers[0])

    def refuse(self, job: Job, cause: AdmissionCause) -> None:
        """Record why a job is not admitted."""
        self._refusals.setdefault(job.uid, []).append(cause)

    def refusals(self, job: Job) -> list[AdmissionCause]:
        return self._refusals.get(job.uid, [])

    def trouble(self, job: Job, trouble: Trouble) -> None:
        self.decisions.troubles[job.uid] = trouble

    # --- queues

    def is_overused(self, queue: Queue) -> bool:
        return any(plugin.overused(queue) for plugin in self.plugins.asked(Overused))

    def allocatable(self, queue: Queue, request: Vector, wanted: int = 1) -> int:
        for plugin in self.plugins.asked(QueueLimits):
            wanted = min(wanted, plugin.allocatable(queue, request, wanted))
            if wanted <= 0:
                return 0
        return wanted

    def within_limits(self, queue: Queue, request: Vector, wanted: int) -> int:
        """As many as the queue may have at all, though it deserves less."""
        limits = self.plugins.asked(QueueLimits)
        return min((plugin.within_limits(queue, request, wanted) for plugin in limits), default=wanted)

    def is_preemptive(self, queue: Queue, task: Task) -> bool:
        return all(plugin.preemptive(queue, task) for plugin in self.plugins.asked(Preemptive))

    # --- nodes

    def mask(self, task: Task) -> Mask | None:
        """The nodes that plugins allow; None: all."""
        found: Mask | None = None
        for plugin in self.plugins.asked(NodeFilter):
            mask = plugin.node_mask(task)
            if mask is not None:
                found = mask if found is None else found & mask
        return found

    def score(self, task: Task) -> Vector | None:
        found: Vector | None = None
        for plugin in self.plugins.asked(NodeScore):
            score = plugin.node_score(task)
            if score is not None:
                found = score if found is None else found + score
        return found

    def one_at_a_time(self, shape: Shape, job: Job) -> bool:
        return any(plugin.one_at_a_time(shape, job) for plugin in self.plugins.asked(OneAtATime))

    def hyper_nodes(self, job: Job, part: Part | None = None) -> Sequence[Sequence[HyperNode]] | None:
        for plugin in self.plugins.asked(HyperNodes):
            found = plugin.hyper_nodes(job, part)
            if found is not None:
                return found
        return None

    def hyper_node_score(self, job: Job, hyper_node: HyperNode, part: Part | None = None) -> float:
        return sum(plugin.hyper_node_score(job, hyper_node, part) for plugin in self.plugins.asked(HyperNodeScore))

    def mask_of(self, hyper_node: HyperNode) -> Mask:
        return self.mask_of_nodes(hyper_node.nodes)

    def mask_of_nodes(self, names: Iterable[str]) -> Mask:
        table = self.cluster.snapshot.table
        mask = np.zeros(len(table), dtype=np.bool_)
        for name in names:
            number = table.index.get(name)
            if number is not None:
                mask[number] = True
        return mask

    def keep_out(self, job: Job) -> Mask | None:
        """The nodes that the job may use as far as others have not reserved them; None: all."""
        return self.reservations.open_to(job) if self.reservations is not None else None

    # --- victims

    def preemptable(self, preemptor: Task, candidates: Sequence[Task]) -> list[Task]:
        """The victims that a task of the same queue may have."""
        tiers = self.plugins.by_tier(Preemptable)
        return _agreed(candidates, ([plugin.preemptable(preemptor, candidates) for plugin in tier] for tier in tiers))

    def reclaimable(self, reclaimer: Task, candidates: Sequence[Task]) -> list[Task]:
        """The victims that a task of another queue may have."""
        tiers = self.plugins.by_tier(Reclaimable)
        return _agreed(candidates, ([plugin.reclaimable(reclaimer, candidates) for plugin in tier] for tier in tiers))

    def lawful_victims(self, hook: str, gainer: Task, candidates: Sequence[Task], *, apart_from: str) -> list[Task]:
        """The victims that the plugins of all tiers agree on (`preemptable` or `reclaimable`), but for one plugin."""
        point = Preemptable if hook == "preemptable" else Reclaimable
        asked = self.plugins.asked_but(point, (apart_from,))
        return _agreed(candidates, [[getattr(plugin, hook)(gainer, candidates) for plugin in asked]])

    def victim_key(self, gainer: Task, victim: Task) -> tuple[Any, ...]:
        """Sorts those first that should rather go."""
        return tuple(plugin.victim_order(gainer, victim) for plugin in self.plugins.asked(VictimOrder))

    # --- operations

    def statement(self) -> Statement:
        return Statement(self)

    def opened(self, statement: Statement) -> None:
        """A statement begins."""
        self._statements.append(statement)

    def abandon(self) -> Decisions:
        """The cycle failed: what is not committed is taken back. Plugins are not notified: each is opened again."""
        self._on_placed, self._on_removed = [], []
        for statement in reversed(self._statements):
            statement.discard()
        return self.close()

    def keep(self, statement: Statement) -> None:
        """It has tasks that wait for room to be made: they count until the cycle ends."""
        self._kept.append(statement)

    def nominate(self, task: Task, node: str) -> None:
        """Room is being made for the task: it is kept for it when the cycle is over."""
        self.decisions.nominated[task.uid] = node
        self._nominated.append((task, node))

    def placed(self, task: Task) -> None:
        for plugin in self._on_placed:
            plugin.placed(task)

    def removed(self, task: Task) -> None:
        for plugin in self._on_removed:
            plugin.removed(task)

    def close(self) -> Decisions:
        """What only stood in this cycle is taken back."""
        for statement in reversed(self._kept):
            statement.discard()
        self._kept.clear()
        holds.restore(self.cluster, final=True)
        preemptions = self.cluster.preemptions
        preemptions.restore(self.cluster.jobs, final=True)
        until = self.now + self.conf.timeouts.nomination if self._nominated else 0.0
        for task, node in self._nominated:
            if task.status is Status.PENDING:
                preemptions.nominate(task, node, until)
        return self.decisions

    def is_pending(self, task: Task) -> bool:
        return task.status is Status.PENDING


def _vote(tiers: Iterable[Sequence[Vote]]) -> bool:
    """The first tier that does not abstain decides; where all abstain, it is so."""
    for votes in tiers:
        if Vote.REJECT in votes:
            return False
        if Vote.PERMIT in votes:
            return True
    return True


def _agreed(candidates: Sequence[Task], tiers: Iterable[Sequence[Sequence[Task] | None]]) -> list[Task]:
    """What all answers of the first tier with an answer have in common; nothing where no tier answers."""
    for answers in tiers:
        named = [{task.uid for task in answer} for answer in answers if answer is not None]
        if named:
            agreed = set[str].intersection(*named)
            return [task for task in candidates if task.uid in agreed]
    return []
