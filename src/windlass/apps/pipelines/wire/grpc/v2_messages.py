"""The messages of kubeflow.pipelines.backend.api.v2beta1, with upstream's numbers (2.17)."""

from windlass.apps.pipelines.wire import shapes
from windlass.apps.pipelines.wire.grpc.numbering import Package
from windlass.formats.protobuf_messages import BOOL, STRING, EnumOf, MapOf, Message
from windlass.formats.protobuf_well_known import STRUCT, VALUE

V2BETA1 = Package("kubeflow.pipelines.backend.api.v2beta1")
V2BETA1.enum("RuntimeState", shapes.RUNTIME_STATES)

PIPELINE = V2BETA1.message(
    "Pipeline",
    shapes.PIPELINE,
    pipeline_id=1,
    display_name=2,
    description=3,
    created_at=4,
    namespace=5,
    error=6,
    name=7,
    tags=8,
)
URL = V2BETA1.message("Url", shapes.URL, pipeline_url=1)
VERSION = V2BETA1.message(
    "PipelineVersion",
    shapes.VERSION,
    pipeline_id=1,
    pipeline_version_id=2,
    display_name=3,
    description=4,
    created_at=5,
    package_url=6,
    pipeline_spec=7,
    error=8,
    code_source_url=9,
    name=10,
    tags=11,
)
PIPELINES = V2BETA1.message("ListPipelinesResponse", shapes.PIPELINES, pipelines=1, total_size=2, next_page_token=3)
VERSIONS = V2BETA1.message(
    "ListPipelineVersionsResponse", shapes.VERSIONS, pipeline_versions=1, next_page_token=2, total_size=3
)

EXPERIMENT = V2BETA1.message(
    "Experiment",
    shapes.EXPERIMENT,
    experiment_id=1,
    display_name=2,
    description=3,
    created_at=4,
    namespace=5,
    storage_state=6,
    last_run_created_at=7,
)
EXPERIMENTS = V2BETA1.message(
    "ListExperimentsResponse", shapes.EXPERIMENTS, experiments=1, next_page_token=2, total_size=3
)

VERSION_REFERENCE = V2BETA1.message(
    "PipelineVersionReference", shapes.VERSION_REFERENCE, pipeline_id=1, pipeline_version_id=2
)
RUNTIME_CONFIG = V2BETA1.message("RuntimeConfig", shapes.RUNTIME_CONFIG, parameters=1, pipeline_root=2)
RUNTIME_STATUS = V2BETA1.message("RuntimeStatus", shapes.STATE_CHANGE, update_time=1, state=2, error=3)
ARTIFACT_LIST = V2BETA1.message("ArtifactList", shapes.ARTIFACT_LIST, artifact_ids=1)
CHILD_TASK = V2BETA1.message("ChildTask", shapes.CHILD_TASK, task_id=1, pod_name=2)
CHILD_TASK.one_of("child_task", "task_id", "pod_name")
EXECUTOR_DETAIL = V2BETA1.message(
    "PipelineTaskExecutorDetail",
    shapes.EXECUTOR_DETAIL,
    main_job=1,
    pre_caching_check_job=2,
    failed_main_jobs=3,
    failed_pre_caching_check_jobs=4,
)
TASK_DETAIL = V2BETA1.message(
    "PipelineTaskDetail",
    shapes.TASK_DETAIL,
    run_id=1,
    task_id=2,
    display_name=3,
    create_time=4,
    start_time=5,
    end_time=6,
    executor_detail=7,
    state=8,
    execution_id=9,
    error=10,
    inputs=11,
    outputs=12,
    parent_task_id=13,
    state_history=14,
    pod_name=15,
    child_tasks=16,
)
RUN_DETAILS = V2BETA1.message(
    "RunDetails", shapes.RUN_DETAILS, pipeline_context_id=1, pipeline_run_context_id=2, task_details=3
)
METADATA_VALUE = Message("MetadataValue", value=(1, VALUE), render_type=(2, EnumOf(("UNSPECIFIED", "URL"))))
PLUGIN_OUTPUT = Message(
    "PluginOutput",
    entries=(1, MapOf(METADATA_VALUE)),
    state=(
        2,
        EnumOf(("PLUGIN_STATE_UNSPECIFIED", "PLUGIN_RUNNING", "PLUGIN_SUCCEEDED", "PLUGIN_FAILED"), "PluginState"),
    ),
    state_message=(3, STRING),
)
SOURCES = ("pipeline_version_id", "pipeline_spec", "pipeline_version_reference")
"""The fields of which a run or a recurring run has one."""
RUN = V2BETA1.message(
    "Run",
    shapes.RUN,
    experiment_id=1,
    run_id=2,
    display_name=3,
    storage_state=4,
    description=5,
    pipeline_version_id=6,
    pipeline_spec=7,
    runtime_config=8,
    service_account=9,
    created_at=10,
    scheduled_at=11,
    finished_at=12,
    state=13,
    error=14,
    run_details=15,
    recurring_run_id=16,
    state_history=17,
    pipeline_version_reference=18,
    plugins_input=(19, MapOf(STRUCT)),
    plugins_output=(20, MapOf(PLUGIN_OUTPUT)),
)
RUN.one_of("pipeline_source", *SOURCES)
RUNS = V2BETA1.message("ListRunsResponse", shapes.RUNS, runs=1, total_size=2, next_page_token=3)
ARTIFACT_DATA = V2BETA1.message("ReadArtifactResponse", shapes.READ_ARTIFACT, data=1)

CRON_SCHEDULE = V2BETA1.message("CronSchedule", shapes.CRON_SCHEDULE, start_time=1, end_time=2, cron=3)
PERIODIC_SCHEDULE = V2BETA1.message(
    "PeriodicSchedule", shapes.PERIODIC_SCHEDULE, start_time=1, end_time=2, interval_second=3
)
TRIGGER = V2BETA1.message("Trigger", shapes.TRIGGER, cron_schedule=1, periodic_schedule=2)
TRIGGER.one_of("trigger", "cron_schedule", "periodic_schedule")
RECURRING_RUN = V2BETA1.message(
    "RecurringRun",
    shapes.RECURRING_RUN,
    recurring_run_id=1,
    display_name=2,
    description=3,
    pipeline_version_id=4,
    pipeline_spec=5,
    runtime_config=6,
    service_account=7,
    max_concurrency=8,
    trigger=9,
    mode=10,
    created_at=11,
    updated_at=12,
    status=13,
    error=14,
    no_catchup=15,
    namespace=16,
    experiment_id=17,
    pipeline_version_reference=18,
    plugins_input=(19, MapOf(STRUCT)),
)
RECURRING_RUN.one_of("pipeline_source", *SOURCES)
RECURRING_RUNS = V2BETA1.message(
    "ListRecurringRunsResponse", shapes.RECURRING_RUNS, recurringRuns=1, total_size=2, next_page_token=3
)
PROPAGATION_POLICIES = EnumOf(
    ("DELETE_PROPAGATION_POLICY_UNSPECIFIED", "FOREGROUND", "BACKGROUND", "ORPHAN"), "DeletePropagationPolicy"
)

HEALTH = Message("GetHealthzResponse", multi_user=(3, BOOL), pipeline_store=(4, STRING))
RESOURCES = EnumOf(("UNASSIGNED_RESOURCES", "VIEWERS"))
VERBS = EnumOf(("UNASSIGNED_VERB", "CREATE", "GET", "DELETE"))
VISUALIZATION = Message(
    "Visualization",
    type=(1, EnumOf(("ROC_CURVE", "TFDV", "TFMA", "TABLE", "CUSTOM"))),
    source=(2, STRING),
    arguments=(3, STRING),
    html=(4, STRING),
    error=(5, STRING),
)
