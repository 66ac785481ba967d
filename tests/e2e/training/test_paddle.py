"""PaddlePaddle: its launcher brings workers together, and servers and trainers are told their parts."""

from collections.abc import Callable

import pytest

from tests.e2e.training.jobs import JobShell, job, template

IMAGE = "paddlepaddle/paddle:3.0.0"
pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(1200)]


@pytest.mark.frameworks
def test_the_launcher_checks_that_two_workers_can_train(kubectl: JobShell, pulled: Callable[[str], None]) -> None:
    pulled(IMAGE)
    pod = template("PaddleJob", IMAGE, ["python", "-m", "paddle.distributed.launch", "run_check"])
    kubectl.apply(job("PaddleJob", "check", {"Worker": 2}, pod))

    kubectl.succeeds("paddlejobs/check", within=600)

    for index in range(2):
        lines = kubectl.log(f"check-worker-{index}").splitlines()
        assert {"Prepare distributed training with 2 nodes 1 cards", "Distributed training completed"} <= {*lines}


def test_servers_and_trainers_are_told_their_parts(kubectl: JobShell) -> None:
    pod = template("PaddleJob", "busybox", ["sh", "-c", "env | grep PADDLE | sort"])
    kubectl.apply(job("PaddleJob", "parts", {"Master": 1, "Worker": 1}, pod))

    kubectl.is_done("paddlejobs/parts")
    for name in ("parts-master-0", "parts-worker-0"):
        kubectl.phase(name, "Succeeded")

    address = kubectl.get("pods/parts-master-0")["status"]["podIP"]
    assert kubectl.log("parts-master-0").splitlines() == [
        "PADDLE_JOB_ID=parts",
        f"PADDLE_MASTER={address}:36543",
        "PADDLE_NNODES=2",
        "PADDLE_SERVER_NUM=1",
    ]
    assert kubectl.log("parts-worker-0").splitlines() == [
        "PADDLE_JOB_ID=parts",
        "PADDLE_MASTER=parts-master-0:36543",
        "PADDLE_NNODES=2",
        "PADDLE_TRAINER_NUM=1",
    ]
