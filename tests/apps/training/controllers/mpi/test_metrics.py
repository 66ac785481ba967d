"""What is counted of MPIJobs v2beta1."""

from prometheus_client import CollectorRegistry

from tests.apps.training.controllers.mpi.test_children import settled
from tests.apps.training.controllers.mpi.world import MpiWorld
from windlass.apps.training.controllers.mpi.metrics import MpiMetrics
from windlass.apps.training.kinds.mpi_v2beta1 import CREATED_AS, MPIJob


def test_each_move_of_a_job_is_counted_once() -> None:
    registry = CollectorRegistry()
    metrics = MpiMetrics(registry)
    new: MPIJob = MpiWorld().job
    metrics.added(new)
    world = settled()
    running: MPIJob = world.job
    metrics.changed(new, running)
    world.launcher_ends("Complete")
    world.settle()
    metrics.changed(running, world.job)
    metrics.changed(world.job, world.job)

    assert registry.get_sample_value("mpi_operator_jobs_created_total") == 1
    assert registry.get_sample_value("mpi_operator_jobs_successful_total") == 1
    assert registry.get_sample_value("mpi_operator_jobs_failed_total") == 0
    info = {"launcher": "demo-launcher", "namespace": "team-a"}
    assert registry.get_sample_value("mpi_operator_job_info", info) == 1

    metrics.deleted(world.job)
    assert registry.get_sample_value("mpi_operator_job_info", info) is None


def test_jobs_of_v1_are_counted_elsewhere() -> None:
    registry = CollectorRegistry()
    MpiMetrics(registry).added(MpiWorld(annotations={CREATED_AS: "v1"}).job)

    assert registry.get_sample_value("mpi_operator_jobs_created_total") == 0
