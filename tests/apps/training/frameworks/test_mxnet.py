"""MX_CONFIG byte for byte, and the variables beside it."""

import msgspec
import pytest

from tests.apps.training.frameworks.jobs import a_job, environment
from windlass.apps.training.framework import Leading
from windlass.apps.training.frameworks.mxnet import FRAMEWORK, MXJob
from windlass.apps.training.job import read

CLUSTER = (
    '"cluster":{"scheduler":[{"url":"demo-scheduler-0","port":9091}],"server":[{"url":"demo-server-0","port":9091}],'
    '"worker":[{"url":"demo-worker-0","port":9091},{"url":"demo-worker-1","port":9091}]}'
)
TRAINING = {"Scheduler": 1, "Server": 1, "Worker": 2}


@pytest.mark.parametrize(
    ("replica_type", "index", "own"),
    [("Worker", 1, ["DMLC_WORKER_ID=1"]), ("Server", 0, []), ("Scheduler", 0, [])],
)
def test_every_replica_is_told_of_all_others(replica_type: str, index: int, own: list[str]) -> None:
    role = replica_type.lower()

    assert environment(a_job(FRAMEWORK, TRAINING, jobMode="MXTrain"), replica_type, index) == [
        f'MX_CONFIG={{{CLUSTER},"labels":{{"scheduler":"","server":"","worker":""}},'
        f'"task":{{"type":"{role}","index":{index}}}}}',
        "DMLC_PS_ROOT_PORT=9091",
        "DMLC_PS_ROOT_URI=demo-scheduler-0",
        "DMLC_NUM_SERVER=1",
        "DMLC_NUM_WORKER=2",
        f"DMLC_ROLE={role}",
        "DMLC_USE_KUBERNETES=1",
        *own,
    ]


def test_without_a_scheduler_there_is_no_root() -> None:
    variables = environment(a_job(FRAMEWORK, {"Worker": 1}, jobMode="MXTrain"), "Worker", 0)

    assert variables[1:3] == ["DMLC_PS_ROOT_PORT=0", "DMLC_PS_ROOT_URI="]


def test_the_key_of_a_tuners_server_is_told_to_all() -> None:
    template = {
        "metadata": {"annotations": {"tuner-server-key": "2080ti"}},
        "spec": {"containers": [{"name": "mxnet", "image": "tvm"}]},
    }
    spec = {"jobMode": "MXTune", "mxReplicaSpecs": {"TunerServer": {"template": template}}}
    obj = msgspec.convert({"metadata": {"name": "demo", "namespace": "team-a"}, "spec": spec}, MXJob)

    assert '"labels":{"tunerserver":"2080ti"}' in environment(read(FRAMEWORK, obj), "TunerServer", 0)[0]


@pytest.mark.parametrize(
    ("counts", "leading"),
    [
        (TRAINING, Leading("Scheduler")),
        ({"Worker": 1}, Leading("Worker")),
        ({"Tuner": 1, "TunerTracker": 1, "TunerServer": 1}, Leading("Tuner")),
    ],
)
def test_who_decides(counts: dict[str, int], leading: Leading) -> None:
    assert FRAMEWORK.leading(a_job(FRAMEWORK, counts, jobMode="MXTrain")) == leading


def test_every_server_has_the_masters_label() -> None:
    job = a_job(FRAMEWORK, TRAINING, jobMode="MXTrain")

    assert [FRAMEWORK.is_master(job, role, 0) for role in TRAINING] == [False, True, False]
