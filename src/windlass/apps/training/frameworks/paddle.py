"""PaddleJob: identical workers (collective), or masters with parameters and workers, for paddle.distributed.launch."""

from collections.abc import Sequence
from typing import cast

from windlass.apis.env_variables import variable
from windlass.apps.training.elastic import ElasticPolicy
from windlass.apps.training.framework import Framework, Leading
from windlass.apps.training.job import Job, Replica
from windlass.apps.training.kinds.common import (
    GROUP_VERSION,
    STATE_AND_AGE,
    Replicas,
    TrainingJob,
    TrainingSpec,
    worker_scale,
)
from windlass.kube.json import Object
from windlass.kube.kind import kind


class PaddleJobSpec(TrainingSpec):
    paddle_replica_specs: Replicas
    elastic_policy: ElasticPolicy | None = None


@kind(GROUP_VERSION, plural="paddlejobs", scale=worker_scale("paddleReplicaSpecs"), columns=STATE_AND_AGE)
class PaddleJob(TrainingJob):
    """Trains with PaddlePaddle."""

    spec: PaddleJobSpec


def _chief(job: Job) -> str:
    return "Master" if "Master" in job.replicas else "Worker"


def environment(job: Job, replica: Replica, index: int) -> Sequence[Object]:
    variables = [
        variable("PYTHONUNBUFFERED", 1),
        variable("PADDLE_JOB_ID", job.name),
        variable("PADDLE_NNODES", job.total),
        *_meeting_place(job, replica, index),
    ]
    if "Master" in job.replicas:
        variables.append(variable("PADDLE_SERVER_NUM" if replica.type == "Master" else "PADDLE_TRAINER_NUM", 1))
    policy = cast(PaddleJob, job.obj).spec.elastic_policy
    if policy and policy.max_restarts is not None:
        variables.append(variable("PADDLE_MAX_RESTART", policy.max_restarts))
    return variables


def _meeting_place(job: Job, replica: Replica, index: int) -> list[Object]:
    """The master address; for the first pod its own IP, since Paddle starts the store only at an address of its own."""
    chief = _chief(job)
    port = job.replicas[chief].port
    if (replica.type, index) != (chief, 0):
        return [variable("PADDLE_MASTER", f"{job.pod_name(chief, 0)}:{port}")]
    own_address = {"fieldRef": {"fieldPath": "status.podIP"}}
    return [
        {"name": "POD_IP_DUMMY", "valueFrom": own_address},
        variable("PADDLE_MASTER", f"$(POD_IP_DUMMY):{port}"),
    ]


FRAMEWORK = Framework(
    kind=PaddleJob,
    specs="paddle_replica_specs",
    replica_types=("Master", "Worker"),
    leading=lambda job: Leading(_chief(job)),
    environment=environment,
    container="paddle",
    metrics_name="paddle",
    port_name="master",
    port=36543,
    restart_policy="OnFailure",
)
