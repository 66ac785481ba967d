"""XGBoost trains: the master tracks, and all ranks end with the same model."""

from collections.abc import Callable

import pytest

from tests.e2e.training.jobs import CODE, JobShell, job, script, template

IMAGE = "kubeflow/xgboost-dist-iris:latest"
pytestmark = [pytest.mark.kubectl, pytest.mark.frameworks, pytest.mark.timeout(1200)]

TRAIN = """
import hashlib
import os
import socket
import time
from threading import Thread

import numpy as np
import xgboost as xgb
from xgboost import collective
from xgboost.tracker import RabitTracker

rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
address, port = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
if rank == 0:
    tracker = RabitTracker(n_workers=size, host_ip=socket.gethostbyname(socket.gethostname()), port=port, sortby="task")
    tracker.start()
    Thread(target=tracker.wait_for, daemon=True).start()
for _ in range(600):
    try:
        socket.getaddrinfo(address, port)
        break
    except OSError:
        time.sleep(0.1)

tracked = {"dmlc_tracker_uri": address, "dmlc_tracker_port": port, "dmlc_task_id": str(rank), "dmlc_retry": 60}
with collective.CommunicatorContext(**tracked):
    told = collective.broadcast(f"from {collective.get_rank()}", 0)
    print(f"rank {rank} is {collective.get_rank()} of {collective.get_world_size()}: {told}", flush=True)
    draw = np.random.default_rng(rank)
    inputs = draw.normal(size=(200, 4))
    data = xgb.DMatrix(inputs, inputs @ [1.0, 2.0, 3.0, 4.0])
    model = xgb.train({"max_depth": 3}, data, num_boost_round=10)
    digest = hashlib.sha256(model.save_raw("json")).hexdigest()
    print(f"model of {model.num_boosted_rounds()} rounds {digest}", flush=True)
"""


def test_a_master_and_two_workers_train_one_model(kubectl: JobShell, pulled: Callable[[str], None]) -> None:
    pulled(IMAGE)
    pod = template("XGBoostJob", IMAGE, ["python", f"{CODE}/main.py"], "train")
    kubectl.apply(script("train", TRAIN), job("XGBoostJob", "boost", {"Master": 1, "Worker": 2}, pod))

    kubectl.succeeds("xgboostjobs/boost")
    kubectl.phase("boost-worker-0", "Succeeded")
    kubectl.phase("boost-worker-1", "Succeeded")

    logs = [kubectl.log(name).splitlines() for name in ("boost-master-0", "boost-worker-0", "boost-worker-1")]
    for rank, lines in enumerate(logs):
        assert f"rank {rank} is {rank} of 3: from 0" in lines
    [model] = {next(line for line in lines if line.startswith("model of 10 rounds")) for lines in logs}
    assert len(model.split()[-1]) == 64
