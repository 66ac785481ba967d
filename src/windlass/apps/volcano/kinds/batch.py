"""batch.volcano.sh/v1alpha1: jobs whose tasks start together, and cron jobs that create them."""

from typing import Annotated, Any, Literal, TypeAlias

from windlass.apis.core_v1 import ObjectReference
from windlass.apis.fields import LABEL, Count, DnsName, Foreign, Int32, Moment, Name, PodTemplate
from windlass.apis.scheduling_volcano_v1beta1 import NetworkTopology
from windlass.apis.wellknown import VOLCANO_BATCH_GROUP
from windlass.apps.volcano.kinds.bus import Event
from windlass.kube.kind import Column, kind
from windlass.kube.meta import Meta, Object, Struct

GROUP = VOLCANO_BATCH_GROUP
GROUP_VERSION = f"{GROUP}/v1alpha1"

Duration: TypeAlias = Annotated[
    str, Meta(extra_json_schema={"pattern": r"^(0|([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$"})
]
"""A Go duration such as `5s` or `1h30m`."""
JobPhase: TypeAlias = Literal[
    "Pending",
    "Aborting",
    "Aborted",
    "Running",
    "Restarting",
    "Completing",
    "Completed",
    "Terminating",
    "Terminated",
    "Failed",
]
TopologyPolicy: TypeAlias = Literal["none", "best-effort", "restricted", "single-numa-node"]

_AtLeastOne: TypeAlias = Annotated[int, Meta(ge=1, extra_json_schema={"format": "int32"})]
_TaskRetries: TypeAlias = Annotated[int, Meta(ge=-1, extra_json_schema={"format": "int32"})]
_TaskName: TypeAlias = Annotated[str, Meta(max_length=63, pattern=f"^{LABEL}$")]
_ClaimSpec: TypeAlias = Annotated[
    dict[str, Any], Meta(extra_json_schema={"x-windlass-definition": "io.k8s.api.core.v1.PersistentVolumeClaimSpec"})
]


class LifecyclePolicy(Struct):
    """Action for a lifecycle event, or for a container that terminates with an exit code."""

    action: str = ""
    event: Event | None = None
    events: list[Event] = []
    exit_code: Int32 | None = None
    timeout: Duration | None = None


class DependsOn(Struct):
    """Tasks of which all, or any, must run before this one."""

    name: list[str] = []
    iteration: Literal["any", "all"] | None = None


class PartitionPolicy(Struct):
    """Splits the pods of a task into groups of `partitionSize`, each of which is placed and restarted as a unit."""

    total_partitions: _AtLeastOne
    partition_size: _AtLeastOne
    min_partitions: Count = 0
    network_topology: NetworkTopology | None = None


class TaskSpec(Struct):
    """Identical pods of one role."""

    name: _TaskName = ""
    replicas: Count = 0
    min_available: Count | None = None
    template: PodTemplate = {}
    policies: list[LifecyclePolicy] = []
    topology_policy: TopologyPolicy | None = None
    max_retry: _TaskRetries = 0
    depends_on: DependsOn | None = None
    partition_policy: PartitionPolicy | None = None


class VolumeSpec(Struct):
    """Claim that every container of the job mounts: an existing claim by name, or a new one created for the job."""

    mount_path: Annotated[str, Meta(min_length=1, pattern="^[^:]+$")]
    volume_claim_name: Name = ""
    volume_claim: _ClaimSpec | None = None


class JobSpec(Struct):
    scheduler_name: Annotated[str, Meta(max_length=63)] = ""
    min_available: Count = 0
    volumes: list[VolumeSpec] = []
    tasks: Annotated[list[TaskSpec], Meta(min_length=1)] = []
    policies: list[LifecyclePolicy] = []
    plugins: dict[str, list[str]] = {}
    running_estimate: Duration | None = None
    queue: DnsName = "default"
    max_retry: Count = 3
    ttl_seconds_after_finished: Count | None = None
    priority_class_name: DnsName = ""
    min_success: _AtLeastOne | None = None
    network_topology: NetworkTopology | None = None


class JobState(Struct):
    phase: JobPhase | None = None
    reason: str = ""
    message: str = ""
    last_transition_time: Moment | None = None


class TaskState(Struct):
    """Number of pods of a task in each phase."""

    phase: dict[str, Int32] = {}


class JobCondition(Struct):
    """Time at which the job entered a phase."""

    status: str
    last_transition_time: Moment | None = None


class JobStatus(Struct):
    state: JobState = JobState()
    min_available: Count = 0
    task_status_count: dict[str, TaskState] = {}
    pending: Count = 0
    running: Count = 0
    succeeded: Count = 0
    failed: Count = 0
    terminating: Count = 0
    unknown: Count = 0
    version: Count = 0
    retry_count: Count = 0
    running_duration: Duration | None = None
    controlled_resources: dict[str, str] = {}
    conditions: list[JobCondition] = []


@kind(
    GROUP_VERSION,
    plural="jobs",
    short=("vcjob", "vj"),
    columns=(
        Column("STATUS", ".status.state.phase"),
        Column("minAvailable", ".status.minAvailable", "integer"),
        Column("RUNNINGS", ".status.running", "integer"),
        Column("AGE", ".metadata.creationTimestamp", "date"),
        Column("QUEUE", ".spec.queue", priority=1),
    ),
)
class Job(Object):
    """Runs tasks whose pods start together, with policies for failures."""

    spec: JobSpec = JobSpec()
    status: JobStatus = JobStatus()


class JobTemplateSpec(Struct):
    """Template of the jobs of a cron job."""

    metadata: Foreign = {}
    spec: JobSpec = JobSpec()


class CronJobSpec(Struct):
    schedule: str
    time_zone: str | None = None
    starting_deadline_seconds: Annotated[int, Meta(ge=0, extra_json_schema={"format": "int64"})] | None = None
    concurrency_policy: Literal["Allow", "Forbid", "Replace"] = "Allow"
    suspend: Annotated[bool, Meta(extra_json_schema={"default": False})] | None = None
    job_template: JobTemplateSpec
    successful_jobs_history_limit: Count = 3
    failed_jobs_history_limit: Count = 1


class CronJobStatus(Struct):
    active: list[ObjectReference] = []
    last_schedule_time: Moment | None = None
    last_successful_time: Moment | None = None


@kind(GROUP_VERSION, plural="cronjobs", short=("cronvcjob", "cronvj"))
class CronJob(Object):
    """Creates Jobs on a schedule."""

    spec: CronJobSpec
    status: CronJobStatus = CronJobStatus()
