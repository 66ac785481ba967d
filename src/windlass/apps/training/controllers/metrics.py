"""Prometheus metrics of training jobs, under the names of upstream's operator, so that its dashboards fit.

They are counted from changes in the caches: each move of a job or pod is counted once, whichever client made it. What
was there before this process began is not counted again.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Generic, TypeVar

from prometheus_client import CollectorRegistry, Counter, Histogram

from windlass.apis.core_v1 import Pod, Service
from windlass.apps.training.controllers.engine.conditions import FAILED, RESTARTING, RUNNING, SUCCEEDED
from windlass.apps.training.controllers.engine.gang import Gang
from windlass.apps.training.controllers.engine.messages import event_for_child
from windlass.apps.training.framework import Framework
from windlass.apps.training.frameworks import FRAMEWORKS
from windlass.apps.training.kinds.common import TrainingJob
from windlass.kube import controller, meta, plan
from windlass.kube.api import Runtime
from windlass.kube.cache import Store
from windlass.kube.conditions import is_true
from windlass.kube.meta import parse_time
from windlass.kube.objects import AnyObject, controller_of
from windlass.kube.view import typed, view

T = TypeVar("T", bound=AnyObject)
LABELS = ("job_namespace", "framework")
BUCKETS = (1, 5, 15, 60, 300, 900, 3600, 4 * 3600, 12 * 3600, 24 * 3600)
JOB_MOVES = {SUCCEEDED: "successful", FAILED: "failed", RESTARTING: "restarted"}


class TrainingMetrics:
    """One set a manager; `register` has it served."""

    def __init__(self) -> None:
        self.jobs = {
            move: Counter(f"training_operator_jobs_{move}", f"Training jobs {move}", LABELS, registry=None)
            for move in ("created", "deleted", "successful", "failed", "restarted")
        }
        self.children = {
            name: Counter(f"training_operator_{name}", help, LABELS, registry=None)
            for name, help in (
                ("created_pods", "Pods made for training jobs"),
                ("deleted_pods", "Pods of training jobs that are gone"),
                ("failed_pods", "Pods of training jobs that failed"),
                ("succeeded_service_creation", "Services made for training jobs"),
                ("failed_service_creation", "Services that could not be made for training jobs"),
                ("created_pod_groups", "Pod groups made for training jobs"),
                ("deleted_pod_groups", "Pod groups of training jobs that are gone"),
            )
        }
        self.duration = Histogram(
            "training_operator_job_duration_seconds",
            "From the start of a training job to its end",
            LABELS,
            buckets=BUCKETS,
            registry=None,
        )
        self.queued = Histogram(
            "training_operator_job_queue_seconds",
            "From the creation of a training job until it runs",
            LABELS,
            buckets=BUCKETS,
            registry=None,
        )

    def register(self, to: CollectorRegistry) -> None:
        for collector in (*self.jobs.values(), *self.children.values(), self.duration, self.queued):
            to.register(collector)

    def event_for(self, job: TrainingJob, outcome: plan.Outcome) -> plan.Event | None:
        """The engine's event for an outcome; refused services are counted here, since no cache shows them."""
        note = event_for_child(job, outcome)
        if note is not None and note.reason == "FailedCreateService":
            labels = job.metadata.namespace, FRAMEWORK_OF[type(job).__name__]
            self.children["failed_service_creation"].labels(*labels).inc()
        return note


def job_moves(old: TrainingJob | None, new: TrainingJob) -> Iterator[str]:
    """What a job has just become."""
    if old is None and not new.status.conditions:
        yield "created"
    for type, move in JOB_MOVES.items():
        if old is not None and is_true(new.status.conditions, type) and not is_true(old.status.conditions, type):
            yield move


def began_running(old: TrainingJob, new: TrainingJob) -> bool:
    before = {condition.type for condition in old.status.conditions}
    return is_true(new.status.conditions, RUNNING) and not before & {RUNNING, RESTARTING}


class Jobs:
    """Counts what becomes of the jobs of one framework."""

    def __init__(self, metrics: TrainingMetrics, framework: Framework) -> None:
        self._metrics, self._framework = metrics, framework

    def added(self, job: TrainingJob, /) -> None:
        self._count(None, job)

    def changed(self, old: TrainingJob, new: TrainingJob, /) -> None:
        if old is not new:
            self._count(old, new)

    def deleted(self, job: TrainingJob, /) -> None:
        if self._framework.runs(job):
            self._metrics.jobs["deleted"].labels(*self._labels(job)).inc()

    def _count(self, old: TrainingJob | None, new: TrainingJob) -> None:
        if not self._framework.runs(new):
            return
        labels, status = self._labels(new), new.status
        for move in job_moves(old, new):
            self._metrics.jobs[move].labels(*labels).inc()
            if move in ("successful", "failed") and status.start_time and status.completion_time:
                self._metrics.duration.labels(*labels).observe(_seconds(status.start_time, status.completion_time))
        if old is not None and began_running(old, new) and new.metadata.creation_timestamp:
            since = next(c.last_transition_time for c in status.conditions if c.type == RUNNING)
            if since:
                self._metrics.queued.labels(*labels).observe(_seconds(new.metadata.creation_timestamp, since))

    def _labels(self, job: TrainingJob) -> tuple[str, str]:
        return job.metadata.namespace, self._framework.metrics_name


class Children(Generic[T]):
    """Counts what is made and goes of one kind of children, once the cache has what was there before."""

    def __init__(self, metrics: TrainingMetrics, store: Store[T], made: str, gone: str = "") -> None:
        self._metrics, self._store, self._made, self._gone = metrics, store, made, gone

    def added(self, obj: T, /) -> None:
        if self._store.synced.is_set():
            self._count(self._made, obj)

    def changed(self, old: T, new: T, /) -> None:
        if isinstance(new, Pod) and isinstance(old, Pod) and new.status.phase == "Failed" != old.status.phase:
            self._count("failed_pods", new)

    def deleted(self, obj: T, /) -> None:
        self._count(self._gone, obj)

    def _count(self, name: str, obj: AnyObject) -> None:
        owner = controller_of(obj)
        framework = FRAMEWORK_OF.get(owner.kind, "") if owner is not None else ""
        if name and framework:
            namespace = obj["metadata"]["namespace"] if isinstance(obj, dict) else obj.metadata.namespace
            self._metrics.children[name].labels(namespace, framework).inc()


FRAMEWORK_OF = {framework.name: framework.metrics_name for framework in FRAMEWORKS}


def _seconds(start: meta.Time, end: meta.Time) -> float:
    moments: tuple[datetime, datetime] = parse_time(start), parse_time(end)
    return (moments[1] - moments[0]).total_seconds()


def counting(
    metrics: TrainingMetrics, gang: Gang | None, frameworks: Sequence[Framework] = FRAMEWORKS
) -> controller.Service:
    """The part of the manager that counts."""
    return controller.Service("training-metrics", partial(_start, metrics, gang, frameworks))


def _start(metrics: TrainingMetrics, gang: Gang | None, frameworks: Sequence[Framework], runtime: Runtime) -> None:
    metrics.register(runtime.registry)
    for framework in frameworks:
        runtime.store(view(framework.kind)).subscribe(Jobs(metrics, framework))
    pods, services = runtime.store(typed(Pod)), runtime.store(typed(Service))
    pods.subscribe(Children(metrics, pods, "created_pods", "deleted_pods"))
    services.subscribe(Children(metrics, services, "succeeded_service_creation"))
    if gang is not None:
        groups: Store[Any] = runtime.store(gang.groups)
        groups.subscribe(Children(metrics, groups, "created_pod_groups", "deleted_pod_groups"))
