"""PyTorchJob: a master and workers, or workers alone, for env:// and for torchrun; optionally elastic."""

from collections.abc import Sequence
from typing import cast

from windlass.apis.autoscaling_v2 import HorizontalPodAutoscaler
from windlass.apis.core_v1 import Pod
from windlass.apis.env_variables import variable
from windlass.apps.training import elastic
from windlass.apps.training.elastic import TorchElasticPolicy
from windlass.apps.training.framework import Framework, Leading
from windlass.apps.training.job import OURS, Job, Replica
from windlass.apps.training.kinds.common import (
    GROUP_VERSION,
    STATE_AND_AGE,
    Replicas,
    TrainingJob,
    TrainingSpec,
    worker_scale,
)
from windlass.apps.training.waiting import init_containers
from windlass.kube.json import Object, dig_list
from windlass.kube.kind import kind

WAIT_FOR_MASTER = f"{OURS}wait-for-master"
"""Annotation of a job: "false" lets workers start before the master."""


class PyTorchJobSpec(TrainingSpec):
    pytorch_replica_specs: Replicas
    nproc_per_node: str | None = None
    elastic_policy: TorchElasticPolicy | None = None


@kind(GROUP_VERSION, plural="pytorchjobs", scale=worker_scale("pytorchReplicaSpecs"), columns=STATE_AND_AGE)
class PyTorchJob(TrainingJob):
    """Trains with PyTorch, distributed by `torch.distributed`."""

    spec: PyTorchJobSpec


def _spec(job: Job) -> PyTorchJobSpec:
    return cast(PyTorchJob, job.obj).spec


def _chief(job: Job) -> str:
    """The role whose first pod is the rendezvous host."""
    return "Master" if "Master" in job.replicas else "Worker"


def leading(job: Job) -> Leading:
    chief = _chief(job)
    return Leading(chief, "any" if chief == "Worker" and _spec(job).elastic_policy else "all")


def environment(job: Job, replica: Replica, index: int) -> Sequence[Object]:
    spec = _spec(job)
    variables = [variable("PYTHONUNBUFFERED", 1)]
    if "Master" in job.replicas or not spec.elastic_policy:
        variables += _static_rendezvous(job, replica, index)
    if not (spec.elastic_policy and spec.elastic_policy.n_proc_per_node):
        variables.append(variable("PET_NPROC_PER_NODE", spec.nproc_per_node or "auto"))
    if spec.elastic_policy:
        return [*variables, *elastic.environment(job, spec.elastic_policy)]
    return [*variables, variable("PET_NNODES", job.total)]


def _static_rendezvous(job: Job, replica: Replica, index: int) -> list[Object]:
    """The address of the first pod, and the rank of this pod, from which torchrun derives the ranks of processes."""
    chief = _chief(job)
    port, address = job.replicas[chief].port, job.pod_name(chief, 0)
    rank = index if replica.type == chief else index + job.count(chief)
    processes = _spec(job).nproc_per_node or ""
    return [
        variable("MASTER_PORT", port),
        variable("PET_MASTER_PORT", port),
        variable("MASTER_ADDR", address),
        variable("PET_MASTER_ADDR", address),
        variable("WORLD_SIZE", job.total * (int(processes) if processes.isdecimal() else 1)),
        variable("RANK", rank),
        variable("PET_NODE_RANK", rank),
    ]


def waiting_for_master(job: Job, replica: Replica, index: int, pod: Object) -> Object:
    """Add init containers that wait until the master is ready, which is when its name resolves, and listens."""
    if replica.type == "Master" or "Master" not in job.replicas or job.annotations.get(WAIT_FOR_MASTER) == "false":
        return pod
    added = init_containers(job.pod_name("Master", 0), job.replicas["Master"].port, job.options)
    spec: Object = pod["spec"]
    return {**pod, "spec": {**spec, "initContainers": [*dig_list(spec, "initContainers"), *added]}}


def autoscalers(job: Job, pods: Sequence[Pod]) -> Sequence[HorizontalPodAutoscaler]:
    policy = _spec(job).elastic_policy
    return [elastic.autoscaler(job, policy)] if policy and policy.metrics else []


def min_member(job: Job) -> int:
    policy = _spec(job).elastic_policy
    return elastic.min_member(job, policy) if policy else job.total


FRAMEWORK = Framework(
    kind=PyTorchJob,
    specs="pytorch_replica_specs",
    replica_types=("Master", "Worker"),
    leading=leading,
    environment=environment,
    container="pytorch",
    metrics_name="pytorch",
    port_name="pytorchjob-port",
    port=23456,
    restart_policy="OnFailure",
    min_member=min_member,
    shape=waiting_for_master,
    extras=autoscalers,
    extra_kinds=(HorizontalPodAutoscaler,),
)
