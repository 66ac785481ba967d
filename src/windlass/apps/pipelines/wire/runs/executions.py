"""Executions of /apis/v2beta1: the tasks of all runs of a namespace, each with the names of its run and pipeline."""

from typing import Any

from windlass.apps.pipelines.model import Run, Task
from windlass.apps.pipelines.wire import shapes
from windlass.apps.pipelines.wire.call import Call
from windlass.apps.pipelines.wire.errors import NotFound
from windlass.apps.pipelines.wire.listing import list_query, token_text
from windlass.apps.pipelines.wire.names import check_namespace
from windlass.apps.pipelines.wire.protojson import encode
from windlass.apps.pipelines.wire.runs.run_views import artifacts_of
from windlass.apps.pipelines.wire.runs.runs import find_run
from windlass.apps.pipelines.wire.runs.task_views import children_of, shown_task, shown_task_facts
from windlass.apps.pipelines.wire.runs.value_sources import RunSources
from windlass.kube.json import Object


async def list_executions(call: Call) -> Object:
    """Without inputs and outputs, which may be large: `GET tasks/{id}` has them."""
    namespace = await call.namespace_or_own(check_namespace(call.query("namespace")), "A list of tasks")
    await call.authorize("list", "runs", namespace)
    query, sort_by, filter = list_query(Task, call.list_arguments)
    page = await call.database.executions(namespace, query)
    runs = await call.database.runs({task.run_id for task in page.records})
    answer: dict[str, Any] = {
        # A run that was deleted between the two reads has taken its tasks with it.
        "tasks": [
            shown_task_facts(task) | run_facts(runs[task.run_id]) for task in page.records if task.run_id in runs
        ],
        "total_size": page.total,
        "next_page_token": token_text(sort_by, filter, page.last),
    }
    return encode(shapes.EXECUTIONS, answer)


async def get_execution(call: Call) -> Object:
    """A task by its id alone, with inputs and outputs."""
    task = await call.database.get(Task, call.part("id"))
    if task is None:
        raise NotFound(f"Task {call.part('id')} not found")
    run = await find_run(call, task.run_id, "get")
    tasks = await call.database.tasks(run.run_id)
    children = children_of(tasks).get(task.task_id, [])
    artifacts = await artifacts_of(call.database, [task])
    by_id = {each.task_id: each for each in tasks}
    shown = shown_task(task, children, by_id, artifacts, RunSources(run).of(task))
    return encode(shapes.EXECUTION, shown | run_facts(run))


def run_facts(run: Run) -> Object:
    return {
        "run_name": run.display_name,
        "namespace": run.namespace,
        "pipeline_name": run.pipeline_name,
        "pipeline_id": run.pipeline_id,
        "pipeline_version_id": run.pipeline_version_id,
    }
