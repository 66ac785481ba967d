"""The messages of /apis/v2beta1. Field names are on the wire, so they stay as they are."""

from windlass.apps.pipelines.wire.protojson import (
    BOOL,
    BYTES,
    INT32,
    INT64,
    OPTIONAL_DOUBLE,
    OPTIONAL_INT64,
    STRING,
    STRUCT,
    TIMESTAMP,
    VALUE,
    EnumOf,
    ListOf,
    MapOf,
    Message,
)

RUNTIME_STATES = EnumOf(
    {
        "RUNTIME_STATE_UNSPECIFIED": 0,
        "PENDING": 1,
        "RUNNING": 2,
        "SUCCEEDED": 3,
        "SKIPPED": 4,
        "FAILED": 5,
        "CANCELING": 6,
        "CANCELED": 7,
        "PAUSED": 8,
    }
)
STORAGE_STATES = EnumOf({"STORAGE_STATE_UNSPECIFIED": 0, "AVAILABLE": 1, "ARCHIVED": 2})
MODES = EnumOf({"MODE_UNSPECIFIED": 0, "ENABLE": 1, "DISABLE": 2})
RECURRING_STATUSES = EnumOf({"STATUS_UNSPECIFIED": 0, "ENABLED": 1, "DISABLED": 3})

STATUS = Message({"code": INT32, "message": STRING, "details": ListOf(STRUCT)})
"""google.rpc.Status."""

PIPELINE = Message(
    {
        "pipeline_id": STRING,
        "display_name": STRING,
        "name": STRING,
        "description": STRING,
        "created_at": TIMESTAMP,
        "namespace": STRING,
        "tags": MapOf(STRING),
        "error": STATUS,
    }
)
URL = Message({"pipeline_url": STRING})
VERSION = Message(
    {
        "pipeline_id": STRING,
        "pipeline_version_id": STRING,
        "display_name": STRING,
        "name": STRING,
        "description": STRING,
        "created_at": TIMESTAMP,
        "package_url": URL,
        "code_source_url": STRING,
        "pipeline_spec": STRUCT,
        "tags": MapOf(STRING),
        "error": STATUS,
    }
)
CREATE_PIPELINE_AND_VERSION = Message({"pipeline": PIPELINE, "pipeline_version": VERSION})

EXPERIMENT = Message(
    {
        "experiment_id": STRING,
        "display_name": STRING,
        "description": STRING,
        "created_at": TIMESTAMP,
        "namespace": STRING,
        "storage_state": STORAGE_STATES,
        "last_run_created_at": TIMESTAMP,
    }
)

VERSION_REFERENCE = Message({"pipeline_id": STRING, "pipeline_version_id": STRING})
RUNTIME_CONFIG = Message({"parameters": MapOf(VALUE), "pipeline_root": STRING})
STATE_CHANGE = Message({"update_time": TIMESTAMP, "state": RUNTIME_STATES, "error": STATUS})
ARTIFACT_LIST = Message({"artifact_ids": ListOf(INT64)})
CHILD_TASK = Message({"task_id": STRING, "pod_name": STRING})
EXECUTOR_DETAIL = Message(
    {
        "main_job": STRING,
        "pre_caching_check_job": STRING,
        "failed_main_jobs": ListOf(STRING),
        "failed_pre_caching_check_jobs": ListOf(STRING),
    }
)
TASK_DETAIL = Message(
    {
        "run_id": STRING,
        "task_id": STRING,
        "display_name": STRING,
        "create_time": TIMESTAMP,
        "start_time": TIMESTAMP,
        "end_time": TIMESTAMP,
        "executor_detail": EXECUTOR_DETAIL,
        "state": RUNTIME_STATES,
        "execution_id": INT64,
        "error": STATUS,
        "inputs": MapOf(ARTIFACT_LIST),
        "outputs": MapOf(ARTIFACT_LIST),
        "parent_task_id": STRING,
        "state_history": ListOf(STATE_CHANGE),
        "pod_name": STRING,
        "child_tasks": ListOf(CHILD_TASK),
    }
)
RUN_DETAILS = Message(
    {"pipeline_context_id": INT64, "pipeline_run_context_id": INT64, "task_details": ListOf(TASK_DETAIL)}
)

PRODUCER = Message({"task_name": STRING, "iteration": OPTIONAL_INT64})
ARTIFACT = Message(
    {
        "artifact_id": STRING,
        "name": STRING,
        "description": STRING,
        "type": STRING,
        "uri": STRING,
        "metadata": MapOf(VALUE),
        "number_value": OPTIONAL_DOUBLE,
        "created_at": TIMESTAMP,
        "namespace": STRING,
    }
)
ARTIFACT_TASK = Message(
    {
        "id": STRING,
        "artifact_id": STRING,
        "run_id": STRING,
        "task_id": STRING,
        "type": STRING,
        "producer": PRODUCER,
        "key": STRING,
    }
)
TASK_PARAMETER = Message({"value": VALUE, "type": STRING, "parameter_key": STRING, "producer": PRODUCER})
TASK_ARTIFACTS = Message({"artifacts": ListOf(ARTIFACT), "type": STRING, "artifact_key": STRING, "producer": PRODUCER})
TASK_VALUES = Message({"parameters": ListOf(TASK_PARAMETER), "artifacts": ListOf(TASK_ARTIFACTS)})
TASK_POD = Message({"name": STRING, "uid": STRING, "type": STRING})
TASK = Message(
    {
        "name": STRING,
        "display_name": STRING,
        "task_id": STRING,
        "run_id": STRING,
        "pods": ListOf(TASK_POD),
        "cache_fingerprint": STRING,
        "create_time": TIMESTAMP,
        "start_time": TIMESTAMP,
        "end_time": TIMESTAMP,
        "state": STRING,
        "status_metadata": Message({"message": STRING}),
        "state_history": ListOf(Message({"update_time": TIMESTAMP, "state": STRING})),
        "type": STRING,
        "type_attributes": Message({"iteration_index": OPTIONAL_INT64, "iteration_count": OPTIONAL_INT64}),
        "parent_task_id": STRING,
        "child_tasks": ListOf(Message({"task_id": STRING, "name": STRING})),
        "inputs": TASK_VALUES,
        "outputs": TASK_VALUES,
        "scope_path": STRING,
        "cached_task_id": STRING,
    }
)
EXECUTION = Message(
    {
        **TASK.fields,
        "run_name": STRING,
        "namespace": STRING,
        "pipeline_name": STRING,
        "pipeline_id": STRING,
        "pipeline_version_id": STRING,
    }
)
"""A task with what a list of all runs' tasks says about its run."""

RUN = Message(
    {
        "experiment_id": STRING,
        "run_id": STRING,
        "display_name": STRING,
        "storage_state": STORAGE_STATES,
        "description": STRING,
        "pipeline_version_id": STRING,
        "pipeline_spec": STRUCT,
        "pipeline_version_reference": VERSION_REFERENCE,
        "runtime_config": RUNTIME_CONFIG,
        "service_account": STRING,
        "created_at": TIMESTAMP,
        "scheduled_at": TIMESTAMP,
        "finished_at": TIMESTAMP,
        "state": RUNTIME_STATES,
        "error": STATUS,
        "run_details": RUN_DETAILS,
        "recurring_run_id": STRING,
        "state_history": ListOf(STATE_CHANGE),
        "plugins_input": MapOf(VALUE),
        "plugins_output": MapOf(VALUE),
        "tasks": ListOf(TASK),
        "task_count": INT32,
        "metrics": MapOf(VALUE),
    }
)

CRON_SCHEDULE = Message({"start_time": TIMESTAMP, "end_time": TIMESTAMP, "cron": STRING})
PERIODIC_SCHEDULE = Message({"start_time": TIMESTAMP, "end_time": TIMESTAMP, "interval_second": INT64})
TRIGGER = Message({"cron_schedule": CRON_SCHEDULE, "periodic_schedule": PERIODIC_SCHEDULE})
RECURRING_RUN = Message(
    {
        "recurring_run_id": STRING,
        "display_name": STRING,
        "description": STRING,
        "pipeline_version_id": STRING,
        "pipeline_spec": STRUCT,
        "pipeline_version_reference": VERSION_REFERENCE,
        "runtime_config": RUNTIME_CONFIG,
        "service_account": STRING,
        "max_concurrency": INT64,
        "trigger": TRIGGER,
        "mode": MODES,
        "created_at": TIMESTAMP,
        "updated_at": TIMESTAMP,
        "status": RECURRING_STATUSES,
        "error": STATUS,
        "no_catchup": BOOL,
        "namespace": STRING,
        "experiment_id": STRING,
        "plugins_input": MapOf(VALUE),
    }
)
READ_ARTIFACT = Message({"data": BYTES})


def page_of(name: str, item: Message) -> Message:
    """The answer of a list call."""
    return Message({name: ListOf(item), "total_size": INT32, "next_page_token": STRING})


PIPELINES = page_of("pipelines", PIPELINE)
VERSIONS = page_of("pipeline_versions", VERSION)
EXPERIMENTS = page_of("experiments", EXPERIMENT)
RUNS = page_of("runs", RUN)
RECURRING_RUNS = page_of("recurringRuns", RECURRING_RUN)
ARTIFACTS = page_of("artifacts", ARTIFACT)
ARTIFACT_TASKS = page_of("artifact_tasks", ARTIFACT_TASK)
TASKS = page_of("tasks", TASK)
EXECUTIONS = page_of("tasks", EXECUTION)
