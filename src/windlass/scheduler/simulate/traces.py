"""Clusters and workloads drawn from what was published of traces (see docs/simulate.md).

`mode-a`: a rush in which everything fits, for speed. `mode-b`: days of arrivals at a load of 95 %, for quality. The
others are named after the traces whose widths and run times they have.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from windlass.apis.wellknown import NVIDIA_GPU
from windlass.scheduler.model.columns import GPU, Vector
from windlass.scheduler.simulate.workload import (
    Amounts,
    Failures,
    JobPlan,
    NodeKind,
    QueuePlan,
    Role,
    Scenario,
    draw_deaths,
    racks,
)

GIB = 1024**3
DAY = 86_400.0
LONGEST = 114_348.0  # seconds: the 99th percentile of Alibaba's tasks
FULL_NODES, FULL_JOBS = 5000, 21_649
RACK, SPINE = 32, 16  # nodes in a rack, racks in a spine
LOAD = 0.95

C5K: tuple[tuple[str, int, int, int, int], ...] = (
    ("gpu8", 8, 96, 384, 1904),
    ("gpu8-large", 8, 128, 768, 122),
    ("gpu2", 2, 104, 512, 1276),
    ("gpu2-small", 2, 16, 120, 357),
    ("gpu2-mid", 2, 64, 256, 68),
    ("gpu4", 4, 32, 128, 92),
    ("gpu4-large", 4, 96, 384, 55),
    ("gpu4-mid", 4, 48, 368, 30),
    ("gpu1", 1, 8, 32, 78),
    ("cpu", 0, 32, 256, 529),
    ("cpu-large", 0, 96, 512, 489),
)
"""Kinds of nodes: GPUs, cores, GiB, and how many of 5,000: the shape of Alibaba's cluster-trace-gpu-v2023."""
WIDTHS = {1: 15_000, 2: 2_000, 4: 1_500, 8: 1_527, 16: 800, 32: 480, 64: 233, 128: 78, 256: 24, 512: 7}
"""Jobs by how many pods they have: 100,000 pods in all."""

Quantiles = tuple[tuple[float, float], ...]
ALIBABA_SECONDS: Quantiles = ((0.1, 73), (0.25, 175), (0.5, 616), (0.75, 2241), (0.9, 7764), (0.99, 114_348))
PHILLY_SECONDS: Quantiles = (
    (0.1, 61), (0.25, 131), (0.5, 1186), (0.75, 3342), (0.9, 12_859), (0.95, 49_948), (0.99, 287_283),
)  # fmt: skip
GPUS_A_POD = ((0.0, 0.133), (-1.0, 0.378), (1.0, 0.480), (2.0, 0.002), (4.0, 0.002), (8.0, 0.005))
"""Alibaba 2023; -1 stands for a part of one."""
PARTS = ((1 / 3, 0.175), (1 / 2, 0.45), (1.0, 0.375))
"""Parts of a GPU. Published are shares of .26 to .81: of each, as many fit on one card as this says."""
CORES_OF_ONE = ((4.0, 0.375), (9.8, 0.25), (11.9, 0.2), (15.2, 0.175))
CORES_OF_EIGHT = ((64.0, 0.375), (88.0, 0.625))
CORES_ALONE = ((12.5, 0.625), (32.0, 0.375))
SPREAD_OF_DAY = 0.5  # how much busier than the mean the busiest hour is


# --- the cluster


def c5k(nodes: int = FULL_NODES) -> tuple[NodeKind, ...]:
    """The cluster of 5,000 nodes and 20,396 GPUs, or one of its shape with so many nodes."""
    counts = scaled([kind[4] for kind in C5K], nodes)
    found: list[NodeKind] = []
    for (name, gpus, cores, gib, _), count in zip(C5K, counts, strict=True):
        offers = {"cpu": cores * 1000.0, "memory": float(gib * GIB), "pods": 110.0}
        if gpus:
            offers[NVIDIA_GPU] = float(gpus)
        if count:
            found.append(NodeKind(name, count, offers, {"windlass.dev/kind": name}))
    return tuple(found)


def scaled(parts: Sequence[int], total: int) -> list[int]:
    """Numbers in the proportions of `parts` that add up to `total`."""
    whole = sum(parts)
    found = [part * total // whole for part in parts]
    by_rest = sorted(range(len(parts)), key=lambda at: (-(parts[at] * total % whole), at))
    for at in by_rest[: total - sum(found)]:
        found[at] += 1
    return found


# --- drawing


def pick(rng: Generator, choices: Sequence[tuple[float, float]]) -> float:
    at, point = float(rng.random()) * sum(chance for _, chance in choices), 0.0
    for value, chance in choices:
        point += chance
        if at < point:
            return value
    return choices[-1][0]


def seconds(rng: Generator, quantiles: Quantiles, many: int) -> Vector:
    """Run times with these quantiles: straight lines between them, on a logarithmic scale."""
    ranks = [0.0, *(rank for rank, _ in quantiles), 1.0]
    first, last = quantiles[0][1] / 4, quantiles[-1][1] * 1.5
    lengths = [np.log(first), *(np.log(value) for _, value in quantiles), np.log(last)]
    return np.minimum(np.exp(np.interp(rng.random(many), ranks, lengths)), LONGEST)


def lognormal(rng: Generator, median: float, mean: float, many: int) -> Vector:
    spread = np.sqrt(2 * np.log(mean / median))
    return np.minimum(np.maximum(rng.lognormal(np.log(median), spread, many), 1.0), LONGEST)


def alibaba_pod(rng: Generator) -> Amounts:
    """What a pod of Alibaba's asks for."""
    gpus = pick(rng, GPUS_A_POD)
    if gpus == 0:
        cores = pick(rng, CORES_ALONE)
        return _asks(cores, 4.0 * cores, 0)
    if gpus == 8:
        cores = pick(rng, CORES_OF_EIGHT)
        return _asks(cores, 320 / 88 * cores, 8)
    part = pick(rng, PARTS) if gpus < 0 else gpus
    cores = pick(rng, CORES_OF_ONE) * part
    return _asks(cores, 30.5 / 9.8 * cores, part)


def _asks(cores: float, gib: float, gpus: float) -> Amounts:
    found = {"cpu": float(round(cores * 1000)), "memory": float(round(gib * GIB))}
    return {**found, NVIDIA_GPU: float(gpus)} if gpus else found


def roles_of(rng: Generator, width: int, asks: Amounts) -> tuple[Role, ...]:
    """Of one wide gang in ten, an eighth of the pods are of a second kind, without GPUs."""
    if width >= 8 and rng.random() < 0.1:
        helpers = width // 8
        without = {name: amount for name, amount in asks.items() if name != NVIDIA_GPU}
        return Role("worker", width - helpers, asks), Role("helper", helpers, without)
    return (Role("worker", width, asks),)


def least_of(rng: Generator, width: int) -> int:
    """One gang in ten can do with half."""
    return width // 2 if width > 1 and rng.random() < 0.1 else width


def widths_of(rng: Generator, jobs: int) -> list[int]:
    counts = scaled(list(WIDTHS.values()), jobs)
    found = np.repeat(list(WIDTHS), counts)
    rng.shuffle(found)
    return [int(width) for width in found]


def users_of(rng: Generator, many: int, users: int) -> list[int]:
    """Users by Zipf's law: the second submits half as much as the first."""
    chances = 1 / np.arange(1, users + 1)
    return [int(user) for user in rng.choice(users, size=many, p=chances / chances.sum())]


def arrivals(rng: Generator, many: int, length: float) -> Vector:
    """Times of a Poisson process over `length` seconds that goes up and down with the day."""
    grid = np.linspace(0, length, 4096)
    rate = 1 + SPREAD_OF_DAY * np.sin(2 * np.pi * grid / DAY)
    passed = np.concatenate([[0], np.cumsum((rate[1:] + rate[:-1]) / 2)])
    return np.sort(np.interp(rng.random(many) * passed[-1], passed, grid))


# --- workloads


@dataclass(frozen=True)
class Trace:
    """How a workload is drawn: widths, run times, what a pod asks for."""

    widths: Callable[[Generator, int], list[int]]
    seconds: Callable[[Generator, int], Vector]
    asks: Callable[[Generator], Amounts]
    users: int = 20


def _chosen(choices: Sequence[tuple[float, float]]) -> Callable[[Generator, int], list[int]]:
    return lambda rng, many: [int(pick(rng, choices)) for _ in range(many)]


def _one_gpu(rng: Generator) -> Amounts:
    return _asks(6, 24, 1)


HELIOS_GPUS = ((1, 0.571), (2, 0.12), (4, 0.10), (8, 0.145), (16, 0.044), (32, 0.02))
"""Mean 3.72, median 1, as published; the steps between are ours."""
TRACES: dict[str, Trace] = {
    "mode-b": Trace(widths_of, lambda rng, many: seconds(rng, PHILLY_SECONDS, many), alibaba_pod),
    "alibaba-2023": Trace(_chosen(((1, 1.0),)), lambda rng, many: seconds(rng, ALIBABA_SECONDS, many), alibaba_pod),
    "philly": Trace(
        _chosen(((1, 0.7), (2, 0.1), (4, 0.2))), lambda rng, many: seconds(rng, PHILLY_SECONDS, many), _one_gpu
    ),
    "helios": Trace(_chosen(HELIOS_GPUS), lambda rng, many: lognormal(rng, 206, 6652, many), _one_gpu),
    "pai": Trace(widths_of, lambda rng, many: seconds(rng, ALIBABA_SECONDS, many), alibaba_pod, users=1300),
}
MODE_A = "mode-a"
NAMES = (MODE_A, *TRACES)
QUEUES = tuple(QueuePlan(f"q{weight}", {"weight": weight}) for weight in (1, 2, 3, 4))


def scenario(
    name: str, nodes: int = FULL_NODES, jobs: int = FULL_JOBS, seed: int = 0, *, at_once: bool = False
) -> Scenario:
    """`at_once`: all jobs are there from the start, and nothing fails by itself."""
    if name == MODE_A:
        return mode_a(nodes, jobs, seed)
    trace, kinds = TRACES[name], c5k(nodes)
    rng = np.random.default_rng([seed, 1])
    plans = _jobs(trace, kinds, jobs, rng, at_once=at_once)
    failures = Failures() if at_once else Failures(pod_death=0.001, nodes_per_hour=1.0)
    plans = _with_deaths(plans, failures.pod_death, seed)
    found = Scenario(name, kinds, tuple(plans), QUEUES, (), failures, seed)
    return replace(found, hyper_nodes=racks(found.node_names, RACK, SPINE))


def _jobs(trace: Trace, kinds: tuple[NodeKind, ...], jobs: int, rng: Generator, *, at_once: bool) -> list[JobPlan]:
    room = Room(kinds)
    widths = trace.widths(rng, jobs)
    lengths, users = trace.seconds(rng, jobs), users_of(rng, jobs, trace.users)
    plans: list[JobPlan] = []
    for number, (width, length, user) in enumerate(zip(widths, lengths, users, strict=True)):
        width, asks = room.fitted(width, lambda: trace.asks(rng))
        roles = roles_of(rng, width, asks)
        least, queue = least_of(rng, width), QUEUES[user % len(QUEUES)].name
        plans.append(JobPlan(f"j{number}", 0.0, float(length), roles, least, queue, user=f"u{user}"))
    if at_once:
        return plans
    offered = sum(float(plan.asks[GPU]) * plan.duration for plan in plans)
    length = offered / (LOAD * sum(kind.count * kind.offers.get(NVIDIA_GPU, 0) for kind in kinds))
    times = arrivals(rng, jobs, length)
    return [replace(plan, arrival=float(time)) for plan, time in zip(plans, times, strict=True)]


class Room:
    """How wide a gang may be: no job asks for more than half of all places that there are for such pods."""

    def __init__(self, kinds: tuple[NodeKind, ...]) -> None:
        self._kinds = kinds
        self._known: dict[tuple[tuple[str, float], ...], int] = {}

    def places(self, asks: Amounts) -> int:
        key = tuple(sorted(asks.items()))
        if key not in self._known:
            self._known[key] = sum(
                kind.count * int(min(kind.offers.get(name, 0) // amount for name, amount in asks.items()))
                for kind in self._kinds
            )
        return self._known[key]

    def fitted(self, width: int, draw: Callable[[], Amounts]) -> tuple[int, Amounts]:
        """Asks that there is room for, drawn again if need be; where that does not help the gang is narrower."""
        asks = draw()
        for _ in range(8):
            if width * 2 <= self.places(asks):
                return width, asks
            asks = draw()
        return max(1, min(width, self.places(asks) // 2)), asks


def _with_deaths(plans: list[JobPlan], part: float, seed: int) -> list[JobPlan]:
    deaths = draw_deaths(plans, part, seed)
    return [replace(plan, deaths=when) if when else plan for plan, when in zip(plans, deaths, strict=True)]


def mode_a(nodes: int = FULL_NODES, jobs: int = FULL_JOBS, seed: int = 0) -> Scenario:
    """All at once, and everything fits: 17 pods in 100 have a GPU."""
    rng = np.random.default_rng([seed, 2])
    kinds = c5k(nodes)
    widths = widths_of(rng, jobs)
    with_gpu = 17 * sum(widths) // 100
    plans: list[JobPlan] = []
    for number, width in enumerate(widths):
        is_gpu = width <= with_gpu and rng.random() < 0.5
        with_gpu -= width if is_gpu else 0
        asks = _asks(4, 16, 1) if is_gpu else _asks(1, 4, 0)
        roles, least = roles_of(rng, width, asks), least_of(rng, width)
        queue = QUEUES[number % len(QUEUES)].name
        plans.append(JobPlan(f"j{number}", 0.0, 3600.0, roles, least, queue, user=f"u{number % 20}"))
    return Scenario(MODE_A, kinds, tuple(plans), QUEUES, seed=seed)
