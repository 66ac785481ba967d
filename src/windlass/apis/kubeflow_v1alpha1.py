"""kubeflow.org/v1alpha1: ChainerJobs, PodDefaults (what pods of a namespace are given) and viewers of volumes."""

from windlass.apis.batch_v1 import JobStatus
from windlass.apis.core_v1 import LocalObjectReference
from windlass.apis.fields import Foreign, Int32, IntOrString
from windlass.apis.training.common import AGE, GROUP
from windlass.kube.kind import Column, kind
from windlass.kube.meta import LabelSelector, Object, Struct


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


class PodDefaultSpec(Struct):
    """What is added to the pods that the selector matches."""

    selector: LabelSelector
    desc: str = ""
    env: list[Foreign] = []
    env_from: list[Foreign] = []
    volumes: list[Foreign] = []
    volume_mounts: list[Foreign] = []
    tolerations: list[Foreign] = []
    image_pull_secrets: list[LocalObjectReference] = []
    annotations: dict[str, str] = {}
    labels: dict[str, str] = {}
    service_account_name: str = ""
    automount_service_account_token: bool | None = None
    command: list[str] = []
    args: list[str] = []
    init_containers: list[Foreign] = []
    sidecars: list[Foreign] = []


@kind(
    f"{GROUP}/v1alpha1",
    plural="poddefaults",
    status=False,
    columns=(Column("Description", ".spec.desc"), AGE),
)
class PodDefault(Object):
    """Environment, volumes and other settings that pods of the namespace get by their labels."""

    spec: PodDefaultSpec


class ViewerNetworking(Struct):
    """Route to the viewer."""

    target_port: IntOrString | None = None
    base_prefix: str = ""
    rewrite: str = ""
    timeout: str = ""


class PVCViewerSpec(Struct):
    pvc: str
    pod_spec: Foreign = {}
    networking: ViewerNetworking = ViewerNetworking()
    rwo_scheduling: bool = False


class PVCViewerStatus(Struct):
    """Observed state, written by the controller."""

    ready: bool = False
    url: str = ""
    conditions: list[Foreign] = []


@kind(
    f"{GROUP}/v1alpha1",
    plural="pvcviewers",
    columns=(Column("PVC", ".spec.pvc"), Column("Ready", ".status.ready", "boolean"), AGE),
)
class PVCViewer(Object):
    """A file browser for one volume."""

    spec: PVCViewerSpec
    status: PVCViewerStatus = PVCViewerStatus()
