"""XGBoostJob: a master that tracks the workers, for XGBoost's collective and for LightGBM."""

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
from windlass.kube.json import Object
from windlass.kube.kind import kind


class XGBoostJobSpec(TrainingSpec):
    xgb_replica_specs: Replicas


@kind(GROUP_VERSION, plural="xgboostjobs", columns=STATE_AND_AGE)
class XGBoostJob(TrainingJob):
    """Trains with XGBoost or LightGBM; the master is rank 0 and runs the tracker."""

    spec: XGBoostJobSpec


def environment(job: Job, replica: Replica, index: int) -> Sequence[Object]:
    master = job.replicas.get("Master", replica)
    variables = [
        variable("MASTER_PORT", master.port),
        variable("MASTER_ADDR", job.pod_name("Master", 0)),
        variable("WORLD_SIZE", job.total),
        variable("RANK", index if replica.type == "Master" else index + job.count("Master")),
        variable("PYTHONUNBUFFERED", 1),
    ]
    if job.total > 1 and "Worker" in job.replicas:
        variables += [
            variable("WORKER_PORT", job.replicas["Worker"].port),
            variable("WORKER_ADDRS", ",".join(job.pod_names("Worker"))),
        ]
    return variables


FRAMEWORK = Framework(
    kind=XGBoostJob,
    specs="xgb_replica_specs",
    replica_types=("Master", "Worker"),
    leading=lambda job: Leading("Master"),
    environment=environment,
    container="xgboost",
    metrics_name="xgboost",
    port_name="xgboostjob-port",
    port=9999,
)
