"""A PaddleJob's variables, in order, in both of its modes."""

import pytest

from tests.apps.training.frameworks.jobs import a_job, environment
from windlass.apps.training.framework import Leading
from windlass.apps.training.frameworks.paddle import FRAMEWORK

OWN_ADDRESS = '{"name":"POD_IP_DUMMY","valueFrom":{"fieldRef":{"fieldPath":"status.podIP"}}}'
COMMON = ["PYTHONUNBUFFERED=1", "PADDLE_JOB_ID=demo"]
COLLECTIVE, WITH_SERVERS = {"Worker": 2}, {"Master": 1, "Worker": 2}


@pytest.mark.parametrize(
    ("counts", "replica_type", "index", "variables"),
    [
        (COLLECTIVE, "Worker", 0, ["PADDLE_NNODES=2", OWN_ADDRESS, "PADDLE_MASTER=$(POD_IP_DUMMY):36543"]),
        (COLLECTIVE, "Worker", 1, ["PADDLE_NNODES=2", "PADDLE_MASTER=demo-worker-0:36543"]),
        (
            WITH_SERVERS,
            "Master",
            0,
            ["PADDLE_NNODES=3", OWN_ADDRESS, "PADDLE_MASTER=$(POD_IP_DUMMY):36543", "PADDLE_SERVER_NUM=1"],
        ),
        (WITH_SERVERS, "Worker", 0, ["PADDLE_NNODES=3", "PADDLE_MASTER=demo-master-0:36543", "PADDLE_TRAINER_NUM=1"]),
    ],
)
def test_the_first_pod_gets_its_own_address_and_the_others_its_name(
    counts: dict[str, int], replica_type: str, index: int, variables: list[str]
) -> None:
    assert environment(a_job(FRAMEWORK, counts), replica_type, index) == COMMON + variables


def test_the_launcher_is_told_how_often_it_may_restart() -> None:
    job = a_job(FRAMEWORK, COLLECTIVE, elasticPolicy={"maxRestarts": 5})

    assert environment(job, "Worker", 1)[-1] == "PADDLE_MAX_RESTART=5"


def test_masters_decide_else_all_workers() -> None:
    assert FRAMEWORK.leading(a_job(FRAMEWORK, WITH_SERVERS)) == Leading("Master")
    assert FRAMEWORK.leading(a_job(FRAMEWORK, COLLECTIVE)) == Leading("Worker")


def test_without_masters_the_first_worker_has_their_label() -> None:
    job = a_job(FRAMEWORK, COLLECTIVE)

    assert [FRAMEWORK.is_master(job, "Worker", index) for index in (0, 1)] == [True, False]


def test_replicas_restart_on_failure() -> None:
    assert a_job(FRAMEWORK, COLLECTIVE).replicas["Worker"].restart_policy == "OnFailure"
