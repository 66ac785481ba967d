"""The records of pipelines: what the engine advances, the tables keep and the API shows. Data only.

Vocabulary: a *pipeline* is an uploaded definition with *versions*; an *experiment* groups *runs*; a *run* is one
execution of a version; a *task* is one execution of a step in a run, or of a DAG, a loop or one iteration of it.
"""

from enum import StrEnum
from math import isfinite
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from windlass.kube.meta import Struct

NOT_YET = 0.0
"""A time that has not come yet; all times are seconds since 1970."""


class RunState(StrEnum):
    """The states of a run, as the API names them."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    SKIPPED = "SKIPPED"
    FAILED = "FAILED"
    CANCELING = "CANCELING"
    CANCELED = "CANCELED"
    PAUSED = "PAUSED"


class TaskState(StrEnum):
    """The states of a task, as Kubeflow's metadata names them."""

    PENDING = "PENDING"
    """Known, and waiting for other tasks, a free place in its loop, or its next attempt."""
    RUNNING = "RUNNING"
    COMPLETE = "COMPLETE"
    FAILED = "FAILED"
    CACHED = "CACHED"
    CANCELED = "CANCELED"
    """Not triggered: its condition is false, or a task that it depends on was not triggered."""

    @property
    def is_final(self) -> bool:
        return self not in (TaskState.PENDING, TaskState.RUNNING)

    @property
    def is_success(self) -> bool:
        return self in (TaskState.COMPLETE, TaskState.CACHED)


class TaskType(StrEnum):
    """What a task is; the names of the API."""

    ROOT = "ROOT"
    RUNTIME = "RUNTIME"
    IMPORTER = "IMPORTER"
    DAG = "DAG"
    CONDITION = "CONDITION"
    CONDITION_BRANCH = "CONDITION_BRANCH"
    LOOP = "LOOP"
    EXIT_HANDLER = "EXIT_HANDLER"


class StorageState(StrEnum):
    AVAILABLE = "AVAILABLE"
    ARCHIVED = "ARCHIVED"


METRICS_TYPES = ("system.Metrics",)


class Record(Struct):
    """A record is never changed; `msgspec.structs.replace` makes the next one."""


class Error(Record):
    code: int = 0
    """A gRPC status code; for a failed container its exit code is in the message."""
    message: str = ""


class Values(Record):
    """The inputs or outputs of a task, by their names."""

    parameters: dict[str, Any] = {}
    artifacts: dict[str, list[str]] = {}
    """Ids of artifacts; most inputs and outputs have one."""


class Artifact(Record):
    """A file or folder that a task made or imported."""

    artifact_id: str
    namespace: str = ""
    run_id: str = ""
    """The run that made it."""
    task_id: str = ""
    name: str = ""
    """The name of the output."""
    type: str = "system.Artifact"
    """The title of its schema, such as system.Dataset."""
    schema_version: str = "0.0.1"
    uri: str = ""
    metadata: dict[str, Any] = {}
    pipeline_name: str = ""
    """The name in the pipeline's specification: importers reuse artifacts of the same pipeline."""
    has_content: bool = True
    """Whether there was a file or folder when it was recorded; metrics, for one, are in the metadata alone."""
    created_at: float = NOT_YET


def metrics_of(artifact: Artifact) -> dict[str, float]:
    """The numbers that a task has logged with `log_metric`; none for artifacts of other types."""
    if artifact.type not in METRICS_TYPES:
        return {}
    return {
        name: float(value)
        for name, value in artifact.metadata.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    }


def imported_id(task_id: str) -> str:
    """The id of the artifact that an importer records."""
    return str(uuid5(NAMESPACE_URL, f"{task_id}/imported"))


def is_imported(artifact: Artifact) -> bool:
    return artifact.artifact_id == imported_id(artifact.task_id)


class Task(Record):
    """One task of a run. Its id and its pods' names derive from the run and the path, so a restart makes none twice."""

    task_id: str
    run_id: str
    path: str
    """Unique in the run: `root`, `root.train`, `root.for-loop-2.3.double` (iteration 3)."""
    name: str
    """The key in its DAG."""
    display_name: str = ""
    parent_id: str = ""
    type: TaskType = TaskType.RUNTIME
    state: TaskState = TaskState.PENDING
    iteration: int = -1
    """The index of a task that is one iteration of a loop."""
    iteration_count: int = -1
    """The number of iterations of a loop; -1 until it is known."""
    created_at: float = NOT_YET
    started_at: float = NOT_YET
    finished_at: float = NOT_YET
    inputs: Values = Values()
    outputs: Values = Values()
    error: Error | None = None
    attempt: int = 0
    retry_at: float = NOT_YET
    """When the next attempt starts, while the task waits for it."""
    pod_name: str = ""
    pod_uid: str = ""
    failed_pods: list[str] = []
    """The pods of earlier attempts."""
    fingerprint: str = ""
    """The key under which the outputs are cached; empty where they are not."""
    cached_task_id: str = ""
    """The task whose outputs were reused."""
    state_history: list[tuple[float, str]] = []


class StateChange(Record):
    update_time: float
    state: RunState
    error: Error | None = None


class Run(Record):
    run_id: str
    namespace: str
    """Where its pods run; never empty."""
    display_name: str
    resource_name: str
    """The name of its Workflow object."""
    experiment_id: str = ""
    description: str = ""
    pipeline_id: str = ""
    pipeline_version_id: str = ""
    pipeline_name: str = ""
    """The name in the specification."""
    spec: dict[str, Any] = {}
    """The pipeline's specification (IR), or the Argo Workflow of a v1 pipeline."""
    platform_spec: dict[str, Any] = {}
    is_inline: bool = False
    """Whether the run was created with a specification instead of a pipeline version."""
    is_argo: bool = False
    parameters: dict[str, Any] = {}
    pipeline_root: str = ""
    service_account: str = ""
    created_at: float = NOT_YET
    scheduled_at: float = NOT_YET
    finished_at: float = NOT_YET
    state: RunState = RunState.PENDING
    state_history: list[StateChange] = []
    error: Error | None = None
    recurring_run_id: str = ""
    storage_state: StorageState = StorageState.AVAILABLE
    is_fail_fast: bool = True
    is_cache_enabled: bool = True
    max_cache_staleness: str = ""
    """How old reused outputs may be, as a duration of ISO 8601; empty for any age that the server allows."""
    metrics: dict[str, float] = {}
    """Numbers that tasks have reported or logged, which lists of runs show and sort by."""


class Experiment(Record):
    experiment_id: str
    namespace: str
    display_name: str
    description: str = ""
    created_at: float = NOT_YET
    last_run_created_at: float = NOT_YET
    storage_state: StorageState = StorageState.AVAILABLE


class Pipeline(Record):
    pipeline_id: str
    namespace: str
    """Empty for a pipeline that all share."""
    name: str
    display_name: str = ""
    description: str = ""
    created_at: float = NOT_YET
    tags: dict[str, str] = {}
    default_version_id: str = ""
    """The version that a user chose as the default of /apis/v1beta1; empty for the latest."""


class PipelineVersion(Record):
    pipeline_version_id: str
    pipeline_id: str
    name: str
    display_name: str = ""
    description: str = ""
    created_at: float = NOT_YET
    package_url: str = ""
    code_source_url: str = ""
    spec: dict[str, Any] = {}
    platform_spec: dict[str, Any] = {}
    tags: dict[str, str] = {}


class Trigger(Record):
    """When a recurring run starts: by cron, or every `interval_seconds`."""

    cron: str = ""
    interval_seconds: int = 0
    start_time: float = NOT_YET
    end_time: float = NOT_YET


class RecurringRun(Record):
    """The state of a schedule, beside its ScheduledWorkflow object, whose uid is its id."""

    recurring_run_id: str
    namespace: str
    display_name: str
    resource_name: str
    experiment_id: str = ""
    description: str = ""
    pipeline_id: str = ""
    pipeline_version_id: str = ""
    """Empty: the latest version at the time of each run."""
    spec: dict[str, Any] = {}
    platform_spec: dict[str, Any] = {}
    is_inline: bool = False
    parameters: dict[str, Any] = {}
    pipeline_root: str = ""
    service_account: str = ""
    max_concurrency: int = 1
    no_catchup: bool = False
    is_enabled: bool = True
    trigger: Trigger = Trigger()
    created_at: float = NOT_YET
    updated_at: float = NOT_YET
    error: Error | None = None
    is_fail_fast: bool = True
    is_cache_enabled: bool = True
    max_cache_staleness: str = ""
