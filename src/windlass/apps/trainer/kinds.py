"""trainer.kubeflow.org/v1alpha1: TrainJobs, and the runtimes that define how jobs of a framework run."""

from typing import Annotated, Any, Literal, TypeAlias

from windlass.apis.fields import Count, Foreign, Int32, Moment, Name
from windlass.apis.scheduling_volcano_v1beta1 import NetworkTopology
from windlass.apps.jobset.kinds import JobSetSpec
from windlass.kube.kind import Column, kind
from windlass.kube.meta import Condition, Meta, Object, Struct, field

GROUP = "trainer.kubeflow.org"
GROUP_VERSION = f"{GROUP}/v1alpha1"

THIS_CONTROLLER = f"{GROUP}/trainjob-controller"
MULTIKUEUE = "kueue.x-k8s.io/multikueue"

_FIXED = {"x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "field is immutable"}]}
_BY_NAME = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
_ATOMIC = {"x-kubernetes-list-type": "atomic"}


def _core(name: str) -> Meta:
    """A type of Kubernetes' own API, with its full schema."""
    return Meta(extra_json_schema={"x-windlass-definition": f"io.k8s.api.core.v1.{name}"})


_EnvVar: TypeAlias = Annotated[dict[str, Any], _core("EnvVar")]
_Resources: TypeAlias = Annotated[dict[str, Any], _core("ResourceRequirements")]
_Volume: TypeAlias = Annotated[dict[str, Any], _core("Volume")]
_Mount: TypeAlias = Annotated[dict[str, Any], _core("VolumeMount")]
_Secret: TypeAlias = Annotated[dict[str, Any], _core("LocalObjectReference")]
_Toleration: TypeAlias = Annotated[dict[str, Any], _core("Toleration")]
_Gate: TypeAlias = Annotated[dict[str, Any], _core("PodSchedulingGate")]
_Affinity: TypeAlias = Annotated[dict[str, Any], _core("Affinity")]
_SecurityContext: TypeAlias = Annotated[dict[str, Any], _core("SecurityContext")]
_PodSecurityContext: TypeAlias = Annotated[dict[str, Any], _core("PodSecurityContext")]

_Env: TypeAlias = Annotated[list[_EnvVar], Meta(max_length=128, extra_json_schema=_BY_NAME)]
_Words: TypeAlias = Annotated[
    list[Annotated[str, Meta(max_length=65536)]], Meta(max_length=128, extra_json_schema=_ATOMIC)
]
_Uri: TypeAlias = Annotated[str, Meta(max_length=2048)]


# --- runtimes


class TorchPolicy(Struct):
    """PyTorch: torchrun with `PET_` variables on every node."""

    env_injection: Foreign | None = None


class MPIPolicy(Struct):
    """MPI: mpirun from a launcher, over SSH."""

    num_proc_per_node: Annotated[int, Meta(ge=1, extra_json_schema={"format": "int32"})] = 1
    mpi_implementation: Literal["OpenMPI", ""] = "OpenMPI"
    ssh_auth_mount_path: str = "/root/.ssh"
    run_launcher_as_node: bool = False


class JAXPolicy(Struct):
    """JAX: a coordinator, and an index for each process."""


class XGBoostPolicy(Struct):
    """XGBoost: a tracker on the first node, to which the others connect."""


class FluxPolicy(Struct):
    """Flux, which is not supported."""

    num_proc_per_node: Int32 | None = None


class MLPolicy(Struct):
    """Number of nodes and the framework that connects them; at most one framework may be set."""

    num_nodes: Annotated[int, Meta(ge=1, extra_json_schema={"format": "int32"})] | None = None
    torch: TorchPolicy | None = None
    mpi: MPIPolicy | None = None
    jax: JAXPolicy | None = None
    xgboost: XGBoostPolicy | None = None
    flux: FluxPolicy | None = None


class CoschedulingPolicy(Struct):
    schedule_timeout_seconds: Int32 = 60


class VolcanoPolicy(Struct):
    network_topology: NetworkTopology | None = None


class PodGroupPolicy(Struct):
    """Gang scheduler that starts all pods together; at most one may be set."""

    coscheduling: CoschedulingPolicy | None = None
    volcano: VolcanoPolicy | None = None


class JobSetTemplate(Struct):
    """Template of the JobSet of a job."""

    metadata: Foreign = {}
    spec: JobSetSpec = JobSetSpec()


class RuntimeSpec(Struct):
    ml_policy: MLPolicy | None = field(name="mlPolicy", default=None)
    pod_group_policy: PodGroupPolicy | None = None
    template: JobSetTemplate = JobSetTemplate()


class Runtime(Object):
    """The base of both kinds of runtimes."""

    spec: RuntimeSpec = RuntimeSpec()


@kind(GROUP_VERSION, plural="trainingruntimes", status=False)
class TrainingRuntime(Runtime):
    """Defines how training jobs of a framework run in one namespace."""


@kind(GROUP_VERSION, plural="clustertrainingruntimes", namespaced=False, status=False)
class ClusterTrainingRuntime(Runtime):
    """Defines how training jobs of a framework run in any namespace."""


# --- jobs


class RuntimeRef(Struct):
    name: Annotated[str, Meta(min_length=1, max_length=253)]
    api_group: Name = GROUP
    kind: Name = "ClusterTrainingRuntime"


class DatasetInitializer(Struct):
    """Downloads the dataset before training starts."""

    storage_uri: Annotated[_Uri, Meta(pattern=r"^([A-Za-z][A-Za-z0-9+.-]*://.+|/.*)$")] | None = None
    env: _Env = []
    secret_ref: _Secret | None = None


class ModelInitializer(Struct):
    """Downloads a pretrained model before training starts."""

    storage_uri: _Uri | None = None
    env: _Env = []
    secret_ref: _Secret | None = None


class Initializer(Struct):
    dataset: DatasetInitializer | None = None
    model: ModelInitializer | None = None


class Trainer(Struct):
    """Overrides of the training container of the runtime."""

    image: Annotated[str, Meta(max_length=500)] | None = None
    command: _Words | None = None
    args: _Words | None = None
    env: _Env = []
    num_nodes: Int32 | None = None
    resources_per_node: _Resources | None = None
    num_proc_per_node: Int32 | None = None


class MetadataPatch(Struct):
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}


class ContainerPatch(Struct):
    """Changes to a container of the runtime."""

    name: Annotated[str, Meta(min_length=1, max_length=253)]
    env: _Env = []
    volume_mounts: Annotated[list[_Mount], Meta(max_length=128, extra_json_schema=_BY_NAME)] = []
    security_context: _SecurityContext | None = None


_Containers: TypeAlias = Annotated[list[ContainerPatch], Meta(max_length=64, extra_json_schema={**_BY_NAME, **_FIXED})]


class PodSpecPatch(Struct):
    service_account_name: Annotated[Name, Meta(extra_json_schema=_FIXED)] | None = None
    volumes: Annotated[list[_Volume], Meta(max_length=128, extra_json_schema={**_BY_NAME, **_FIXED})] = []
    init_containers: _Containers = []
    containers: _Containers = []
    image_pull_secrets: Annotated[list[_Secret], Meta(max_length=64, extra_json_schema={**_BY_NAME, **_FIXED})] = []
    security_context: Annotated[_PodSecurityContext, Meta(extra_json_schema=_FIXED)] | None = None
    node_selector: dict[str, str] = {}
    affinity: _Affinity | None = None
    tolerations: Annotated[list[_Toleration], Meta(max_length=128, extra_json_schema=_ATOMIC)] = []
    scheduling_gates: Annotated[list[_Gate], Meta(max_length=16, extra_json_schema=_BY_NAME)] = []


class PodTemplatePatch(Struct):
    metadata: MetadataPatch | None = None
    spec: PodSpecPatch | None = None


class JobSpecPatch(Struct):
    template: PodTemplatePatch | None = None


class JobTemplatePatch(Struct):
    metadata: MetadataPatch | None = None
    spec: JobSpecPatch | None = None


class ReplicatedJobPatch(Struct):
    name: Annotated[str, Meta(min_length=1, max_length=253, pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]
    template: JobTemplatePatch | None = None


class JobSetSpecPatch(Struct):
    replicated_jobs: Annotated[list[ReplicatedJobPatch], Meta(max_length=100, extra_json_schema=_BY_NAME)] = []


class JobSetTemplatePatch(Struct):
    metadata: MetadataPatch | None = None
    spec: JobSetSpecPatch | None = None


class RuntimeSpecPatch(Struct):
    template: JobSetTemplatePatch | None = None


class RuntimePatch(Struct):
    """Changes that one manager makes to the runtime for this job."""

    manager: Annotated[str, Meta(min_length=1, max_length=253, extra_json_schema=_FIXED)]
    time: Moment | None = None
    training_runtime_spec: RuntimeSpecPatch | None = None


_MANAGERS = {
    "x-kubernetes-validations": [
        {
            "rule": f"self in ['{THIS_CONTROLLER}', '{MULTIKUEUE}']",
            "message": f"ManagedBy must be {THIS_CONTROLLER} or {MULTIKUEUE} if set",
        },
        *_FIXED["x-kubernetes-validations"],
    ]
}


class TrainJobSpec(Struct):
    runtime_ref: Annotated[RuntimeRef, Meta(extra_json_schema=_FIXED)]
    initializer: Annotated[Initializer, Meta(extra_json_schema=_FIXED)] | None = None
    trainer: Annotated[Trainer, Meta(extra_json_schema=_FIXED)] | None = None
    runtime_patches: Annotated[
        list[RuntimePatch],
        Meta(max_length=16, extra_json_schema={**_BY_NAME, "x-kubernetes-list-map-keys": ["manager"]}),
    ] = []
    suspend: Annotated[bool, Meta(extra_json_schema={"default": False})] | None = None
    active_deadline_seconds: Annotated[int, Meta(ge=1, extra_json_schema={"format": "int64", **_FIXED})] | None = None
    managed_by: Annotated[Name, Meta(extra_json_schema=_MANAGERS)] = THIS_CONTROLLER


class JobStatus(Struct):
    """Number of Jobs of one replicated job in each state, including zeros."""

    name: Annotated[str, Meta(min_length=1, max_length=253)]
    ready: Count
    succeeded: Count
    failed: Count
    active: Count
    suspended: Count


class Metric(Struct):
    name: Annotated[str, Meta(min_length=1, max_length=64)]
    value: Annotated[str, Meta(min_length=1, max_length=64)]


class TrainerStatus(Struct):
    """Progress reported by the training code."""

    progress_percentage: Annotated[int, Meta(ge=0, le=100, extra_json_schema={"format": "int32"})] | None = None
    estimated_remaining_seconds: Count | None = None
    metrics: Annotated[list[Metric], Meta(max_length=256, extra_json_schema=_ATOMIC)] = []
    last_updated_time: Moment


class TrainJobStatus(Struct):
    conditions: Annotated[
        list[Condition],
        Meta(max_length=8, extra_json_schema={**_BY_NAME, "x-kubernetes-list-map-keys": ["type"]}),
    ] = []
    jobs_status: Annotated[list[JobStatus], Meta(max_length=100, extra_json_schema=_BY_NAME)] = []
    trainer_status: TrainerStatus | None = None


@kind(
    GROUP_VERSION,
    plural="trainjobs",
    columns=(
        Column("State", ".status.conditions[-1:].type"),
        Column("Age", ".metadata.creationTimestamp", "date"),
    ),
)
class TrainJob(Object):
    """Runs a training job as defined by a runtime."""

    spec: TrainJobSpec
    status: TrainJobStatus = TrainJobStatus()
