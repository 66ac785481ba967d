"""What is written down during a simulation: sums over time, samples, waits, who was on which node."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from windlass.scheduler.model.columns import GPU, Vector, vector
from windlass.scheduler.simulate.fairness import fair_shares, shares_of
from windlass.scheduler.simulate.workload import QueuePlan

SAMPLE = 60.0  # seconds between two samples
GPU_MATTERS = 1e-9


@dataclass(frozen=True, slots=True)
class Sample:
    """The cluster at one time: GPUs that work, that pods have, that all jobs would like, and that there are."""

    time: float
    working: float
    held: float
    demand: float
    gpus: float
    shares: tuple[float, ...]
    fair: tuple[float, ...]
    waiting: int

    @property
    def unfairness(self) -> float:
        return max((abs(a - b) for a, b in zip(self.shares, self.fair, strict=True)), default=0.0)


@dataclass(frozen=True, slots=True)
class Bar:
    """A pod's time on a node."""

    node: str
    start: float
    end: float
    job: str
    width: int
    part: float
    """Of the node, by the resource of which it has most."""


@dataclass(frozen=True, slots=True)
class Ended:
    """What became of a job; `start` is when it first had all that it needs, None: never."""

    name: str
    width: int
    queue: str
    arrival: float
    start: float | None
    end: float | None

    @property
    def wait(self) -> float | None:
        return None if self.start is None else self.start - self.arrival


@dataclass
class Records:
    """`advance` is to be called before anything changes."""

    queues: Sequence[QueuePlan]
    capacity: Vector
    watched: frozenset[str] = frozenset()
    """Nodes of which bars are kept."""
    now: float = 0.0
    working: float = 0.0
    held: float = 0.0
    worked_area: float = 0.0
    held_area: float = 0.0
    possible_area: float = 0.0
    wasted: float = 0.0
    """GPU-seconds of work that was lost to evictions."""
    gpu_seconds: float = 0.0
    violations: int = 0
    evictions: int = 0
    deaths: int = 0
    node_failures: int = 0
    released: int = 0
    cycles: int = 0
    binds: int = 0
    stuck: set[str] = field(default_factory=set[str])
    samples: list[Sample] = field(default_factory=list[Sample])
    bars: list[Bar] = field(default_factory=list[Bar])
    ended: list[Ended] = field(default_factory=list[Ended])
    on_sample: Callable[[float], None] | None = None
    waiting: int = 0

    def __post_init__(self) -> None:
        self._number = {queue.name: at for at, queue in enumerate(self.queues)}
        self._used = np.array([vector({}) for _ in self.queues])
        self._demand = np.array([vector({}) for _ in self.queues])
        self._weights = np.array([float(queue.weight) for queue in self.queues])
        self._next_sample = 0.0
        self._shares: tuple[tuple[float, ...], tuple[float, ...]] | None = None

    def advance(self, now: float) -> None:
        """Time passes in which nothing changes."""
        while self._next_sample < now:
            self._sample(self._next_sample)
            self._next_sample += SAMPLE
        passed = now - self.now
        if passed > 0:
            gpus, demand = float(self.capacity[GPU]), float(self._demand[:, GPU].sum())
            self.worked_area += self.working * passed
            self.held_area += self.held * passed
            self.possible_area += min(gpus, demand) * passed
            self.now = now

    def _sample(self, time: float) -> None:
        if self._shares is None:
            used, demand = self._used.clip(min=0), self._demand.clip(min=0)
            fair = fair_shares(demand, self._weights, self.capacity)
            self._shares = tuple(shares_of(used, self.capacity).tolist()), tuple(fair.tolist())
        shares, fair_ones = self._shares
        demand = float(self._demand[:, GPU].sum())
        gpus = float(self.capacity[GPU])
        self.samples.append(Sample(time, self.working, self.held, demand, gpus, shares, fair_ones, self.waiting))
        if self.on_sample is not None:
            self.on_sample(time)

    def wants(self, queue: str, amounts: Vector) -> None:
        """A job of the queue came; or, with less than nothing, it is done."""
        self._demand[self._number[queue]] += amounts
        self._shares = None

    def uses(self, queue: str, amounts: Vector) -> None:
        self._used[self._number[queue]] += amounts
        self.held += float(amounts[GPU])
        self._shares = None

    def offers(self, amounts: Vector) -> None:
        """A node came, or went."""
        self.capacity = self.capacity + amounts
        self._shares = None
