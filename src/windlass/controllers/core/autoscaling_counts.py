"""How many replicas a metric asks for: Kubernetes' arithmetic, with pods that have no metric or are not ready yet.

Amounts are whole numbers in one unit throughout (thousandths, as the metrics APIs give them).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import ceil

from windlass.apis.core_v1 import Pod
from windlass.kube.conditions import find
from windlass.kube.meta import parse_time

CPU_INITIALIZATION = timedelta(minutes=5)
INITIAL_READINESS = timedelta(seconds=30)


class NoMetrics(Exception):
    """The replica count cannot be computed from the metrics at hand."""


@dataclass(frozen=True, slots=True)
class Sample:
    value: int
    at: datetime
    window: timedelta = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Tolerance:
    """By how much the ratio of use to target may be off before anything is done."""

    up: float = 0.1
    down: float = 0.1

    def holds(self, ratio: float) -> bool:
        return 1.0 - self.down <= ratio <= 1.0 + self.up


@dataclass(slots=True)
class Groups:
    ready: int = 0
    unready: set[str] = field(default_factory=set[str])
    missing: set[str] = field(default_factory=set[str])
    ignored: set[str] = field(default_factory=set[str])


@dataclass(frozen=True, slots=True)
class Count:
    replicas: int
    average: int
    utilization: int | None = None


def group(pods: Iterable[Pod], samples: Mapping[str, Sample], *, cpu: bool, now: datetime) -> Groups:
    found = Groups()
    for pod in pods:
        name = pod.metadata.name
        if pod.metadata.deletion_timestamp is not None or pod.status.phase == "Failed":
            found.ignored.add(name)
        elif pod.status.phase == "Pending":
            found.unready.add(name)
        elif name not in samples:
            found.missing.add(name)
        elif cpu and _still_starting(pod, samples[name], now):
            found.unready.add(name)
        else:
            found.ready += 1
    return found


def _still_starting(pod: Pod, sample: Sample, now: datetime) -> bool:
    """Whether what it uses now says nothing of what it will use."""
    ready = find(pod.status.conditions, "Ready")
    if ready is None or pod.status.start_time is None or ready.last_transition_time is None:
        return True
    started, turned = parse_time(pod.status.start_time), parse_time(ready.last_transition_time)
    if started + CPU_INITIALIZATION > now:
        return ready.status == "False" or sample.at < turned + sample.window
    return ready.status == "False" and started + INITIAL_READINESS > turned


def by_utilization(
    current: int,
    target: int,
    samples: Mapping[str, Sample],
    requests: Mapping[str, int],
    groups: Groups,
    tolerance: Tolerance,
) -> Count:
    """`target` is a percentage of what the pods request."""
    used = {name: s.value for name, s in samples.items() if name not in groups.unready | groups.ignored}
    used = {name: value for name, value in used.items() if name in requests}
    if not used:
        raise NoMetrics("did not receive metrics for targeted pods (pods might be unready)")

    def ratio_of(values: Mapping[str, int]) -> tuple[float, int]:
        total = sum(requests.get(name, 0) for name in values)
        if not total:
            raise NoMetrics("no metrics returned matched known pods")
        percent = sum(values.values()) * 100 // total
        return percent / target, percent

    ratio, percent = ratio_of(used)
    average = sum(used.values()) // len(used)
    stand_in = {name: requests[name] * max(100, target) // 100 for name in groups.missing if name in requests}
    replicas = _replicas(current, ratio, used, stand_in, groups, tolerance, lambda values: ratio_of(values)[0])
    return Count(replicas, average, percent)


def by_average(current: int, target: int, samples: Mapping[str, Sample], groups: Groups, tolerance: Tolerance) -> Count:
    """`target` is an amount a pod."""
    used = {name: s.value for name, s in samples.items() if name not in groups.unready | groups.ignored}
    if not used:
        raise NoMetrics("did not receive metrics for targeted pods (pods might be unready)")

    def ratio_of(values: Mapping[str, int]) -> float:
        return (sum(values.values()) // len(values)) / target

    stand_in = dict.fromkeys(groups.missing, target)
    replicas = _replicas(current, ratio_of(used), used, stand_in, groups, tolerance, ratio_of)
    return Count(replicas, sum(used.values()) // len(used))


def _replicas(
    current: int,
    ratio: float,
    used: dict[str, int],
    stand_in: dict[str, int],
    groups: Groups,
    tolerance: Tolerance,
    ratio_of: Callable[[Mapping[str, int]], float],
) -> int:
    """Pods without a metric are taken to use what would change the least; if then the sign changes, nothing is done."""
    up_with_unready = bool(groups.unready) and ratio > 1.0
    if not up_with_unready and not groups.missing:
        return current if tolerance.holds(ratio) else ceil(ratio * groups.ready)
    values = dict(used)
    if groups.missing and ratio < 1.0:
        values |= stand_in
    elif groups.missing and ratio > 1.0:
        values |= dict.fromkeys(stand_in, 0)
    if up_with_unready:
        values |= dict.fromkeys(groups.unready, 0)
    again = ratio_of(values)
    if tolerance.holds(again) or (ratio < 1.0 < again) or (again < 1.0 < ratio):
        return current
    wanted = ceil(again * len(values))
    if (again < 1.0 and wanted > current) or (again > 1.0 and wanted < current):
        return current
    return wanted


def by_value(current: int, ready: int, target: int, usage: int, tolerance: Tolerance) -> Count:
    """One amount for all of them, that grows with what there is to do."""
    ratio = usage / target
    if current == 0:
        return Count(ceil(ratio), usage)
    return Count(current if tolerance.holds(ratio) else ceil(ratio * ready), usage)


def by_shared_average(current: int, target: int, usage: int, tolerance: Tolerance) -> Count:
    """One amount, of which each replica should have so much."""
    ratio = usage / (target * current) if current else 0.0
    replicas = current if current and tolerance.holds(ratio) else ceil(usage / target)
    return Count(replicas, ceil(usage / current) if current else usage)
