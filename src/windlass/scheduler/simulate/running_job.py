"""One job as it goes in virtual time: which of its pods are up, how much of its work is done."""

from dataclasses import dataclass, field

from windlass.scheduler.model.columns import GPU, Vector, vector
from windlass.scheduler.model.jobs import Job, Task
from windlass.scheduler.simulate.workload import JobPlan


@dataclass(slots=True)
class Up:
    """A pod that runs."""

    task: Task
    index: int
    since: float


@dataclass(slots=True, eq=False)
class LiveJob:
    """Work is counted from 0 to 1. It progresses while enough pods are up, the faster the more there are."""

    plan: JobPlan
    job: Job
    asks: Vector
    up: dict[str, Up] = field(default_factory=dict[str, Up])
    index_of: dict[str, int] = field(default_factory=dict[str, int])
    """Of each pod that there is, by uid: the how manieth it is."""
    held: Vector = field(default_factory=lambda: vector({}))
    """What its pods have."""
    held_working: float = 0.0
    """GPUs of it that work now."""
    done: float = 0.0
    speed: float = 0.0
    since: float = 0.0
    version: int = 0
    """Grows whenever what was foreseen no longer holds."""
    deaths_seen: int = 0
    attempts: int = 0
    was_hurt: bool = False
    """A pod of it died, or was made to go."""
    broken_since: float | None = None
    first_start: float | None = None
    end: float | None = None
    gpu_seconds: float = 0.0
    """What it used since it last began from nothing."""

    @property
    def gpus(self) -> float:
        return float(self.held[GPU])

    @property
    def is_working(self) -> bool:
        return self.speed > 0

    @property
    def has_enough(self) -> bool:
        """Those that are up make the gang complete."""
        if len(self.up) < self.plan.least or not self.up:
            return False
        return all(
            sum(1 for one in self.up.values() if one.task.role == role.name) >= role.least
            for role in self.plan.roles
            if role.least
        )

    def settle(self, now: float) -> None:
        """Count the work done until now."""
        passed = now - self.since
        if passed > 0:
            self.done += self.speed * passed
            self.gpu_seconds += self.gpus * passed
        self.since = now

    def pace(self) -> None:
        """As fast as it now can go."""
        self.speed = len(self.up) / (self.plan.width * self.plan.duration) if self.has_enough else 0.0
        self.version += 1

    @property
    def next_stop(self) -> tuple[float, int | None]:
        """At which part of the work something happens, and which pod dies then; None: it is done."""
        if self.deaths_seen < len(self.plan.deaths):
            return self.plan.deaths[self.deaths_seen]
        return 1.0, None

    def lose(self, lost: Up, now: float) -> float:
        """A pod that was evicted had worked for nothing; below its minimum the job begins again.

        To be called when it is no longer up. Answers the GPU-seconds that are lost.
        """
        if not self.has_enough:
            wasted, self.gpu_seconds, self.done, self.deaths_seen = self.gpu_seconds, 0.0, 0.0, 0
            return wasted
        share = (now - lost.since) / (self.plan.width * self.plan.duration)
        self.done = max(0.0, self.done - share)
        wasted = float(lost.task.request[GPU]) * (now - lost.since)
        self.gpu_seconds -= wasted
        return wasted
