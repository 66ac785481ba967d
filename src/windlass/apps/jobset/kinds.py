"""jobset.x-k8s.io/v1alpha2: Jobs that form one workload and start, fail and end together."""

from typing import Annotated, Any, Literal, TypeAlias

from windlass.apis.fields import Count, Int32, Moment
from windlass.kube.json import Object as Json
from windlass.kube.kind import Column, kind
from windlass.kube.meta import Meta, Object, Struct, field

GROUP = "jobset.x-k8s.io"
GROUP_VERSION = f"{GROUP}/v1alpha2"

_IMMUTABLE: Json = {"x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "Value is immutable"}]}
_BY_NAME: Json = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
_BY_TYPE: Json = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"]}
_ATOMIC: Json = {"x-kubernetes-list-type": "atomic"}
_ORDER_SAID_TWICE: Json = {
    "x-kubernetes-validations": [
        {
            "rule": "!(has(self.startupPolicy) && self.startupPolicy.startupPolicyOrder == 'InOrder' && "
            "self.replicatedJobs.exists(x, has(x.dependsOn)))",
            "message": "StartupPolicy and DependsOn APIs are mutually exclusive",
        }
    ]
}
_CLAIMS_OF_ONE_NAMESPACE: Json = {
    "x-kubernetes-validations": [
        {
            "rule": "self.templates.all(t, !has(t.metadata.namespace) || size(t.metadata.namespace) == 0)",
            "message": "namespace cannot be set for VolumeClaimPolicies templates",
        }
    ]
}

JobTemplate: TypeAlias = Annotated[
    dict[str, Any], Meta(extra_json_schema={"x-windlass-definition": "io.k8s.api.batch.v1.JobTemplateSpec"})
]
"""Kubernetes' own JobTemplateSpec, preserved as written."""
ClaimTemplate: TypeAlias = Annotated[
    dict[str, Any], Meta(extra_json_schema={"x-windlass-definition": "io.k8s.api.core.v1.PersistentVolumeClaim"})
]
Names: TypeAlias = Annotated[list[str], Meta(extra_json_schema=_ATOMIC)]

FailureAction: TypeAlias = Literal[
    "FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts", "RestartJob", "RestartJobAndIgnoreMaxRestarts"
]
RestartStrategy: TypeAlias = Literal["Recreate", "BlockingRecreate", "InPlaceRestart"]


class DependsOn(Struct):
    """Required state of a preceding replicated job."""

    name: str
    status: Annotated[
        Literal["Ready", "Complete"],
        Meta(extra_json_schema={"description": "State that the replicated job must have reached."}),
    ]


class ReplicatedJob(Struct):
    """Identical Jobs created from one template."""

    name: str
    group_name: str = "default"
    template: JobTemplate
    replicas: Annotated[int, Meta(extra_json_schema={"format": "int32", "default": 1})] = 1
    depends_on: Annotated[list[DependsOn], Meta(max_length=5, extra_json_schema=_BY_NAME | _IMMUTABLE)] = []


class Network(Struct):
    """DNS settings of the pods."""

    enable_dns_hostnames: bool | None = field(name="enableDNSHostnames", default=None)
    subdomain: str = ""
    publish_not_ready_addresses: bool | None = None


class SuccessPolicy(Struct):
    """When the JobSet counts as succeeded."""

    operator: Literal["All", "Any"]
    target_replicated_jobs: Names = []


class FailurePolicyRule(Struct):
    """Action for Jobs that fail for certain reasons."""

    name: str
    action: FailureAction
    on_job_failure_reasons: list[str] = []
    on_job_failure_message_patterns: list[str] = []
    target_replicated_jobs: Names = []


class FailurePolicy(Struct):
    """Actions for failed Jobs. The first matching rule applies; if none matches, all Jobs are restarted."""

    max_restarts: Int32 = 0
    restart_strategy: RestartStrategy = "Recreate"
    rules: list[FailurePolicyRule] = []


class StartupPolicy(Struct):
    """Order in which the replicated jobs start."""

    startup_policy_order: Literal["AnyOrder", "InOrder"]


class Coordinator(Struct):
    """Pod whose address is set on all other pods."""

    replicated_job: str
    job_index: int = 0
    pod_index: int = 0


class VolumeRetentionPolicy(Struct):
    when_deleted: Literal["Delete", "Retain"] = "Delete"


class VolumeClaimPolicy(Struct):
    """Claims that all Jobs of the set share."""

    templates: Annotated[list[ClaimTemplate], Meta(max_length=50, extra_json_schema=_ATOMIC)] = []
    retention_policy: VolumeRetentionPolicy | None = None


ClaimPolicy: TypeAlias = Annotated[VolumeClaimPolicy, Meta(extra_json_schema=_CLAIMS_OF_ONE_NAMESPACE)]


class JobSetSpec(Struct):
    replicated_jobs: Annotated[list[ReplicatedJob], Meta(extra_json_schema=_BY_NAME)] = []
    network: Annotated[Network, Meta(extra_json_schema=_IMMUTABLE)] | None = None
    success_policy: Annotated[SuccessPolicy, Meta(extra_json_schema=_IMMUTABLE)] | None = None
    failure_policy: Annotated[FailurePolicy, Meta(extra_json_schema=_IMMUTABLE)] | None = None
    startup_policy: Annotated[StartupPolicy, Meta(extra_json_schema=_IMMUTABLE)] | None = None
    suspend: bool | None = None
    coordinator: Coordinator | None = None
    managed_by: str | None = None
    ttl_seconds_after_finished: Count | None = None
    volume_claim_policies: Annotated[
        list[ClaimPolicy], Meta(max_length=50, extra_json_schema=_ATOMIC | _IMMUTABLE)
    ] = []


class JobSetCondition(Struct):
    """Observation of one aspect of the JobSet's state."""

    type: str
    status: Literal["True", "False", "Unknown"]
    observed_generation: Annotated[int, Meta(ge=0, extra_json_schema={"format": "int64"})] = 0
    last_transition_time: Moment
    reason: str
    message: str


class ReplicatedJobStatus(Struct):
    """Number of Jobs of one replicated job in each state; restarts are those of individual Jobs, by index."""

    name: str
    ready: Int32
    succeeded: Int32
    failed: Int32
    active: Int32
    suspended: Int32
    job_restarts: Annotated[list[Int32], Meta(max_length=1024, extra_json_schema=_ATOMIC)] = []
    job_restarts_count_towards_max: Annotated[list[Int32], Meta(max_length=1024, extra_json_schema=_ATOMIC)] = []


class JobSetStatus(Struct):
    conditions: Annotated[list[JobSetCondition], Meta(extra_json_schema=_BY_TYPE)] = []
    restarts: Int32 | None = None
    restarts_count_towards_max: Int32 = 0
    terminal_state: str = ""
    replicated_jobs_status: Annotated[list[ReplicatedJobStatus], Meta(extra_json_schema=_BY_NAME)] = []
    previous_in_place_restart_attempt: Count | None = None
    current_in_place_restart_attempt: Count | None = None


@kind(
    GROUP_VERSION,
    plural="jobsets",
    columns=(
        Column("TerminalState", ".status.terminalState", description="Final state of JobSet"),
        Column("Restarts", ".status.restarts", description="Number of restarts"),
        Column("Completed", '.status.conditions[?(@.type=="Completed")].status'),
        Column("Suspended", ".spec.suspend", description="JobSet suspended"),
        Column("Age", ".metadata.creationTimestamp", "date", description="Time this JobSet was created"),
    ),
)
class JobSet(Object):
    """Manages Jobs that form one workload."""

    spec: Annotated[JobSetSpec, Meta(extra_json_schema=_ORDER_SAID_TWICE)] = JobSetSpec()
    status: JobSetStatus = JobSetStatus()
