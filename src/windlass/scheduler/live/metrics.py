"""Prometheus metrics of gangs and queues, under the names that Volcano gives them, so that its dashboards fit.

Times and counts are taken once a cycle. What queues and jobs have is looked up when the metrics are scraped, so that it
costs nothing else. Amounts are Volcano's: cpu and what is counted in thousandths, memory in bytes, pods one by one.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from windlass.scheduler.cycle.gang_cycle import Decider
from windlass.scheduler.framework.decisions import Decisions
from windlass.scheduler.framework.extension_points import Overused
from windlass.scheduler.model.columns import CPU, MEMORY, PODS, Vector, inverse, name_of, share
from windlass.scheduler.model.jobs import Queue

BUCKETS = tuple(5.0 * 2**exponent for exponent in range(15))
"""Milliseconds."""
MADE_TO_GO = ("preempt", "reclaim")
OPENING = "OnSessionOpen"


class Many(Collector):
    """A histogram of milliseconds that takes many at once: each pod has one."""

    def __init__(self, name: str, help: str) -> None:
        self._name, self._help = name, help
        self._counts = np.zeros(len(BUCKETS) + 1)
        self._sum = 0.0

    def observe(self, values: Sequence[float]) -> None:
        found = np.searchsorted(BUCKETS, np.asarray(values, dtype=np.float64), side="left")
        self._counts += np.bincount(found, minlength=len(self._counts))
        self._sum += float(np.sum(values))

    def collect(self) -> Iterable[Metric]:
        names = [*(str(bucket) for bucket in BUCKETS), "+Inf"]
        totals: list[float] = np.cumsum(self._counts).tolist()
        buckets = list(zip(names, totals, strict=True))
        yield HistogramMetricFamily(self._name, self._help, buckets=buckets, sum_value=self._sum)


class SchedulerMetrics:
    """`timed` is what a decider measures its cycles with."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.last: Decider | None = None
        """The one that decided the last cycle."""
        self.cycle = _histogram(registry, "e2e_scheduling", "From the start of a cycle until it is decided")
        self.actions = _histogram(registry, "action_scheduling", "Time an action takes in a cycle", "action")
        self.plugins = _histogram(
            registry, "plugin_scheduling", "Time a plugin takes to prepare for a cycle", "plugin", "OnSession"
        )
        self.tasks = Many(
            "volcano_task_scheduling_latency_milliseconds", "From the creation of a pod of a gang until it has a node"
        )
        self.attempts = Counter(
            "volcano_schedule_attempts", "Attempts to place pods of gangs, by result", ("result",), registry=registry
        )
        self.victims = Gauge(
            "volcano_pod_preemption_victims", "Pods that the last cycle with any made go for others", registry=registry
        )
        self.preemptions = Gauge(
            "volcano_total_preemption_attempts", "How often room was made for a gang", registry=registry
        )
        registry.register(self.tasks)
        registry.register(_Queues(self))

    @contextmanager
    def timed(self, kind: str, name: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        took = (time.perf_counter() - began) * 1000
        if kind == "action":
            self.actions.labels(name).observe(took)
        elif kind == "plugin":
            self.plugins.labels(name, OPENING).observe(took)
        else:
            self.cycle.observe(took)

    def decided(self, decider: Decider, decisions: Decisions, now: float) -> None:
        """A cycle is over."""
        self.last = decider
        waited = [(now - task.created) * 1000 for commit in decisions.commits for task in commit.tasks if task.created]
        if waited:
            self.tasks.observe(np.maximum(waited, 0).tolist())
        if decisions.commits:
            self.attempts.labels("scheduled").inc(sum(len(commit.tasks) for commit in decisions.commits))
        failed = sum(len(trouble.pods) for trouble in decisions.troubles.values())
        if failed:
            self.attempts.labels("unschedulable").inc(failed)
        gone = [one for one in decisions.evictions if one.action in MADE_TO_GO]
        if gone:
            self.victims.set(len(gone))
            self.preemptions.inc(len({one.because.uid for one in gone if one.because is not None}))

    def not_bound(self) -> None:
        self.attempts.labels("error").inc()


def _histogram(registry: CollectorRegistry, name: str, help: str, *labels: str) -> Histogram:
    return Histogram(f"volcano_{name}_latency_milliseconds", help, labels, buckets=BUCKETS, registry=registry)


class _Queues(Collector):
    """What is known of queues and jobs by the last cycle."""

    def __init__(self, metrics: SchedulerMetrics) -> None:
        self._metrics = metrics

    def describe(self) -> Iterable[Metric]:
        """Nothing is looked up before the first scrape."""
        return []

    def collect(self) -> Iterable[Metric]:
        decider = self._metrics.last
        if decider is None:
            return
        yield from _of_jobs(decider)
        queues = list(decider.cluster.queues.values())
        known = [(queue, due) for queue in queues if (due := decider.plugins.due(queue)) is not None]
        for name, help, amounts in (
            ("allocated", "What pods of a queue have", [(queue, queue.allocated) for queue in queues]),
            ("request", "What pods of a queue have or wait for", [(queue, queue.requested) for queue in queues]),
            ("deserved", "The fair share of a queue", [(queue, due.deserved) for queue, due in known]),
            ("capacity", "What a queue may have by its own word", [(queue, queue.capability) for queue in queues]),
            ("real_capacity", "What a queue may have beside others", [(queue, due.most) for queue, due in known]),
        ):
            yield from _amounts(name, help, amounts)
        yield _by_queue("weight", "Weight of a queue", ((queue, queue.weight) for queue in queues))
        yield _by_queue("share", "What a queue has of its fair share", ((queue, due.share) for queue, due in known))
        overused = decider.plugins.asked(Overused)
        yield _by_queue(
            "overused",
            "Whether a queue has all that it deserves",
            ((queue, float(any(plugin.overused(queue) for plugin in overused))) for queue, _ in known),
        )


def _of_jobs(decider: Decider) -> Iterator[Metric]:
    cluster = decider.cluster
    whole = inverse(cluster.total)
    shares = GaugeMetricFamily("volcano_job_share", "Dominant share of a job", labels=("job_ns", "job_id"))
    for job in cluster.jobs.values():
        if job.running:
            shares.add_metric((job.namespace, job.name), share(job.allocated, whole))
    yield shares
    tasks = GaugeMetricFamily("volcano_unschedule_task_count", "Pods of a job that wait for a node", labels=("job_id",))
    for job in cluster.waiting.values():
        tasks.add_metric((f"{job.namespace}/{job.name}",), len(job.pending))
    yield tasks
    yield GaugeMetricFamily("volcano_unschedule_job_count", "Jobs that wait", value=len(cluster.waiting))


def _amounts(name: str, help: str, amounts: Sequence[tuple[Queue, Vector]]) -> Iterator[Metric]:
    """What is without limit is left out."""
    for column, unit in ((CPU, "milli_cpu"), (MEMORY, "memory_bytes")):
        known = ((queue, vector[column]) for queue, vector in amounts if np.isfinite(vector[column]))
        yield _by_queue(f"{name}_{unit}", f"{help}: {unit.replace('_', ' ')}", known)
    family = GaugeMetricFamily(
        f"volcano_queue_{name}_scalar_resources", f"{help}: other resources", labels=("queue_name", "resource")
    )
    for queue, vector in amounts:
        for column in np.flatnonzero(np.isfinite(vector) & (vector > 0)).tolist():
            if column not in (CPU, MEMORY):
                family.add_metric((queue.name, name_of(column)), vector[column] * (1 if column == PODS else 1000))
    yield family


def _by_queue(name: str, help: str, values: Iterable[tuple[Queue, float]]) -> Metric:
    family = GaugeMetricFamily(f"volcano_queue_{name}", help, labels=("queue_name",))
    for queue, value in values:
        family.add_metric((queue.name,), value)
    return family
