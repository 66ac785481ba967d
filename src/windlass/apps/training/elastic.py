"""Elastic jobs: between a minimum and a maximum number of workers, which may be added and removed during training."""

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

from windlass.apis.autoscaling_v2 import (
    CrossVersionObjectReference,
    HorizontalPodAutoscaler,
    HorizontalPodAutoscalerSpec,
)
from windlass.apis.env_variables import variable
from windlass.apis.fields import Int32
from windlass.apps.training.job import Job
from windlass.apps.training.kinds.common import GROUP_VERSION
from windlass.kube.json import Object
from windlass.kube.meta import Meta, ObjectMeta, Struct

Metric: TypeAlias = Annotated[
    dict[str, Any], Meta(extra_json_schema={"x-windlass-definition": "io.k8s.api.autoscaling.v2.MetricSpec"})
]

ALONE = "TORCH_DISABLE_SHARE_RDZV_TCP_STORE"
"""Set so that workers can join later: torchrun announces its store in the first round only (pytorch#135712). A worker
that joins later waits a minute for the store, and then all workers restart; observed with torch 2.13.
"""


class ElasticPolicy(Struct):
    """Bounds and autoscaling of the number of workers."""

    min_replicas: Int32 | None = None
    max_replicas: Int32 | None = None
    max_restarts: Int32 | None = None
    metrics: list[Metric] = []


class RendezvousSetting(Struct):
    key: str = ""
    value: str = ""


class TorchElasticPolicy(ElasticPolicy):
    """Elastic policy with the rendezvous settings of torchrun."""

    rdzv_backend: str | None = None
    rdzv_port: Int32 | None = None
    rdzv_host: str | None = None
    rdzv_id: str | None = None
    rdzv_conf: list[RendezvousSetting] = []
    standalone: bool | None = None
    n_proc_per_node: Int32 | None = None


def bounds(job: Job, policy: ElasticPolicy) -> tuple[int, int]:
    """The minimum and maximum number of workers. If only one is set, it is both; if none is, the number of replicas."""
    minimum = policy.max_replicas if policy.min_replicas is None else policy.min_replicas
    maximum = policy.min_replicas if policy.max_replicas is None else policy.max_replicas
    workers = job.count("Worker")
    return workers if minimum is None else minimum, workers if maximum is None else maximum


def min_member(job: Job, policy: ElasticPolicy) -> int:
    """The minimum number of workers: elastic workers need not all start together."""
    workers = job.count("Worker")
    return job.total - workers + min(workers, bounds(job, policy)[0])


def environment(job: Job, policy: TorchElasticPolicy) -> Sequence[Object]:
    """The variables that torchrun gets instead of a fixed number of nodes."""
    minimum, maximum = bounds(job, policy)
    host = job.pod_name("Worker", 0) if policy.rdzv_host is None else policy.rdzv_host
    workers = job.replicas.get("Worker")
    port = policy.rdzv_port or (workers.port if workers else job.framework.port)
    variables = {
        "PET_RDZV_ENDPOINT": f"{host}:{port}",
        "PET_RDZV_BACKEND": policy.rdzv_backend or "c10d",
        "PET_NNODES": f"{minimum}:{maximum}",
        "PET_MAX_RESTARTS": policy.max_restarts,
        "PET_RDZV_ID": policy.rdzv_id,
        "PET_RDZV_CONF": ",".join(f"{setting.key}={setting.value}" for setting in policy.rdzv_conf) or None,
        "PET_NPROC_PER_NODE": policy.n_proc_per_node,
        "PET_STANDALONE": 1 if policy.standalone else None,  # upstream's "" is no number, and torchrun wants one
        ALONE: 1,
    }
    return [variable(name, value) for name, value in variables.items() if value is not None]


def autoscaler(job: Job, policy: ElasticPolicy) -> HorizontalPodAutoscaler:
    """The autoscaler that scales the job's workers by the policy's metrics."""
    minimum, maximum = bounds(job, policy)
    return HorizontalPodAutoscaler(
        metadata=ObjectMeta(name=job.name, namespace=job.namespace),
        spec=HorizontalPodAutoscalerSpec(
            scale_target_ref=CrossVersionObjectReference(api_version=GROUP_VERSION, kind=job.kind, name=job.name),
            min_replicas=minimum,
            max_replicas=maximum,
            metrics=policy.metrics,
        ),
    )
