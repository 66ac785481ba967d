"""The methods of kubeflow.pipelines.backend.api.v2beta1, with the numbers of their requests' fields."""

from windlass.apps.pipelines.wire.grpc.methods import WHOLE, Fields, Services, delete, get, patch, post, services
from windlass.apps.pipelines.wire.grpc.v2_messages import (
    ARTIFACT_DATA,
    EXPERIMENT,
    EXPERIMENTS,
    HEALTH,
    PIPELINE,
    PIPELINES,
    PROPAGATION_POLICIES,
    RECURRING_RUN,
    RECURRING_RUNS,
    RESOURCES,
    RUN,
    RUNS,
    V2BETA1,
    VERBS,
    VERSION,
    VERSIONS,
    VISUALIZATION,
)
from windlass.apps.pipelines.wire.routes import V2
from windlass.formats.protobuf_messages import BOOL, INT32, STRING, ListOf
from windlass.formats.protobuf_well_known import EMPTY

PIPELINE_ID: Fields = {"pipeline_id": (1, STRING)}
VERSION_ID: Fields = {"pipeline_id": (1, STRING), "pipeline_version_id": (2, STRING)}
EXPERIMENT_ID: Fields = {"experiment_id": (1, STRING)}
RUN_ID: Fields = {"experiment_id": (1, STRING), "run_id": (2, STRING)}
RECURRING_RUN_ID: Fields = {"recurring_run_id": (1, STRING)}
ONE_PIPELINE, ONE_VERSION = "pipelines/{pipeline_id}", "pipelines/{pipeline_id}/versions/{pipeline_version_id}"

SERVICES: Services = services(
    V2BETA1,
    V2,
    {
        "PipelineService": {
            "CreatePipeline": post("pipelines", PIPELINE, "pipeline", pipeline=(1, PIPELINE)),
            "GetPipeline": get(ONE_PIPELINE, PIPELINE, **PIPELINE_ID),
            "GetPipelineByName": get("pipelines/names/{name}", PIPELINE, namespace=(1, STRING), name=(2, STRING)),
            "ListPipelines": get(
                "pipelines",
                PIPELINES,
                namespace=(1, STRING),
                page_token=(2, STRING),
                page_size=(3, INT32),
                sort_by=(4, STRING),
                filter=(5, STRING),
            ),
            "DeletePipeline": delete(ONE_PIPELINE, **PIPELINE_ID, cascade=(2, BOOL)),
            "UpdatePipeline": patch("pipelines/{pipeline.pipeline_id}", PIPELINE, "pipeline", pipeline=(1, PIPELINE)),
            "CreatePipelineAndVersion": post(
                "pipelines/create", PIPELINE, WHOLE, pipeline=(1, PIPELINE), pipeline_version=(2, VERSION)
            ),
            "CreatePipelineVersion": post(
                "pipelines/{pipeline_id}/versions",
                VERSION,
                "pipeline_version",
                **PIPELINE_ID,
                pipeline_version=(2, VERSION),
            ),
            "GetPipelineVersion": get(ONE_VERSION, VERSION, **VERSION_ID),
            "ListPipelineVersions": get(
                "pipelines/{pipeline_id}/versions",
                VERSIONS,
                **PIPELINE_ID,
                page_token=(2, STRING),
                page_size=(3, INT32),
                sort_by=(4, STRING),
                filter=(5, STRING),
            ),
            "DeletePipelineVersion": delete(ONE_VERSION, **VERSION_ID),
            "UpdatePipelineVersion": patch(
                "pipelines/{pipeline_version.pipeline_id}/versions/{pipeline_version.pipeline_version_id}",
                VERSION,
                "pipeline_version",
                pipeline_version=(1, VERSION),
            ),
        },
        "ExperimentService": {
            "CreateExperiment": post("experiments", EXPERIMENT, "experiment", experiment=(1, EXPERIMENT)),
            "GetExperiment": get("experiments/{experiment_id}", EXPERIMENT, **EXPERIMENT_ID),
            "ListExperiments": get(
                "experiments",
                EXPERIMENTS,
                page_token=(1, STRING),
                page_size=(2, INT32),
                sort_by=(3, STRING),
                filter=(4, STRING),
                namespace=(5, STRING),
            ),
            "ArchiveExperiment": post("experiments/{experiment_id}:archive", **EXPERIMENT_ID),
            "UnarchiveExperiment": post("experiments/{experiment_id}:unarchive", **EXPERIMENT_ID),
            "DeleteExperiment": delete("experiments/{experiment_id}", **EXPERIMENT_ID),
        },
        "RunService": {
            "CreateRun": post("runs", RUN, "run", experiment_id=(1, STRING), run=(2, RUN)),
            "GetRun": get("runs/{run_id}", RUN, **RUN_ID),
            "ListRuns": get(
                "runs",
                RUNS,
                namespace=(1, STRING),
                experiment_id=(2, STRING),
                page_token=(3, STRING),
                page_size=(4, INT32),
                sort_by=(5, STRING),
                filter=(6, STRING),
            ),
            "ArchiveRun": post("runs/{run_id}:archive", **RUN_ID),
            "UnarchiveRun": post("runs/{run_id}:unarchive", **RUN_ID),
            "DeleteRun": delete("runs/{run_id}", **RUN_ID),
            "ReadArtifact": get(
                "runs/{run_id}/nodes/{node_id}/artifacts/{artifact_name}:read",
                ARTIFACT_DATA,
                **RUN_ID,
                node_id=(3, STRING),
                artifact_name=(4, STRING),
            ),
            "TerminateRun": post("runs/{run_id}:terminate", **RUN_ID),
            "RetryRun": post("runs/{run_id}:retry", **RUN_ID),
        },
        "RecurringRunService": {
            "CreateRecurringRun": post(
                "recurringruns", RECURRING_RUN, "recurring_run", recurring_run=(1, RECURRING_RUN)
            ),
            "GetRecurringRun": get("recurringruns/{recurring_run_id}", RECURRING_RUN, **RECURRING_RUN_ID),
            "ListRecurringRuns": get(
                "recurringruns",
                RECURRING_RUNS,
                page_token=(1, STRING),
                page_size=(2, INT32),
                sort_by=(3, STRING),
                namespace=(4, STRING),
                filter=(5, STRING),
                experiment_id=(6, STRING),
            ),
            "EnableRecurringRun": post("recurringruns/{recurring_run_id}:enable", **RECURRING_RUN_ID),
            "DisableRecurringRun": post("recurringruns/{recurring_run_id}:disable", **RECURRING_RUN_ID),
            "DeleteRecurringRun": delete(
                "recurringruns/{recurring_run_id}",
                **RECURRING_RUN_ID,
                propagation_policy=(2, PROPAGATION_POLICIES),
            ),
        },
        "HealthzService": {"GetHealthz": get("healthz", HEALTH)},
        "AuthService": {
            "Authorize": get("auth", EMPTY, namespace=(1, STRING), resources=(2, RESOURCES), verb=(3, VERBS)),
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
            "ReportWorkflow": post(
                "workflows", EMPTY, "workflow", workflow=(1, STRING), metric_errors=(2, ListOf(STRING))
            ),
            "ReportScheduledWorkflow": post(
                "scheduledworkflows", EMPTY, "scheduled_workflow", scheduled_workflow=(1, STRING)
            ),
        },
    },
)
