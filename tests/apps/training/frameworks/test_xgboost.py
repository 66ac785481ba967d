"""An XGBoostJob's variables, in order."""

import pytest

from tests.apps.training.frameworks.jobs import a_job, environment
from windlass.apps.training.framework import Leading
from windlass.apps.training.frameworks.xgboost import FRAMEWORK


@pytest.mark.parametrize(("replica_type", "index", "rank"), [("Master", 0, 0), ("Worker", 0, 1), ("Worker", 1, 2)])
def test_every_pod_knows_the_master_its_rank_and_the_workers(replica_type: str, index: int, rank: int) -> None:
    job = a_job(FRAMEWORK, {"Master": 1, "Worker": 2})

    assert environment(job, replica_type, index) == (
        f"MASTER_PORT=9999 MASTER_ADDR=demo-master-0 WORLD_SIZE=3 RANK={rank} PYTHONUNBUFFERED=1 "
        "WORKER_PORT=9999 WORKER_ADDRS=demo-worker-0,demo-worker-1"
    ).split(" ")


def test_a_master_alone_is_told_of_no_workers() -> None:
    assert environment(a_job(FRAMEWORK, {"Master": 1}), "Master", 0) == [
        "MASTER_PORT=9999",
        "MASTER_ADDR=demo-master-0",
        "WORLD_SIZE=1",
        "RANK=0",
        "PYTHONUNBUFFERED=1",
    ]


def test_the_master_decides() -> None:
    job = a_job(FRAMEWORK, {"Master": 1, "Worker": 2})

    assert FRAMEWORK.leading(job) == Leading("Master")
    assert job.replicas["Master"].restart_policy == "Never"
