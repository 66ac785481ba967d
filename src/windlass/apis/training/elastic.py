"""Elastic jobs: between a least and a greatest number of workers, who may come and go while they train."""

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

from windlass.apis.autoscaling_v2 import (
    CrossVersionObjectReference,
    HorizontalPodAutoscaler,
    HorizontalPodAutoscalerSpec,
)
from windlass.apis.fields import Int32
from windlass.apis.training.common import GROUP_VERSION
from windlass.apis.training.framework import variable
from windlass.apis.training.job import Job
from windlass.kube.json import Object
from windlass.kube.meta import Meta, ObjectMeta, Struct

Metric: TypeAlias = Annotated[
    dict[str, Any], Meta(extra_json_schema={"x-windlass-definition": "io.k8s.api.autoscaling.v2.MetricSpec"})
]

ALONE = "TORCH_DISABLE_SHARE_RDZV_TCP_STORE"
"""Set, so that workers may join later: torchrun tells where its store is in the first round only (pytorch#135712). Who
comes after that waits a minute for it, and then all of them start over; seen with torch 2.13."""


class ElasticPolicy(Struct):
    """How many workers there may be, and what to watch to decide on their number."""

    min_replicas: Int32 | None = None
    max_replicas: Int32 | None = None
    max_restarts: Int32 | None = None
    metrics: list[Metric] = []


class RendezvousSetting(Struct):
    key: str = ""
    value: str = ""


class TorchElasticPolicy(ElasticPolicy):
    """Also how torchrun's workers find each other."""

    rdzv_backend: str | None = None
    rdzv_port: Int32 | None = None
    rdzv_host: str | None = None
    rdzv_id: str | None = None
    rdzv_conf: list[RendezvousSetting] = []
    standalone: bool | None = None
    n_proc_per_node: Int32 | None = None


def bounds(job: Job, policy: ElasticPolicy) -> tuple[int, int]:
    """The least and the greatest number of workers: where only one is said both, else as many as there are."""
    least = policy.max_replicas if policy.min_replicas is None else policy.min_replicas
    greatest = policy.min_replicas if policy.max_replicas is None else policy.max_replicas
    workers = job.count("Worker")
    return workers if least is None else least, workers if greatest is None else greatest


def min_member(job: Job, policy: ElasticPolicy) -> int:
    """Elastic workers need not all start together: the least number of them is enough."""
    workers = job.count("Worker")
    return job.total - workers + min(workers, bounds(job, policy)[0])


def environment(job: Job, policy: TorchElasticPolicy) -> Sequence[Object]:
    """What torchrun is told instead of a fixed number of nodes."""
    least, greatest = bounds(job, policy)
    host = job.pod_name("Worker", 0) if policy.rdzv_host is None else policy.rdzv_host
    workers = job.replicas.get("Worker")
    port = policy.rdzv_port or (workers.port if workers else job.framework.port)
    variables = {
        "PET_RDZV_ENDPOINT": f"{host}:{port}",
        "PET_RDZV_BACKEND": policy.rdzv_backend or "c10d",
        "PET_NNODES": f"{least}:{greatest}",
        "PET_MAX_RESTARTS": policy.max_restarts,
        "PET_RDZV_ID": policy.rdzv_id,
        "PET_RDZV_CONF": ",".join(f"{setting.key}={setting.value}" for setting in policy.rdzv_conf) or None,
        "PET_NPROC_PER_NODE": policy.n_proc_per_node,
        "PET_STANDALONE": 1 if policy.standalone else None,  # upstream's "" is no number, and torchrun wants one
        ALONE: 1,
    }
    return [variable(name, value) for name, value in variables.items() if value is not None]


def autoscaler(job: Job, policy: ElasticPolicy) -> HorizontalPodAutoscaler:
    """Scales the job's workers by the policy's metrics."""
    least, greatest = bounds(job, policy)
    return HorizontalPodAutoscaler(
        metadata=ObjectMeta(name=job.name, namespace=job.namespace),
        spec=HorizontalPodAutoscalerSpec(
            scale_target_ref=CrossVersionObjectReference(api_version=GROUP_VERSION, kind=job.kind, name=job.name),
            min_replicas=least,
            max_replicas=greatest,
            metrics=policy.metrics,
        ),
    )
