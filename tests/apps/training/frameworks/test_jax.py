"""A JAXJob's variables, in order."""

from tests.apps.training.frameworks.jobs import a_job, environment
from windlass.apps.training.framework import Leading
from windlass.apps.training.frameworks.jax import FRAMEWORK


def test_every_worker_is_told_of_the_first_and_of_its_own_number() -> None:
    assert environment(a_job(FRAMEWORK, {"Worker": 3}), "Worker", 2) == [
        "PYTHONUNBUFFERED=1",
        "COORDINATOR_PORT=6666",
        "COORDINATOR_ADDRESS=demo-worker-0",
        "NUM_PROCESSES=3",
        "PROCESS_ID=2",
    ]


def test_all_workers_decide_and_the_first_is_the_master() -> None:
    job = a_job(FRAMEWORK, {"Worker": 2})

    assert FRAMEWORK.leading(job) == Leading("Worker")
    assert [FRAMEWORK.is_master(job, "Worker", index) for index in (0, 1)] == [True, False]
    assert job.replicas["Worker"].restart_policy == "Never"
