"""kubeflow.org/v1alpha1: ChainerJob."""

from windlass.apis.batch_v1 import JobStatus
from windlass.apis.fields import AGE, Foreign, Int32
from windlass.apis.wellknown import KUBEFLOW_GROUP as GROUP
from windlass.kube.kind import kind
from windlass.kube.meta import Object, Struct


class MPIConfig(Struct):
    slots: Int32 | None = None


class MasterSpec(Struct):
    """Pod that starts the training. A single container in its template needs no name."""

    template: Foreign
    active_deadline_seconds: int | None = None
    backoff_limit: Int32 | None = None
    mpi_config: MPIConfig = MPIConfig()


class WorkerSetSpec(Struct):
    """Identical pods in which the master may start processes."""

    template: Foreign
    replicas: Int32 | None = None
    mpi_config: MPIConfig = MPIConfig()


class ChainerJobSpec(Struct):
    master: MasterSpec
    backend: str = ""
    worker_sets: dict[str, WorkerSetSpec] = {}


@kind(
    f"{GROUP}/v1alpha1",
    plural="chainerjobs",
    short=("chj", "chjs", "chjob", "chjobs"),
    categories=("all",),
    columns=(AGE,),
)
class ChainerJob(Object):
    """Trains with Chainer: one master, and sets of workers for ChainerMN. Its status is that of the master's Job."""

    spec: ChainerJobSpec
    status: JobStatus = JobStatus()
