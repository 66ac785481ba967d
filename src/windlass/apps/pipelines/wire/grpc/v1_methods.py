"""The methods of /apis/v1beta1, whose proto package is `api`, with the numbers of their requests' fields."""

from windlass.apps.pipelines.wire.grpc.methods import WHOLE, Fields, Services, delete, get, post, services
from windlass.apps.pipelines.wire.grpc.v1_messages import (
    EXPERIMENT,
    EXPERIMENTS,
    HEALTH,
    JOB,
    JOBS,
    METRIC,
    PIPELINE,
    PIPELINES,
    REPORT_RESULTS,
    RESOURCE_KEY,
    RUN,
    RUN_DETAIL,
    RUNS,
    TEMPLATE,
    V1BETA1,
    VERSION,
    VERSIONS,
)
from windlass.apps.pipelines.wire.grpc.v2_messages import ARTIFACT_DATA, RESOURCES, VERBS, VISUALIZATION
from windlass.apps.pipelines.wire.v1.routes import V1
from windlass.formats.protobuf_messages import INT32, STRING, ListOf
from windlass.formats.protobuf_well_known import EMPTY

ID: Fields = {"id": (1, STRING)}
RUN_ID: Fields = {"run_id": (1, STRING)}
VERSION_ID: Fields = {"version_id": (1, STRING)}
PAGE: Fields = {"page_token": (1, STRING), "page_size": (2, INT32), "sort_by": (3, STRING)}
FILTERED: Fields = {**PAGE, "filter": (4, STRING), "resource_reference_key": (5, RESOURCE_KEY)}
REFERRING: Fields = {**PAGE, "resource_reference_key": (4, RESOURCE_KEY), "filter": (5, STRING)}

SERVICES: Services = services(
    V1BETA1,
    V1,
    {
        "PipelineService": {
            "CreatePipelineV1": post("pipelines", PIPELINE, "pipeline", pipeline=(1, PIPELINE)),
            "GetPipelineV1": get("pipelines/{id}", PIPELINE, **ID),
            "GetPipelineByNameV1": get(
                "namespaces/{namespace}/pipelines/{name}", PIPELINE, name=(1, STRING), namespace=(2, STRING)
            ),
            "ListPipelinesV1": get("pipelines", PIPELINES, **FILTERED),
            "DeletePipelineV1": delete("pipelines/{id}", **ID),
            "GetTemplate": get("pipelines/{id}/templates", TEMPLATE, **ID),
            "CreatePipelineVersionV1": post("pipeline_versions", VERSION, "version", version=(1, VERSION)),
            "GetPipelineVersionV1": get("pipeline_versions/{version_id}", VERSION, **VERSION_ID),
            "ListPipelineVersionsV1": get(
                "pipeline_versions",
                VERSIONS,
                resource_key=(1, RESOURCE_KEY),
                page_size=(2, INT32),
                page_token=(3, STRING),
                sort_by=(4, STRING),
                filter=(5, STRING),
            ),
            "DeletePipelineVersionV1": delete("pipeline_versions/{version_id}", **VERSION_ID),
            "GetPipelineVersionTemplate": get("pipeline_versions/{version_id}/templates", TEMPLATE, **VERSION_ID),
            "UpdatePipelineDefaultVersionV1": post(
                "pipelines/{pipeline_id}/default_version/{version_id}",
                pipeline_id=(1, STRING),
                version_id=(2, STRING),
            ),
        },
        "ExperimentService": {
            "CreateExperimentV1": post("experiments", EXPERIMENT, "experiment", experiment=(1, EXPERIMENT)),
            "GetExperimentV1": get("experiments/{id}", EXPERIMENT, **ID),
            "ListExperimentsV1": get("experiments", EXPERIMENTS, **FILTERED),
            "DeleteExperimentV1": delete("experiments/{id}", **ID),
            "ArchiveExperimentV1": post("experiments/{id}:archive", **ID),
            "UnarchiveExperimentV1": post("experiments/{id}:unarchive", **ID),
        },
        "RunService": {
            "CreateRunV1": post("runs", RUN_DETAIL, "run", run=(1, RUN)),
            "GetRunV1": get("runs/{run_id}", RUN_DETAIL, **RUN_ID),
            "ListRunsV1": get("runs", RUNS, **REFERRING),
            "ArchiveRunV1": post("runs/{id}:archive", **ID),
            "UnarchiveRunV1": post("runs/{id}:unarchive", **ID),
            "DeleteRunV1": delete("runs/{id}", **ID),
            "ReportRunMetricsV1": post(
                "runs/{run_id}:reportMetrics", REPORT_RESULTS, WHOLE, **RUN_ID, metrics=(2, ListOf(METRIC))
            ),
            "ReadArtifactV1": get(
                "runs/{run_id}/nodes/{node_id}/artifacts/{artifact_name}:read",
                ARTIFACT_DATA,
                **RUN_ID,
                node_id=(2, STRING),
                artifact_name=(3, STRING),
            ),
            "TerminateRunV1": post("runs/{run_id}/terminate", **RUN_ID),
            "RetryRunV1": post("runs/{run_id}/retry", **RUN_ID),
        },
        "JobService": {
            "CreateJob": post("jobs", JOB, "job", job=(1, JOB)),
            "GetJob": get("jobs/{id}", JOB, **ID),
            "ListJobs": get("jobs", JOBS, **REFERRING),
            "EnableJob": post("jobs/{id}/enable", **ID),
            "DisableJob": post("jobs/{id}/disable", **ID),
            "DeleteJob": delete("jobs/{id}", **ID),
        },
        "HealthzService": {"GetHealthz": get("healthz", HEALTH)},
        "AuthService": {
            "AuthorizeV1": get("auth", EMPTY, namespace=(1, STRING), resources=(2, RESOURCES), verb=(3, VERBS)),
        },
        "VisualizationService": {
            "CreateVisualizationV1": post(
                "visualizations/{namespace}",
                VISUALIZATION,
                "visualization",
                visualization=(1, VISUALIZATION),
                namespace=(2, STRING),
            ),
        },
        "ReportService": {
            "ReportWorkflowV1": post(
                "workflows", EMPTY, "workflow", workflow=(1, STRING), metric_errors=(2, ListOf(STRING))
            ),
            "ReportScheduledWorkflowV1": post(
                "scheduledworkflows", EMPTY, "scheduled_workflow", scheduled_workflow=(1, STRING)
            ),
        },
    },
)
