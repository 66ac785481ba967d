"""TFJob: parameter servers, workers and a chief, which find each other by TF_CONFIG."""

from collections.abc import Sequence
from typing import cast

from windlass.apis.env_variables import variable
from windlass.apps.training.framework import Framework, Leading
from windlass.apps.training.job import Job, Replica
from windlass.apps.training.kinds.common import (
    GROUP_VERSION,
    STATE_AND_AGE,
    Replicas,
    TrainingJob,
    TrainingSpec,
)
from windlass.kube.json import Object, encode
from windlass.kube.kind import kind


class TFJobSpec(TrainingSpec):
    tf_replica_specs: Replicas
    success_policy: str | None = None
    enable_dynamic_worker: bool = False


@kind(GROUP_VERSION, plural="tfjobs", columns=STATE_AND_AGE)
class TFJob(TrainingJob):
    """Trains with TensorFlow, distributed by any of its strategies."""

    spec: TFJobSpec


def _spec(job: Job) -> TFJobSpec:
    return cast(TFJob, job.obj).spec


def leading(job: Job) -> Leading:
    """The chief or master; without one the first worker, or all workers if the success policy says so."""
    for chief in ("Chief", "Master"):
        if chief in job.replicas:
            return Leading(chief)
    return Leading("Worker", "all" if _spec(job).success_policy == "AllWorkers" else "first")


def environment(job: Job, replica: Replica, index: int) -> Sequence[Object]:
    if job.total == 1:  # no peers to name; TensorFlow would take it for a cluster of one
        return []
    task = {"type": replica.label, "index": index}
    if _spec(job).enable_dynamic_worker:
        config: Object = {"cluster": _sparse_cluster(job, replica, index), "task": task}
    else:
        config = {"cluster": _cluster(job), "task": task, "environment": "cloud"}
    return [variable("TF_CONFIG", encode(config).decode())]


def _cluster(job: Job) -> dict[str, list[str]]:
    """The addresses of all replicas, by role."""
    return {replica.label: _addresses(job, replica) for replica in sorted(job.replicas.values(), key=_label)}


def _sparse_cluster(job: Job, replica: Replica, index: int) -> Object:
    """The addresses that stay valid while workers come and go: a worker's own, and the parameter servers'."""
    servers = _addresses(job, job.replicas["PS"]) if "PS" in job.replicas else []
    own = _addresses(job, replica)
    match replica.type:
        case "Worker":
            return {"worker": {str(index): own[index]}, "ps": servers}
        case "PS":
            return {"worker": {}, "ps": [own[index]]}
        case _:
            return {"worker": {}, "ps": servers, replica.label: own}


def _label(replica: Replica) -> str:
    return replica.label


def _addresses(job: Job, replica: Replica) -> list[str]:
    domain = f".{job.options.cluster_domain}" if job.options.cluster_domain else ""
    return [f"{name}.{job.namespace}.svc{domain}:{replica.port}" for name in job.pod_names(replica.type)]


FRAMEWORK = Framework(
    kind=TFJob,
    specs="tf_replica_specs",
    replica_types=("PS", "Worker", "Chief", "Master", "Evaluator"),
    leading=leading,
    environment=environment,
    container="tensorflow",
    metrics_name="tensorflow",
    port_name="tfjob-port",
    port=2222,
    every_container=False,
    messages_have_namespace=lambda job: True,
    tolerates_failure=lambda job, replica_type: replica_type == "Worker" and _spec(job).enable_dynamic_worker,
)
