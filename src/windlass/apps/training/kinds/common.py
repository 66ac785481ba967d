"""The common parts of all training jobs: replicas, a run policy, and a status with conditions and counters."""

from typing import Annotated, TypeAlias

from windlass.apis.fields import AGE, Int32, Moment, PodTemplate, ResourceList
from windlass.apis.wellknown import KUBEFLOW_GROUP
from windlass.kube.kind import Column, Scale
from windlass.kube.meta import Meta, Object, Struct

GROUP = KUBEFLOW_GROUP
GROUP_VERSION = f"{GROUP}/v1"

STATE = Column("State", ".status.conditions[-1:].type")
STATE_AND_AGE = (STATE, AGE)


class ReplicaSpec(Struct):
    """Number and template of the pods of one role."""

    replicas: Int32 | None = None
    template: PodTemplate = {}
    restart_policy: str = ""


Replicas: TypeAlias = dict[str, ReplicaSpec]


_Queue: TypeAlias = Annotated[
    str,
    Meta(
        extra_json_schema={
            "x-kubernetes-validations": [
                {"rule": "self == oldSelf", "message": "spec.runPolicy.schedulingPolicy.queue is immutable"}
            ]
        }
    ),
]


class SchedulingPolicy(Struct):
    """Gang scheduling settings."""

    min_available: Int32 | None = None
    queue: _Queue = ""
    min_resources: ResourceList | None = None
    priority_class: str = ""
    schedule_timeout_seconds: Int32 | None = None


class RunPolicy(Struct):
    """How the job is run, scheduled and cleaned up."""

    clean_pod_policy: str | None = None
    ttl_seconds_after_finished: Int32 | None = None
    active_deadline_seconds: int | None = None
    backoff_limit: Int32 | None = None
    scheduling_policy: SchedulingPolicy | None = None
    suspend: Annotated[bool, Meta(extra_json_schema={"default": False})] | None = None
    managed_by: str | None = None


class TrainingSpec(Struct):
    """Fields beside the replicas. The fields of the run policy are also accepted here, as in older versions."""

    run_policy: RunPolicy = RunPolicy()
    clean_pod_policy: str | None = None
    ttl_seconds_after_finished: Int32 | None = None
    active_deadline_seconds: int | None = None
    backoff_limit: Int32 | None = None
    scheduler_name: str = ""


class JobCondition(Struct):
    type: str
    status: str
    reason: str = ""
    message: str = ""
    last_update_time: Moment | None = None
    last_transition_time: Moment | None = None


class ReplicaStatus(Struct):
    active: Int32 = 0
    succeeded: Int32 = 0
    failed: Int32 = 0
    selector: str = ""


class JobStatus(Struct):
    conditions: list[JobCondition] = []
    replica_statuses: dict[str, ReplicaStatus] = {}
    start_time: Moment | None = None
    completion_time: Moment | None = None
    last_reconcile_time: Moment | None = None


class TrainingJob(Object):
    """The base of all kinds of training jobs, each of which declares its own `spec`."""

    spec: TrainingSpec
    status: JobStatus = JobStatus()


def worker_scale(specs: str) -> Scale:
    """The scale subresource of kinds with scalable workers; `specs` is the field that holds the replicas."""
    return Scale(
        spec_replicas=f".spec.{specs}.Worker.replicas",
        status_replicas=".status.replicaStatuses.Worker.active",
        label_selector=".status.replicaStatuses.Worker.selector",
    )
