"""Which function answers which method and path of /apis/v1beta1. What has no body of its own is shared with v2beta1."""

from windlass.apps.pipelines.wire import artifact_content, server
from windlass.apps.pipelines.wire.pipelines import versions
from windlass.apps.pipelines.wire.routes import Route, route
from windlass.apps.pipelines.wire.runs import experiments as shared_experiments
from windlass.apps.pipelines.wire.runs import recurring_runs
from windlass.apps.pipelines.wire.runs import runs as shared_runs
from windlass.apps.pipelines.wire.v1 import experiments, jobs, pipelines, runs

V1: tuple[Route, ...] = (
    route("GET", "healthz", server.health),
    route("GET", "auth", server.authorize),
    route("POST", "visualizations/{namespace}", server.create_visualization),
    route("POST", "workflows", server.report),
    route("POST", "scheduledworkflows", server.report),
    route("POST", "experiments", experiments.create_experiment),
    route("GET", "experiments", experiments.list_experiments),
    route("GET", "experiments/{id}", experiments.get_experiment),
    route("DELETE", "experiments/{id}", shared_experiments.delete_experiment),
    route("POST", "experiments/{id}:archive", shared_experiments.archive_experiment),
    route("POST", "experiments/{id}:unarchive", shared_experiments.unarchive_experiment),
    route("POST", "pipelines/upload", pipelines.upload_pipeline, is_plain=True),
    route("POST", "pipelines/upload_version", pipelines.upload_version, is_plain=True),
    route("POST", "pipelines", pipelines.create_pipeline),
    route("GET", "pipelines", pipelines.list_pipelines),
    route("GET", "pipelines/{id}", pipelines.get_pipeline),
    route("DELETE", "pipelines/{id}", pipelines.delete_pipeline),
    route("GET", "pipelines/{id}/templates", pipelines.get_template),
    route("POST", "pipelines/{id}/default_version/{version}", pipelines.set_default_version),
    route("GET", "namespaces/{namespace}/pipelines/{name*}", pipelines.get_pipeline_by_name),
    route("POST", "pipeline_versions", pipelines.create_version),
    route("GET", "pipeline_versions", pipelines.list_versions),
    route("GET", "pipeline_versions/{version}", pipelines.get_version),
    route("DELETE", "pipeline_versions/{version}", versions.delete_version),
    route("GET", "pipeline_versions/{version}/templates", pipelines.get_version_template),
    route("POST", "runs", runs.create_run),
    route("GET", "runs", runs.list_runs),
    route("GET", "runs/{id}", runs.get_run),
    route("DELETE", "runs/{id}", shared_runs.delete_run),
    route("POST", "runs/{id}/terminate", shared_runs.terminate_run),
    route("POST", "runs/{id}/retry", shared_runs.retry_run),
    route("POST", "runs/{id}:archive", shared_runs.archive_run),
    route("POST", "runs/{id}:unarchive", shared_runs.unarchive_run),
    route("POST", "runs/{id}:reportMetrics", runs.report_metrics),
    route("GET", "runs/{id}/nodes/{node}/artifacts/{name}:read", artifact_content.read_artifact),
    route("POST", "jobs", jobs.create_job),
    route("GET", "jobs", jobs.list_jobs),
    route("GET", "jobs/{id}", jobs.get_job),
    route("DELETE", "jobs/{id}", recurring_runs.delete_recurring_run),
    route("POST", "jobs/{id}/enable", recurring_runs.enable_recurring_run),
    route("POST", "jobs/{id}/disable", recurring_runs.disable_recurring_run),
)
