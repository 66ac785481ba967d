"""MXJob: scheduler, servers and workers of MXNet (and BytePS), or a tuner with its tracker and servers."""

from collections.abc import Sequence

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
from windlass.kube.json import Object, dig_object, encode
from windlass.kube.kind import kind

TUNER_SERVER_KEY = "tuner-server-key"
"""Annotation of a pod template, passed to all pods in MX_CONFIG."""


class MXJobSpec(TrainingSpec):
    mx_replica_specs: Replicas
    job_mode: str


@kind(GROUP_VERSION, plural="mxjobs", columns=STATE_AND_AGE)
class MXJob(TrainingJob):
    """Trains with Apache MXNet, or tunes with TVM. MXNet is retired; jobs that use its variables still run."""

    spec: MXJobSpec


def leading(job: Job) -> Leading:
    """The scheduler; without one, the tuner or else the worker."""
    for leader in ("Scheduler", "Tuner"):
        if leader in job.replicas:
            return Leading(leader)
    return Leading("Worker")


def environment(job: Job, replica: Replica, index: int) -> Sequence[Object]:
    scheduler = job.replicas.get("Scheduler")
    variables = [
        variable("MX_CONFIG", encode(_config(job, replica, index)).decode()),
        variable("DMLC_PS_ROOT_PORT", scheduler.port if scheduler else 0),
        variable("DMLC_PS_ROOT_URI", job.pod_name("Scheduler", 0) if scheduler else ""),
        variable("DMLC_NUM_SERVER", job.count("Server")),
        variable("DMLC_NUM_WORKER", job.count("Worker")),
        variable("DMLC_ROLE", replica.label),
        variable("DMLC_USE_KUBERNETES", 1),
    ]
    return [*variables, variable("DMLC_WORKER_ID", index)] if replica.type == "Worker" else variables


def _config(job: Job, replica: Replica, index: int) -> Object:
    roles = sorted(job.replicas.values(), key=lambda role: role.label)
    return {
        "cluster": {
            role.label: [{"url": name, "port": role.port} for name in job.pod_names(role.type)] for role in roles
        },
        "labels": {
            role.label: dig_object(role.template, "metadata", "annotations").get(TUNER_SERVER_KEY, "") for role in roles
        },
        "task": {"type": replica.label, "index": index},
    }


FRAMEWORK = Framework(
    kind=MXJob,
    specs="mx_replica_specs",
    replica_types=("Scheduler", "Server", "Worker", "TunerTracker", "TunerServer", "Tuner"),
    leading=leading,
    environment=environment,
    container="mxnet",
    metrics_name="mxnet",
    port_name="mxjob-port",
    port=9091,
    master_type="Server",
    messages_have_namespace=lambda job: False,
)
