"""Which function answers which method and path."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from aiohttp import web

from windlass.apps.pipelines.wire import artifact_content, server, tensorboards
from windlass.apps.pipelines.wire.call import Call
from windlass.apps.pipelines.wire.pipelines import pipelines, uploads, versions
from windlass.apps.pipelines.wire.runs import executions, experiments, logs, pods, recurring_runs, runs, tasks
from windlass.kube.json import Object

Answer: TypeAlias = Object | web.StreamResponse
Handler: TypeAlias = Callable[[Call], Awaitable[Any]]

_VARIABLE = re.compile(r"\{(\w+)(\*?)\}")


@dataclass(frozen=True)
class Route:
    method: str
    path: str
    pattern: re.Pattern[str]
    handler: Handler
    is_plain: bool = False
    """Whether errors have the plain body of uploads, logs and artifacts."""


def route(method: str, path: str, handler: Handler, *, is_plain: bool = False) -> Route:
    """`{name}` stands for one part of the path, `{name*}` for all the rest."""
    pattern, at = "", 0
    for variable in _VARIABLE.finditer(path):
        pattern += re.escape(path[at : variable.start()])
        pattern += f"(?P<{variable[1]}>.+)" if variable[2] else f"(?P<{variable[1]}>[^/]+)"
        at = variable.end()
    return Route(method, path, re.compile(pattern + re.escape(path[at:])), handler, is_plain)


V2: tuple[Route, ...] = (
    route("GET", "healthz", server.health),
    route("GET", "auth", server.authorize),
    route("POST", "visualizations/{namespace}", server.create_visualization),
    route("POST", "workflows", server.report),
    route("POST", "scheduledworkflows", server.report),
    route("POST", "pipelines/upload", uploads.upload_pipeline, is_plain=True),
    route("POST", "pipelines/upload_version", uploads.upload_version, is_plain=True),
    route("POST", "pipelines/create", pipelines.create_pipeline_and_version),
    route("POST", "pipelines", pipelines.create_pipeline),
    route("GET", "pipelines", pipelines.list_pipelines),
    route("GET", "pipelines/names/{name*}", pipelines.get_pipeline_by_name),
    route("GET", "pipelines/{id}", pipelines.get_pipeline),
    route("PATCH", "pipelines/{id}", pipelines.update_pipeline),
    route("DELETE", "pipelines/{id}", pipelines.delete_pipeline),
    route("POST", "pipelines/{id}/versions", versions.create_version),
    route("GET", "pipelines/{id}/versions", versions.list_versions),
    route("GET", "pipelines/{id}/versions/{version}", versions.get_version),
    route("PATCH", "pipelines/{id}/versions/{version}", versions.update_version),
    route("DELETE", "pipelines/{id}/versions/{version}", versions.delete_version),
    route("POST", "experiments", experiments.create_experiment),
    route("GET", "experiments", experiments.list_experiments),
    route("GET", "experiments/{id}", experiments.get_experiment),
    route("DELETE", "experiments/{id}", experiments.delete_experiment),
    route("POST", "experiments/{id}:archive", experiments.archive_experiment),
    route("POST", "experiments/{id}:unarchive", experiments.unarchive_experiment),
    route("POST", "runs", runs.create_run),
    route("GET", "runs", runs.list_runs),
    route("GET", "runs/{id}", runs.get_run),
    route("DELETE", "runs/{id}", runs.delete_run),
    route("POST", "runs/{id}:terminate", runs.terminate_run),
    route("POST", "runs/{id}:retry", runs.retry_run),
    route("POST", "runs/{id}:archive", runs.archive_run),
    route("POST", "runs/{id}:unarchive", runs.unarchive_run),
    route("GET", "runs/{id}/tasks", tasks.list_tasks),
    route("GET", "runs/{id}/tasks/{task}", tasks.get_task),
    route("GET", "runs/{id}/nodes/{node}/artifacts/{name}:read", artifact_content.read_artifact),
    route("POST", "recurringruns", recurring_runs.create_recurring_run),
    route("GET", "recurringruns", recurring_runs.list_recurring_runs),
    route("GET", "recurringruns/{id}", recurring_runs.get_recurring_run),
    route("DELETE", "recurringruns/{id}", recurring_runs.delete_recurring_run),
    route("POST", "recurringruns/{id}:enable", recurring_runs.enable_recurring_run),
    route("POST", "recurringruns/{id}:disable", recurring_runs.disable_recurring_run),
    route("GET", "artifacts", tasks.list_artifacts),
    route("GET", "artifacts/{id}", tasks.get_artifact),
    route("GET", "artifact_tasks", tasks.list_links),
    route("GET", "tasks", executions.list_executions),
    route("GET", "tasks/{id}", executions.get_execution),
)

LOGS: tuple[Route, ...] = (route("GET", "runs/{id}/nodes/{node}/log", logs.run_log, is_plain=True),)
"""/apis/v1alpha1."""

UI: tuple[Route, ...] = (
    route("GET", "k8s/pod/logs", logs.pod_log, is_plain=True),
    route("GET", "k8s/pod", pods.get_pod, is_plain=True),
    route("GET", "k8s/pod/events", pods.pod_events, is_plain=True),
    route("GET", "visualizations/allowed", server.visualizations_allowed, is_plain=True),
    route("GET", "apps/tensorboard", tensorboards.get_board, is_plain=True),
    route("POST", "apps/tensorboard", tensorboards.create_board, is_plain=True),
    route("DELETE", "apps/tensorboard", tensorboards.delete_board, is_plain=True),
    route("GET", "artifacts/get", artifact_content.get_by_uri, is_plain=True),
    route("GET", "artifacts/{source}/{bucket}/{key*}", artifact_content.get_raw, is_plain=True),
)
"""Routes of upstream's UI server."""


def find(routes: tuple[Route, ...], method: str, path: str) -> tuple[Route, dict[str, str]] | None:
    for candidate in routes:
        match = candidate.pattern.fullmatch(path) if candidate.method == method else None
        if match is not None:
            return candidate, match.groupdict()
    return None
