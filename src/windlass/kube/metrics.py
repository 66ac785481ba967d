"""Prometheus metrics of queues, controllers and leader election, under the names that controller-runtime gives them.

So dashboards and alerts written for other operators fit Windlass' manager too.
"""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

QUEUE_BUCKETS = tuple(10.0**exponent for exponent in range(-8, 4))
RECONCILE_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60)


class Metrics:
    """One set per registry, so that a test can have its own."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self.registry = registry or CollectorRegistry()
        name, controller, to = ("name",), ("controller",), self.registry
        self.depth = Gauge("workqueue_depth", "Current depth of workqueue", name, registry=to)
        self.adds = Counter("workqueue_adds", "Total number of adds handled by workqueue", name, registry=to)
        self.retries = Counter("workqueue_retries", "Total number of retries handled by workqueue", name, registry=to)
        self.wait = Histogram(
            "workqueue_queue_duration_seconds",
            "How long in seconds an item stays in workqueue before being requested",
            name,
            buckets=QUEUE_BUCKETS,
            registry=to,
        )
        self.work = Histogram(
            "workqueue_work_duration_seconds",
            "How long in seconds processing an item from workqueue takes",
            name,
            buckets=QUEUE_BUCKETS,
            registry=to,
        )
        self.reconciles = Counter(
            "controller_runtime_reconcile",
            "Total number of reconciliations per controller",
            ("controller", "result"),
            registry=to,
        )
        self.errors = Counter(
            "controller_runtime_reconcile_errors",
            "Total number of reconciliation errors per controller",
            controller,
            registry=to,
        )
        self.time = Histogram(
            "controller_runtime_reconcile_time_seconds",
            "Length of time per reconciliation per controller",
            controller,
            buckets=RECONCILE_BUCKETS,
            registry=to,
        )
        self.active = Gauge(
            "controller_runtime_active_workers",
            "Number of currently used workers per controller",
            controller,
            registry=to,
        )
        self.most = Gauge(
            "controller_runtime_max_concurrent_reconciles",
            "Maximum number of concurrent reconciles per controller",
            controller,
            registry=to,
        )
        self.leader = Gauge(
            "leader_election_master_status",
            "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master",
            name,
            registry=to,
        )

        self.faults = Counter(
            "windlass_object_faults",
            "Exceptions that were raised over a single object, which was then skipped or tried again later",
            ("place", "kind"),
            registry=to,
        )

    def queue(self, name: str) -> "QueueGauges":
        return QueueGauges(self, name)


class QueueGauges:
    """The metrics of one queue, looked up once."""

    def __init__(self, metrics: Metrics, name: str) -> None:
        self.depth = metrics.depth.labels(name).set
        self.added = metrics.adds.labels(name).inc
        self.retried = metrics.retries.labels(name).inc
        self.waited = metrics.wait.labels(name).observe
        self.worked = metrics.work.labels(name).observe
