"""Runs and their tasks as answers show them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from windlass.apps.pipelines.model import Artifact, Error, Run, Task
from windlass.apps.pipelines.wire.packages import shown_spec
from windlass.apps.pipelines.wire.runs.run_options import shown_options
from windlass.apps.pipelines.wire.runs.task_views import artifact_ids, shown_tasks
from windlass.kube.json import Object

if TYPE_CHECKING:
    from windlass.apps.pipelines.rows.database import Database

SAME = (
    "experiment_id",
    "run_id",
    "display_name",
    "storage_state",
    "description",
    "service_account",
    "created_at",
    "scheduled_at",
    "finished_at",
    "state",
    "recurring_run_id",
)


def shown_run(run: Run) -> Object:
    fields: Object = {name: getattr(run, name) for name in SAME}
    fields["runtime_config"] = {"parameters": run.parameters, "pipeline_root": run.pipeline_root}
    fields["state_history"] = [
        {"update_time": change.update_time, "state": change.state, "error": shown_error(change.error)}
        for change in run.state_history
    ]
    fields["error"] = shown_error(run.error)
    fields["metrics"] = run.metrics
    fields |= shown_options(run)
    return fields | source_fields(run.spec, run.platform_spec, run.pipeline_id, run.pipeline_version_id, run.is_inline)


def source_fields(spec: Object, platform: Object, pipeline_id: str, version_id: str, is_inline: bool) -> Object:
    if is_inline:
        return {"pipeline_spec": shown_spec(spec, platform)}
    return {"pipeline_version_reference": {"pipeline_id": pipeline_id, "pipeline_version_id": version_id}}


def shown_error(error: Error | None) -> Object | None:
    return None if error is None else {"code": error.code, "message": error.message}


async def task_fields(database: "Database", run: Run, tasks: Sequence[Task]) -> Object:
    """`tasks` and `task_count` of the full view."""
    artifacts = await artifacts_of(database, tasks)
    return {"tasks": shown_tasks(run, tasks, artifacts), "task_count": len(tasks)}


async def artifacts_of(database: "Database", tasks: Sequence[Task]) -> dict[str, Artifact]:
    ids: set[str] = {id for task in tasks for id in artifact_ids(task)}
    return await database.artifacts(ids)
