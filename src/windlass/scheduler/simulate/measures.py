"""How good it was. Each measure is defined in docs/simulate.md; all are of virtual time."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from windlass.scheduler.model.columns import Vector
from windlass.scheduler.simulate.engine import Outcome
from windlass.scheduler.simulate.records import Ended, Sample
from windlass.scheduler.simulate.workload import Scenario

LARGE = 128  # pods from which on a gang is large
HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Waits:
    """Of the jobs of one width: seconds from arrival to start."""

    width: int
    jobs: int
    mean: float
    p50: float
    p95: float
    never: int
    """Jobs that never started."""

    @property
    def pods(self) -> str:
        return "1 pod" if self.width == 1 else f"{self.width}–{2 * self.width - 1} pods"


@dataclass(frozen=True, slots=True)
class Measures:
    """`makespan_ratio` is None if not everything was done."""

    policy: str
    title: str
    jobs: int
    done: int
    gang_violations: int
    stuck_gangs: int
    utilisation: float
    idle_held: float
    """The part of the GPUs that pods had, in which they could do nothing: half gangs."""
    makespan: float
    makespan_ratio: float | None
    drf_error: float
    drf_error_contended: float
    """The same, of the times at which some queue asked for more than it had."""
    mean_wait: float
    large_wait: float | None
    """p95 wait of gangs of 128 pods or more, in seconds; None: there are none, or some never started."""
    eviction_waste: float
    evictions: int
    pod_deaths: int
    node_failures: int
    cycles: int
    binds: int
    waits: list[Waits] = field(default_factory=list[Waits])
    large_wait_ratio: float | None = None
    """That, by what it is under strict FIFO."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def measure(outcome: Outcome) -> Measures:
    records, ended = outcome.records, outcome.records.ended
    done = [one for one in ended if one.end is not None]
    waits = [one.wait for one in ended if one.wait is not None]
    spent = records.gpu_seconds + records.wasted
    return Measures(
        policy=outcome.policy.name,
        title=outcome.policy.title,
        jobs=len(ended),
        done=len(done),
        gang_violations=records.violations,
        stuck_gangs=len(records.stuck),
        utilisation=_part(records.worked_area, records.possible_area, 1.0),
        idle_held=_part(records.held_area - records.worked_area, records.held_area, 0.0),
        makespan=outcome.end,
        makespan_ratio=outcome.end / shortest_makespan(outcome.scenario) if done and len(done) == len(ended) else None,
        drf_error=_mean([sample.unfairness for sample in records.samples]),
        drf_error_contended=_mean([sample.unfairness for sample in records.samples if is_contended(sample)]),
        mean_wait=_mean(waits),
        large_wait=_large_wait(ended),
        eviction_waste=_part(records.wasted, spent, 0.0),
        evictions=records.evictions,
        pod_deaths=records.deaths,
        node_failures=records.node_failures,
        cycles=records.cycles,
        binds=records.binds,
        waits=waits_by_width(ended),
    )


def _part(part: float, whole: float, of_nothing: float) -> float:
    return part / whole if whole > 0 else of_nothing


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0


def is_contended(sample: Sample) -> bool:
    return sample.demand > sample.held + 0.5


def _large_wait(ended: Sequence[Ended]) -> float | None:
    waits = [one.wait for one in ended if one.width >= LARGE]
    known = [wait for wait in waits if wait is not None]
    if not waits or len(known) < len(waits):
        return None
    return float(np.percentile(known, 95))


def waits_by_width(ended: Sequence[Ended]) -> list[Waits]:
    """Widths are put together by powers of two."""
    by_width: dict[int, list[float | None]] = {}
    for one in ended:
        by_width.setdefault(1 << max(0, one.width.bit_length() - 1), []).append(one.wait)
    found: list[Waits] = []
    for width, waits in sorted(by_width.items()):
        known = [wait for wait in waits if wait is not None] or [0.0]
        p50, p95 = np.percentile(known, [50, 95])
        never = sum(wait is None for wait in waits)
        found.append(Waits(width, len(waits), float(np.mean(known)), float(p50), float(p95), never))
    return found


def shortest_makespan(scenario: Scenario) -> float:
    """No policy can be done sooner: each job takes its time, and each resource is worked off at most so fast."""
    if not scenario.jobs:
        return 0.0
    longest = max(job.arrival + job.duration for job in scenario.jobs)
    arrivals = np.array([job.arrival for job in scenario.jobs])
    work = np.array([job.asks * job.duration for job in scenario.jobs])
    order = np.argsort(arrivals, kind="stable")
    still_to_come: Vector = work[order][::-1].cumsum(axis=0)[::-1]
    there = scenario.capacity > 0
    needed = arrivals[order][:, None] + still_to_come[:, there] / scenario.capacity[there]
    return max(longest, float(needed.max()))


def compare(measured: Sequence[Measures], reference: str = "fifo-gang") -> list[Measures]:
    """With the waits of large gangs by those of the reference, if it is there. Less than a second is a second."""
    base = next((one.large_wait for one in measured if one.policy == reference), None)
    if base is None:
        return list(measured)
    return [
        one if one.large_wait is None else replace(one, large_wait_ratio=max(one.large_wait, 1.0) / max(base, 1.0))
        for one in measured
    ]


BARS: tuple[tuple[str, str, float, bool], ...] = (
    ("gang_violations", "gang violations", 0, True),
    ("stuck_gangs", "stuck gangs", 0, True),
    ("utilisation", "utilisation", 0.90, False),
    ("makespan_ratio", "makespan ratio", 1.10, True),
    ("drf_error", "DRF error", 0.05, True),
    ("large_wait_ratio", "large-gang wait, by FIFO's", 2.0, True),
    ("eviction_waste", "eviction waste", 0.01, True),
)
"""Field, what it is called, the bar, and whether less is better."""


def meets(name: str, value: float | None, bar: float, *, less: bool) -> bool:
    if value is None:
        return name == "large_wait_ratio"
    return value <= bar if less else value >= bar
