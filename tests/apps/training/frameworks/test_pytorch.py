"""A PyTorchJob's variables in order, its init container, and what makes it elastic."""

from typing import Any

import pytest

from tests.apps.training.frameworks.jobs import a_job, environment
from windlass.apis.autoscaling_v2 import (
    CrossVersionObjectReference,
    HorizontalPodAutoscaler,
    HorizontalPodAutoscalerSpec,
)
from windlass.apps.training.framework import Leading
from windlass.apps.training.frameworks.pytorch import FRAMEWORK
from windlass.apps.training.job import Job
from windlass.apps.training.options import Options
from windlass.kube.json import Object

WITH_MASTER = {"Master": 1, "Worker": 2}
METRICS = [
    {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}
]


def test_workers_with_a_master_get_its_address_and_their_rank() -> None:
    job = a_job(FRAMEWORK, WITH_MASTER, nprocPerNode="2")

    assert environment(job, "Worker", 1) == [
        "PYTHONUNBUFFERED=1",
        "MASTER_PORT=23456",
        "PET_MASTER_PORT=23456",
        "MASTER_ADDR=demo-master-0",
        "PET_MASTER_ADDR=demo-master-0",
        "WORLD_SIZE=6",
        "RANK=2",
        "PET_NODE_RANK=2",
        "PET_NPROC_PER_NODE=2",
        "PET_NNODES=3",
    ]


def test_the_master_is_rank_0_and_finds_itself_by_name() -> None:
    variables = environment(a_job(FRAMEWORK, WITH_MASTER), "Master", 0)

    assert {"MASTER_ADDR=demo-master-0", "RANK=0", "PET_NODE_RANK=0"} <= {*variables}


@pytest.mark.parametrize("processes", [None, "auto", "cpu", "gpu"])
def test_the_world_is_as_large_as_there_are_pods_where_the_processes_are_not_told(processes: str | None) -> None:
    variables = environment(a_job(FRAMEWORK, WITH_MASTER, nprocPerNode=processes), "Master", 0)

    assert {"WORLD_SIZE=3", f"PET_NPROC_PER_NODE={processes or 'auto'}"} <= {*variables}


def test_without_a_master_the_first_worker_is_one() -> None:
    assert environment(a_job(FRAMEWORK, {"Worker": 2}), "Worker", 1) == [
        "PYTHONUNBUFFERED=1",
        "MASTER_PORT=23456",
        "PET_MASTER_PORT=23456",
        "MASTER_ADDR=demo-worker-0",
        "PET_MASTER_ADDR=demo-worker-0",
        "WORLD_SIZE=2",
        "RANK=1",
        "PET_NODE_RANK=1",
        "PET_NPROC_PER_NODE=auto",
        "PET_NNODES=2",
    ]


def test_elastic_workers_meet_at_the_first_of_them() -> None:
    job = a_job(FRAMEWORK, {"Worker": 2}, elasticPolicy={"minReplicas": 1, "maxReplicas": 3, "maxRestarts": 100})

    assert environment(job, "Worker", 1) == [
        "PYTHONUNBUFFERED=1",
        "PET_NPROC_PER_NODE=auto",
        "PET_RDZV_ENDPOINT=demo-worker-0:23456",
        "PET_RDZV_BACKEND=c10d",
        "PET_NNODES=1:3",
        "PET_MAX_RESTARTS=100",
        "TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1",
    ]


def test_everything_about_the_rendezvous_can_be_said() -> None:
    policy = {
        "rdzvBackend": "etcd",
        "rdzvHost": "etcd-service",
        "rdzvPort": 2379,
        "rdzvId": "seven",
        "rdzvConf": [{"key": "timeout", "value": "60"}, {"key": "read_timeout", "value": "20"}],
        "nProcPerNode": 4,
        "standalone": True,
    }

    assert environment(a_job(FRAMEWORK, {"Worker": 2}, elasticPolicy=policy), "Worker", 0) == [
        "PYTHONUNBUFFERED=1",
        "PET_RDZV_ENDPOINT=etcd-service:2379",
        "PET_RDZV_BACKEND=etcd",
        "PET_NNODES=2:2",
        "PET_RDZV_ID=seven",
        "PET_RDZV_CONF=timeout=60,read_timeout=20",
        "PET_NPROC_PER_NODE=4",
        "PET_STANDALONE=1",
        "TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1",
    ]


def test_a_port_of_the_templates_own_is_used() -> None:
    job = a_job(FRAMEWORK, {"Worker": 2}, port=5000, elasticPolicy={})

    assert "PET_RDZV_ENDPOINT=demo-worker-0:5000" in environment(job, "Worker", 0)


@pytest.mark.parametrize(
    ("policy", "nodes"),
    [
        ({}, "2:2"),
        ({"minReplicas": 1}, "1:1"),
        ({"maxReplicas": 4}, "4:4"),
        ({"minReplicas": 1, "maxReplicas": 4}, "1:4"),
    ],
)
def test_one_bound_stands_for_both_and_none_for_as_many_as_there_are(policy: Object, nodes: str) -> None:
    job = a_job(FRAMEWORK, {"Worker": 2}, elasticPolicy=policy)

    assert f"PET_NNODES={nodes}" in environment(job, "Worker", 0)


@pytest.mark.parametrize(
    ("counts", "spec", "leading", "members"),
    [
        (WITH_MASTER, {}, Leading("Master"), 3),
        ({"Worker": 3}, {}, Leading("Worker"), 3),
        ({"Worker": 3}, {"elasticPolicy": {"minReplicas": 1, "maxReplicas": 4}}, Leading("Worker", "any"), 1),
        (WITH_MASTER, {"elasticPolicy": {"minReplicas": 1, "maxReplicas": 4}}, Leading("Master"), 2),
        ({"Worker": 1}, {"elasticPolicy": {"minReplicas": 2}}, Leading("Worker", "any"), 1),
    ],
)
def test_who_decides_and_how_many_start_together(
    counts: dict[str, int], spec: dict[str, Any], leading: Leading, members: int
) -> None:
    job = a_job(FRAMEWORK, counts, **spec)

    assert (FRAMEWORK.leading(job), FRAMEWORK.min_member(job)) == (leading, members)


def test_replicas_restart_on_failure() -> None:
    assert a_job(FRAMEWORK, {"Worker": 1}).replicas["Worker"].restart_policy == "OnFailure"


def _init_containers(job: Job, replica_type: str) -> list[Object]:
    template = {"spec": {"initContainers": [{"name": "mine"}], "containers": [{"name": "pytorch"}]}}
    return FRAMEWORK.shape(job, job.replicas[replica_type], 0, template)["spec"]["initContainers"]


def test_workers_wait_until_the_masters_name_resolves() -> None:
    mine, added = _init_containers(a_job(FRAMEWORK, WITH_MASTER), "Worker")

    assert mine == {"name": "mine"}
    assert (added["name"], added["image"]) == ("init-pytorch", "alpine:3.10")
    assert added["resources"] == {
        "limits": {"cpu": "100m", "memory": "20Mi"},
        "requests": {"cpu": "50m", "memory": "10Mi"},
    }
    assert "nslookup demo-master-0" in added["command"][2]
    assert "seq 100" in added["command"][2]


def test_the_operator_says_what_waits_and_how_often_it_looks() -> None:
    options = Options(pytorch_init_container_image="busybox:1", pytorch_init_container_max_tries=7)
    _, added = _init_containers(a_job(FRAMEWORK, WITH_MASTER, options), "Worker")

    assert added["image"] == "busybox:1"
    assert "seq 7)" in added["command"][2]


@pytest.mark.parametrize(
    ("counts", "replica_type", "annotations"),
    [
        (WITH_MASTER, "Master", {}),
        ({"Worker": 2}, "Worker", {}),
        (WITH_MASTER, "Worker", {"training.windlass.dev/wait-for-master": "false"}),
    ],
)
def test_nobody_else_waits(counts: dict[str, int], replica_type: str, annotations: dict[str, str]) -> None:
    job = a_job(FRAMEWORK, counts, annotations=annotations)

    assert _init_containers(job, replica_type) == [{"name": "mine"}]


def test_metrics_make_an_autoscaler_between_the_bounds() -> None:
    policy = {"minReplicas": 1, "maxReplicas": 4, "metrics": METRICS}
    [scaler] = FRAMEWORK.extras(a_job(FRAMEWORK, {"Worker": 2}, elasticPolicy=policy), [])

    assert isinstance(scaler, HorizontalPodAutoscaler)
    assert (scaler.metadata.namespace, scaler.metadata.name) == ("team-a", "demo")
    assert scaler.spec == HorizontalPodAutoscalerSpec(
        scale_target_ref=CrossVersionObjectReference(api_version="kubeflow.org/v1", kind="PyTorchJob", name="demo"),
        min_replicas=1,
        max_replicas=4,
        metrics=METRICS,
    )


@pytest.mark.parametrize("spec", [{}, {"elasticPolicy": {"minReplicas": 1}}])
def test_without_metrics_there_is_no_autoscaler(spec: dict[str, Any]) -> None:
    assert FRAMEWORK.extras(a_job(FRAMEWORK, {"Worker": 2}, **spec), []) == []
