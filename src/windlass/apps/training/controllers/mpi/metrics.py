"""Prometheus metrics of MPIJobs v2beta1, under the names of upstream's operator."""

from typing import cast

from prometheus_client import CollectorRegistry, Counter, Gauge

from windlass.apps.training.controllers.metrics import job_moves
from windlass.apps.training.controllers.mpi.job import is_ours, read
from windlass.apps.training.kinds.common import TrainingJob
from windlass.apps.training.kinds.mpi_v2beta1 import MPIJob
from windlass.kube.api import Runtime
from windlass.kube.controller import Service
from windlass.kube.view import typed


class MpiMetrics:
    """Counts what becomes of jobs, from what changes in the cache: each move is seen once."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.jobs = {
            move: Counter(f"mpi_operator_jobs_{move}", f"MPI jobs {move}", registry=registry)
            for move in ("created", "successful", "failed")
        }
        self.info = Gauge("mpi_operator_job_info", "MPI jobs", ("launcher", "namespace"), registry=registry)

    def added(self, job: MPIJob, /) -> None:
        self._count(None, job)

    def changed(self, old: MPIJob, new: MPIJob, /) -> None:
        if old is not new:
            self._count(old, new)

    def deleted(self, job: MPIJob, /) -> None:
        if is_ours(job) and job.status.conditions:
            self.info.remove(read(job).launcher, job.metadata.namespace)

    def _count(self, old: MPIJob | None, new: MPIJob) -> None:
        if not is_ours(new):
            return
        for move in job_moves(cast("TrainingJob | None", old), cast(TrainingJob, new)):
            if move in self.jobs:
                self.jobs[move].inc()
        if new.status.conditions:
            self.info.labels(read(new).launcher, new.metadata.namespace).set(1)


def _start(runtime: Runtime) -> None:
    runtime.store(typed(MPIJob)).subscribe(MpiMetrics(runtime.registry))


COUNTING = Service("mpi-metrics", _start)
