"""The messages of /apis/v1beta1. Field names are on the wire, so they stay as they are."""

from windlass.apps.pipelines.wire.protojson import BOOL, DOUBLE, INT64, STRING, TIMESTAMP, EnumOf, ListOf, Message
from windlass.apps.pipelines.wire.shapes import CRON_SCHEDULE as CRON_SCHEDULE
from windlass.apps.pipelines.wire.shapes import PERIODIC_SCHEDULE as PERIODIC_SCHEDULE
from windlass.apps.pipelines.wire.shapes import RUNTIME_CONFIG, TRIGGER, URL, page_of

RESOURCE_TYPES = EnumOf(
    {
        "UNKNOWN_RESOURCE_TYPE": 0,
        "EXPERIMENT": 1,
        "JOB": 2,
        "PIPELINE": 3,
        "PIPELINE_VERSION": 4,
        "NAMESPACE": 5,
    }
)
RELATIONSHIPS = EnumOf({"UNKNOWN_RELATIONSHIP": 0, "OWNER": 1, "CREATOR": 2})
STORAGE_STATES = EnumOf({"STORAGESTATE_UNSPECIFIED": 0, "STORAGESTATE_AVAILABLE": 1, "STORAGESTATE_ARCHIVED": 2})
MODES = EnumOf({"UNKNOWN_MODE": 0, "ENABLED": 1, "DISABLED": 2})
FORMATS = EnumOf({"UNSPECIFIED": 0, "RAW": 1, "PERCENTAGE": 2})
REPORT_STATUSES = EnumOf(
    {"UNSPECIFIED": 0, "OK": 1, "INVALID_ARGUMENT": 2, "DUPLICATE_REPORTING": 3, "INTERNAL_ERROR": 4}
)

RESOURCE_KEY = Message({"type": RESOURCE_TYPES, "id": STRING})
REFERENCE = Message({"key": RESOURCE_KEY, "name": STRING, "relationship": RELATIONSHIPS})
PARAMETER = Message({"name": STRING, "value": STRING})

EXPERIMENT = Message(
    {
        "id": STRING,
        "name": STRING,
        "description": STRING,
        "created_at": TIMESTAMP,
        "resource_references": ListOf(REFERENCE),
        "storage_state": STORAGE_STATES,
    }
)
VERSION = Message(
    {
        "id": STRING,
        "name": STRING,
        "created_at": TIMESTAMP,
        "parameters": ListOf(PARAMETER),
        "code_source_url": STRING,
        "package_url": URL,
        "resource_references": ListOf(REFERENCE),
        "description": STRING,
    }
)
PIPELINE = Message(
    {
        "id": STRING,
        "created_at": TIMESTAMP,
        "name": STRING,
        "description": STRING,
        "parameters": ListOf(PARAMETER),
        "url": URL,
        "error": STRING,
        "default_version": VERSION,
        "resource_references": ListOf(REFERENCE),
    }
)
TEMPLATE = Message({"template": STRING})
PIPELINE_SPEC = Message(
    {
        "pipeline_id": STRING,
        "pipeline_name": STRING,
        "workflow_manifest": STRING,
        "pipeline_manifest": STRING,
        "parameters": ListOf(PARAMETER),
        "runtime_config": RUNTIME_CONFIG,
    }
)
METRIC = Message({"name": STRING, "node_id": STRING, "number_value": DOUBLE, "format": FORMATS})
RUN = Message(
    {
        "id": STRING,
        "name": STRING,
        "storage_state": STORAGE_STATES,
        "description": STRING,
        "pipeline_spec": PIPELINE_SPEC,
        "resource_references": ListOf(REFERENCE),
        "service_account": STRING,
        "created_at": TIMESTAMP,
        "scheduled_at": TIMESTAMP,
        "finished_at": TIMESTAMP,
        "status": STRING,
        "error": STRING,
        "metrics": ListOf(METRIC),
    }
)
RUNTIME = Message({"pipeline_manifest": STRING, "workflow_manifest": STRING})
RUN_DETAIL = Message({"run": RUN, "pipeline_runtime": RUNTIME})
REPORT = Message({"run_id": STRING, "metrics": ListOf(METRIC)})
REPORT_RESULT = Message({"metric_name": STRING, "metric_node_id": STRING, "status": REPORT_STATUSES, "message": STRING})
REPORT_RESULTS = Message({"results": ListOf(REPORT_RESULT)})
JOB = Message(
    {
        "id": STRING,
        "name": STRING,
        "description": STRING,
        "pipeline_spec": PIPELINE_SPEC,
        "resource_references": ListOf(REFERENCE),
        "service_account": STRING,
        "max_concurrency": INT64,
        "trigger": TRIGGER,
        "mode": MODES,
        "created_at": TIMESTAMP,
        "updated_at": TIMESTAMP,
        "status": STRING,
        "error": STRING,
        "enabled": BOOL,
        "no_catchup": BOOL,
    }
)

EXPERIMENTS = page_of("experiments", EXPERIMENT)
PIPELINES = page_of("pipelines", PIPELINE)
VERSIONS = page_of("versions", VERSION)
RUNS = page_of("runs", RUN)
JOBS = page_of("jobs", JOB)
