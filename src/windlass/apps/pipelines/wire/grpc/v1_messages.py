"""The messages of /apis/v1beta1, whose proto package is `api`, with upstream's numbers."""

from windlass.apps.pipelines.wire.grpc.numbering import Package
from windlass.apps.pipelines.wire.v1 import shapes
from windlass.formats.protobuf_messages import BOOL, EnumOf, Message

V1BETA1 = Package("api")
V1BETA1.enum("ResourceType", shapes.RESOURCE_TYPES)
V1BETA1.enum("Relationship", shapes.RELATIONSHIPS)

RESOURCE_KEY = V1BETA1.message("ResourceKey", shapes.RESOURCE_KEY, type=1, id=2)
REFERENCE = V1BETA1.message("ResourceReference", shapes.REFERENCE, key=1, relationship=2, name=3)
PARAMETER = V1BETA1.message("Parameter", shapes.PARAMETER, name=1, value=2)
URL = V1BETA1.message("Url", shapes.URL, pipeline_url=1)

EXPERIMENT = V1BETA1.message(
    "Experiment",
    shapes.EXPERIMENT,
    id=1,
    name=2,
    description=3,
    created_at=4,
    resource_references=5,
    storage_state=6,
)
EXPERIMENTS = V1BETA1.message(
    "ListExperimentsResponse", shapes.EXPERIMENTS, experiments=1, next_page_token=2, total_size=3
)

VERSION = V1BETA1.message(
    "PipelineVersion",
    shapes.VERSION,
    id=1,
    name=2,
    created_at=3,
    parameters=4,
    code_source_url=5,
    package_url=6,
    resource_references=7,
    description=8,
)
PIPELINE = V1BETA1.message(
    "Pipeline",
    shapes.PIPELINE,
    id=1,
    created_at=2,
    name=3,
    description=4,
    parameters=5,
    error=6,
    url=7,
    default_version=8,
    resource_references=9,
)
PIPELINES = V1BETA1.message("ListPipelinesResponse", shapes.PIPELINES, pipelines=1, next_page_token=2, total_size=3)
VERSIONS = V1BETA1.message("ListPipelineVersionsResponse", shapes.VERSIONS, versions=1, next_page_token=2, total_size=3)
TEMPLATE = V1BETA1.message("GetTemplateResponse", shapes.TEMPLATE, template=1)

RUNTIME_CONFIG = V1BETA1.message("RuntimeConfig", shapes.RUNTIME_CONFIG, parameters=1, pipeline_root=2)
PIPELINE_SPEC = V1BETA1.message(
    "PipelineSpec",
    shapes.PIPELINE_SPEC,
    pipeline_id=1,
    workflow_manifest=2,
    pipeline_manifest=3,
    parameters=4,
    pipeline_name=5,
    runtime_config=6,
)
METRIC = V1BETA1.message("RunMetric", shapes.METRIC, name=1, node_id=2, number_value=3, format=4)
METRIC.one_of("value", "number_value")
RUN = V1BETA1.message(
    "Run",
    shapes.RUN,
    id=1,
    name=2,
    description=3,
    pipeline_spec=4,
    resource_references=5,
    created_at=6,
    scheduled_at=7,
    status=8,
    metrics=9,
    storage_state=(10, EnumOf(("STORAGESTATE_AVAILABLE", "STORAGESTATE_ARCHIVED"))),
    error=12,
    finished_at=13,
    service_account=14,
)
RUNTIME = V1BETA1.message("PipelineRuntime", shapes.RUNTIME, pipeline_manifest=10, workflow_manifest=11)
RUN_DETAIL = V1BETA1.message("RunDetail", shapes.RUN_DETAIL, run=1, pipeline_runtime=2)
RUNS = V1BETA1.message("ListRunsResponse", shapes.RUNS, runs=1, next_page_token=2, total_size=3)
REPORT_RESULT = V1BETA1.message(
    "ReportRunMetricResult", shapes.REPORT_RESULT, metric_name=1, metric_node_id=2, status=3, message=4
)
REPORT_RESULTS = V1BETA1.message("ReportRunMetricsResponse", shapes.REPORT_RESULTS, results=1)

CRON_SCHEDULE = V1BETA1.message("CronSchedule", shapes.CRON_SCHEDULE, start_time=1, end_time=2, cron=3)
PERIODIC_SCHEDULE = V1BETA1.message(
    "PeriodicSchedule", shapes.PERIODIC_SCHEDULE, start_time=1, end_time=2, interval_second=3
)
TRIGGER = V1BETA1.message("Trigger", shapes.TRIGGER, cron_schedule=1, periodic_schedule=2)
TRIGGER.one_of("trigger", "cron_schedule", "periodic_schedule")
JOB = V1BETA1.message(
    "Job",
    shapes.JOB,
    id=1,
    name=2,
    description=3,
    pipeline_spec=4,
    resource_references=5,
    max_concurrency=6,
    trigger=7,
    mode=8,
    created_at=9,
    updated_at=10,
    status=11,
    error=12,
    enabled=16,
    no_catchup=17,
    service_account=18,
)
JOBS = V1BETA1.message("ListJobsResponse", shapes.JOBS, jobs=1, next_page_token=2, total_size=3)
HEALTH = Message("GetHealthzResponse", multi_user=(3, BOOL))
