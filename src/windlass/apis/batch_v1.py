"""batch/v1: pods that run to completion."""

from windlass.apis.core_v1 import ConditionStatus, Json, ObjectReference, PodTemplate
from windlass.kube.kind import kind
from windlass.kube.meta import LabelSelector, Object, Struct, Time


class JobSpec(Struct):
    parallelism: int | None = None
    completions: int | None = None
    active_deadline_seconds: int | None = None
    pod_failure_policy: Json | None = None
    success_policy: Json | None = None
    backoff_limit: int | None = None
    backoff_limit_per_index: int | None = None
    max_failed_indexes: int | None = None
    selector: LabelSelector | None = None
    manual_selector: bool | None = None
    template: PodTemplate = {}
    ttl_seconds_after_finished: int | None = None
    completion_mode: str | None = None
    suspend: bool | None = None
    pod_replacement_policy: str | None = None
    managed_by: str | None = None


class JobCondition(Struct):
    type: str = ""
    status: ConditionStatus = "Unknown"
    last_probe_time: Time | None = None
    last_transition_time: Time | None = None
    reason: str = ""
    message: str = ""


class UncountedTerminatedPods(Struct):
    """UIDs of terminated pods that the counters do not include yet."""

    succeeded: list[str] = []
    failed: list[str] = []


class JobStatus(Struct):
    conditions: list[JobCondition] = []
    start_time: Time | None = None
    completion_time: Time | None = None
    active: int = 0
    succeeded: int = 0
    failed: int = 0
    terminating: int | None = None
    completed_indexes: str = ""
    failed_indexes: str | None = None
    uncounted_terminated_pods: UncountedTerminatedPods | None = None
    ready: int | None = None


@kind("batch/v1", plural="jobs", categories=("all",))
class Job(Object):
    """A Job: runs pods until enough of them succeed."""

    spec: JobSpec = JobSpec()
    status: JobStatus = JobStatus()


class CronJobSpec(Struct):
    schedule: str = ""
    time_zone: str | None = None
    starting_deadline_seconds: int | None = None
    concurrency_policy: str = ""
    suspend: bool | None = None
    job_template: Json = {}
    successful_jobs_history_limit: int | None = None
    failed_jobs_history_limit: int | None = None


class CronJobStatus(Struct):
    active: list[ObjectReference] = []
    last_schedule_time: Time | None = None
    last_successful_time: Time | None = None


@kind("batch/v1", plural="cronjobs", short=("cj",), categories=("all",))
class CronJob(Object):
    """A CronJob: creates Jobs on a schedule."""

    spec: CronJobSpec = CronJobSpec()
    status: CronJobStatus = CronJobStatus()
