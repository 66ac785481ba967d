"""JAXJob: identical workers, of which the first coordinates."""

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
    worker_scale,
)
from windlass.kube.json import Object
from windlass.kube.kind import kind


class JAXJobSpec(TrainingSpec):
    jax_replica_specs: Replicas


@kind(GROUP_VERSION, plural="jaxjobs", scale=worker_scale("jaxReplicaSpecs"), columns=STATE_AND_AGE)
class JAXJob(TrainingJob):
    """Trains with JAX: every worker is a process of `jax.distributed`."""

    spec: JAXJobSpec


def environment(job: Job, replica: Replica, index: int) -> Sequence[Object]:
    return [
        variable("PYTHONUNBUFFERED", 1),
        variable("COORDINATOR_PORT", replica.port),
        variable("COORDINATOR_ADDRESS", job.pod_name("Worker", 0)),
        variable("NUM_PROCESSES", job.total),
        variable("PROCESS_ID", index),
    ]


FRAMEWORK = Framework(
    kind=JAXJob,
    specs="jax_replica_specs",
    replica_types=("Worker",),
    leading=lambda job: Leading("Worker"),
    environment=environment,
    container="jax",
    metrics_name="jax",
    port_name="jaxjob-port",
    port=6666,
)
