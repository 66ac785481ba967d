"""The last hours of samples, in bounded memory. Deterministic, no I/O."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from windlass.gateway.views.metrics import MetricPoint
from windlass.gateway.views.parts import Usage

Series: TypeAlias = Literal["node", "podcpu", "podmem"]
INTERVALS: Mapping[str, int] = {"Last5m": 300, "Last15m": 900, "Last30m": 1800, "Last60m": 3600, "Last180m": 10800}
"""Seconds of each interval of Kubeflow's dashboard."""
DEFAULT_INTERVAL = "Last15m"
KEPT_SECONDS = 10_800
FINE_SECONDS = 900
"""Older points are thinned out to one a minute."""
COARSE_SECONDS = 60
MAX_SUBJECTS = 2000
"""Nodes and pods; of more, those that were measured longest ago go first."""
MAX_ANSWER_POINTS = 300
"""Of one node or pod."""


@dataclass(slots=True)
class Ring:
    """Points of one node or pod, the oldest first."""

    times: "array[float]" = field(default_factory=lambda: array("d"))
    cpu: "array[float]" = field(default_factory=lambda: array("f"))
    memory: "array[float]" = field(default_factory=lambda: array("f"))

    def add(self, at: float, cpu: float, memory: float) -> None:
        if self.times and at <= self.times[-1]:
            return
        self.times.append(at)
        self.cpu.append(cpu)
        self.memory.append(memory)
        if len(self.times) > 2 * (FINE_SECONDS // 5 + KEPT_SECONDS // COARSE_SECONDS):
            self.thin(at)

    def thin(self, now: float) -> None:
        """Keep one point a minute of what is older than the fine part, and nothing beyond the longest interval."""
        kept = array("d"), array("f"), array("f")
        minute = -1
        for at, cpu, memory in zip(self.times, self.cpu, self.memory, strict=True):
            if at < now - KEPT_SECONDS:
                continue
            if at < now - FINE_SECONDS:
                if int(at // COARSE_SECONDS) == minute:
                    continue
                minute = int(at // COARSE_SECONDS)
            for values, value in zip(kept, (at, cpu, memory), strict=True):
                values.append(value)
        self.times, self.cpu, self.memory = kept


@dataclass(frozen=True)
class Sample:
    """One measurement: cores and bytes."""

    cpu: float
    memory: float


@dataclass
class Samples:
    """Of all nodes by name, and of all pods by namespace and name."""

    nodes: dict[str, Ring] = field(default_factory=dict[str, Ring])
    pods: dict[tuple[str, str], Ring] = field(default_factory=dict[tuple[str, str], Ring])
    cores: dict[str, float] = field(default_factory=dict[str, float])
    """How many each node has."""
    newest: float = 0.0

    def add(self, at: float, nodes: Mapping[str, Sample], pods: Mapping[tuple[str, str], Sample]) -> None:
        self.newest = at
        for name, sample in nodes.items():
            self.nodes.setdefault(name, Ring()).add(at, sample.cpu, sample.memory)
        for key, sample in pods.items():
            self.pods.setdefault(key, Ring()).add(at, sample.cpu, sample.memory)
        self._forget(at)

    def _forget(self, now: float) -> None:
        for rings in (self.nodes, self.pods):
            for key in [key for key, ring in rings.items() if ring.times[-1] < now - KEPT_SECONDS]:
                del rings[key]  # pyright: ignore[reportArgumentType] - the key is of this very dict
            if len(rings) > MAX_SUBJECTS:
                oldest = sorted(rings, key=lambda key: rings[key].times[-1])  # pyright: ignore[reportArgumentType, reportUnknownLambdaType, reportUnknownVariableType] - as above
                for key in oldest[: len(rings) - MAX_SUBJECTS]:
                    del rings[key]  # pyright: ignore[reportArgumentType] - as above

    def usage(self, namespace: str, pod: str, now: float, max_age: float) -> Usage:
        """The newest measurement of a pod; unknown if that is too old."""
        ring = self.pods.get((namespace, pod))
        if ring is None or now - ring.times[-1] > max_age:
            return Usage(cpu_cores=None, memory_bytes=None)
        return Usage(cpu_cores=round(ring.cpu[-1], 4), memory_bytes=float(ring.memory[-1]))

    def node_usage(self, name: str, now: float, max_age: float) -> Usage:
        ring = self.nodes.get(name)
        if ring is None or now - ring.times[-1] > max_age:
            return Usage(cpu_cores=None, memory_bytes=None)
        return Usage(cpu_cores=round(ring.cpu[-1], 4), memory_bytes=float(ring.memory[-1]))

    def points(
        self, series: Series, seconds: int, now: float, pods: Iterable[tuple[str, str]] = (), top: int = MAX_SUBJECTS
    ) -> Iterator[MetricPoint]:
        """Of nodes (the part of their CPU that is in use), or of the given pods (cores or bytes); the `top` busiest."""
        since = now - seconds
        lines = list(self._lines(series, pods))
        if len(lines) > top:
            busiest = sorted(lines, key=lambda line: line.used(since), reverse=True)[:top]
            lines = [line for line in lines if line in busiest]
        for line in lines:
            yield from line.points(since)

    def _lines(self, series: Series, pods: Iterable[tuple[str, str]]) -> Iterator["_Line"]:
        if series == "node":
            for name, ring in sorted(self.nodes.items()):
                yield _Line(name, ring.times, ring.cpu, 1 / (self.cores.get(name) or 1.0))
            return
        for namespace, pod in sorted(pods):
            ring = self.pods.get((namespace, pod))
            if ring is not None:
                yield _Line(f"{namespace}/{pod}", ring.times, ring.cpu if series == "podcpu" else ring.memory, 1.0)


@dataclass(frozen=True, eq=False, slots=True)
class _Line:
    """What is answered of one node or pod."""

    label: str
    times: "array[float]"
    values: "array[float]"
    factor: float

    def used(self, since: float) -> float:
        return sum(self.values[bisect_left(self.times, since) :]) * self.factor

    def points(self, since: float) -> Iterator[MetricPoint]:
        first = bisect_left(self.times, since)
        stride = max(1, -(-(len(self.times) - first) // MAX_ANSWER_POINTS))
        for at in reversed(range(len(self.times) - 1, first - 1, -stride)):  # the newest point is always among them
            value = round(self.values[at] * self.factor, 6)
            yield MetricPoint(timestamp=int(self.times[at]), label=self.label, value=value)
