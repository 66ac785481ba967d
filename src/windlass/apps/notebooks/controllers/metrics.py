"""Prometheus metrics of notebooks, under upstream's names."""

from datetime import datetime

from prometheus_client import CollectorRegistry, Counter, Gauge

from windlass.apis.apps_v1 import StatefulSet
from windlass.apps.notebooks.kinds import Notebook
from windlass.kube.api import Runtime
from windlass.kube.controller import Service
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, parse_time
from windlass.kube.objects import controller_of
from windlass.kube.view import typed

NAMESPACE, NOTEBOOK = ("namespace",), ("namespace", "name")


class NotebookMetrics:
    """Counters of one manager; `register` makes them public."""

    def __init__(self) -> None:
        self.running = Gauge("notebook_running", "Notebooks with a running server", NAMESPACE, registry=None)
        self.created = Counter("notebook_create", "Notebook servers created", NAMESPACE, registry=None)
        self.failed = Counter("notebook_create_failed", "Notebook servers refused", NAMESPACE, registry=None)
        self.culled = Counter("notebook_culling", "Notebooks stopped for being idle", NOTEBOOK, registry=None)
        self.last_culled = Gauge(
            "last_notebook_culling_timestamp_seconds", "When a notebook was last stopped", NOTEBOOK, registry=None
        )

    def register(self, registry: CollectorRegistry) -> None:
        for metric in (self.running, self.created, self.failed, self.culled, self.last_culled):
            registry.register(metric)

    def record_culling(self, notebook: Key, now: datetime) -> None:
        self.culled.labels(notebook.namespace, notebook.name).inc()
        self.last_culled.labels(notebook.namespace, notebook.name).set(now.timestamp())

    def record_failure(self, notebook: Key) -> None:
        self.failed.labels(notebook.namespace).inc()


class Servers:
    """Counts StatefulSets of notebooks as they change in the cache. Those from before `since` were not created now."""

    def __init__(self, metrics: NotebookMetrics, since: datetime) -> None:
        self._metrics, self._since = metrics, since

    def added(self, workload: StatefulSet, /) -> None:
        self._count(None, workload)

    def changed(self, old: StatefulSet, new: StatefulSet, /) -> None:
        self._count(old, new)

    def deleted(self, workload: StatefulSet, /) -> None:
        if is_running(workload):
            self._metrics.running.labels(workload.metadata.namespace).dec()

    def _count(self, old: StatefulSet | None, new: StatefulSet) -> None:
        namespace = new.metadata.namespace
        created = new.metadata.creation_timestamp
        if old is None and is_server(new) and created and parse_time(created) >= self._since:
            self._metrics.created.labels(namespace).inc()
        change = int(is_running(new)) - int(old is not None and is_running(old))
        if change:
            self._metrics.running.labels(namespace).inc(change)


def is_server(workload: StatefulSet) -> bool:
    owner = controller_of(workload)
    return owner is not None and owner.kind == KINDS.of(Notebook).name


def is_running(workload: StatefulSet) -> bool:
    return is_server(workload) and workload.status.ready_replicas > 0


def counting(metrics: NotebookMetrics) -> Service:
    """The part of the manager that counts."""

    def start(runtime: Runtime) -> None:
        metrics.register(runtime.registry)
        since = runtime.now().replace(microsecond=0)
        runtime.store(typed(StatefulSet)).subscribe(Servers(metrics, since))

    return Service("notebook-metrics", start)
