"""Runs of /apis/v2beta1: create, get, list, delete, and what a user asks of a run."""

from windlass.apps.pipelines.artifacts.ownership import belongs_to
from windlass.apps.pipelines.ir.workflow_arguments import with_arguments
from windlass.apps.pipelines.kinds.argo import Workflow
from windlass.apps.pipelines.model import Experiment, Run, RunState, StateChange, StorageState
from windlass.apps.pipelines.rows.queries import Page
from windlass.apps.pipelines.runs.submit import delete_workflow, new_resource_name, retry, submit, terminate
from windlass.apps.pipelines.wire import shapes
from windlass.apps.pipelines.wire.call import Call
from windlass.apps.pipelines.wire.errors import Aborted, FailedPrecondition, InvalidArgument, NotFound
from windlass.apps.pipelines.wire.listing import list_query, token_text, within
from windlass.apps.pipelines.wire.names import (
    check_description,
    check_name,
    check_namespace,
    check_service_account,
    dns_name,
)
from windlass.apps.pipelines.wire.packages import spec_of
from windlass.apps.pipelines.wire.protojson import encode
from windlass.apps.pipelines.wire.runs.run_options import run_options
from windlass.apps.pipelines.wire.runs.run_requests import checked_parameters, expanded, experiment_of, source_of
from windlass.apps.pipelines.wire.runs.run_views import shown_run, task_fields
from windlass.apps.pipelines.wire.runs.task_views import details_of
from windlass.kube.json import Object
from windlass.kube.kind import KINDS

RESOURCE = "runs"
WORKFLOWS = KINDS.of(Workflow)
TERMINABLE = frozenset({RunState.PENDING, RunState.RUNNING, RunState.PAUSED})
RETRIABLE = frozenset({RunState.FAILED, RunState.CANCELED})


async def create_run(call: Call) -> Object:
    body = await call.body(shapes.RUN)
    if experiment_id := call.query("experiment_id"):
        body.setdefault("experiment_id", experiment_id)
    return encode(shapes.RUN, shown_run(await submit_run(call, body)))


async def submit_run(call: Call, body: Object) -> Run:
    """Record a run and create its Workflow. If the API server refuses the Workflow, there is no run."""
    run = await new_run(call, body)
    await submit(call.database, call.caller.client, run)
    return run


async def new_run(call: Call, body: Object) -> Run:
    """A run that the caller may create, with everything checked."""
    options = run_options(body)
    name = check_name(body.get("display_name", ""), "display_name", 512)
    experiment = await experiment_of(call, body.get("experiment_id", ""))
    namespace = experiment.namespace
    await call.authorize("create", RESOURCE, namespace)
    source = await source_of(call, body)
    config: Object = body.get("runtime_config", {})
    run_id, now, package = call.services.new_id(), call.now, source.package
    parameters = expanded(checked_parameters(package, config.get("parameters", {})), run_id, now)
    is_argo = package.workflow is not None
    account = check_service_account(body.get("service_account", ""))
    return Run(
        run_id=run_id,
        namespace=namespace,
        display_name=name,
        resource_name=new_resource_name(dns_name(package.name)),
        experiment_id=experiment.experiment_id,
        description=check_description(body.get("description", "")),
        pipeline_id=source.pipeline_id,
        pipeline_version_id=source.pipeline_version_id,
        pipeline_name=package.name[:128],
        spec=with_arguments(package.workflow, parameters) if package.workflow is not None else spec_of(package),
        platform_spec=package.platform_spec,
        is_inline=source.is_inline,
        is_argo=is_argo,
        parameters=parameters,
        pipeline_root=config.get("pipeline_root", ""),
        service_account=account or await call.services.default_account(namespace),
        created_at=now,
        scheduled_at=now,
        state=RunState.PENDING,
        state_history=[StateChange(update_time=now, state=RunState.PENDING)],
        **options,
    )


async def find_run(call: Call, id: str, verb: str) -> Run:
    """The run, if the caller may apply the verb to it. Raises NotFound and PermissionDenied."""
    run = await call.database.run(id)
    if run is None:
        raise NotFound(f"Run {id} not found")
    await call.authorize(verb, RESOURCE, run.namespace)
    return run


async def get_run(call: Call) -> Object:
    """With `view=FULL` also the tasks with their inputs and outputs."""
    run = await find_run(call, call.part("id"), "get")
    tasks = await call.database.tasks(run.run_id)
    fields = shown_run(run) | {"run_details": {"task_details": details_of(tasks)}}
    if call.query("view").upper() == "FULL":
        fields |= await task_fields(call.database, run, tasks)
    return encode(shapes.RUN, fields)


async def list_runs(call: Call) -> Object:
    page, token = await run_page(call, call.query("namespace"), call.query("experiment_id"))
    answer: Object = {
        "runs": [shown_run(run) for run in page.records],
        "total_size": page.total,
        "next_page_token": token,
    }
    return encode(shapes.RUNS, answer)


async def run_page(call: Call, given_namespace: str, experiment_id: str) -> tuple[Page[Run], str]:
    """Of an experiment or a namespace."""
    if experiment_id:
        experiment = await call.database.get(Experiment, experiment_id)
        if experiment is None:
            raise NotFound(f"Experiment {experiment_id} not found")
        namespace, scope = experiment.namespace, within("experiment_id", experiment_id)
    else:
        namespace = await call.namespace_or_own(check_namespace(given_namespace), "A list of runs")
        scope = within("namespace", namespace)
    await call.authorize("list", RESOURCE, namespace)
    query, sort_by, filter = list_query(Run, call.list_arguments, scope)
    page = await call.database.page(Run, query)
    return page, token_text(sort_by, filter, page.last)


async def delete_run(call: Call) -> Object:
    """Delete the record and the Workflow; with `delete_artifacts=true` also the content that no other run uses.

    The content goes first: where a store refuses, the run is still there to try again.
    """
    run = await find_run(call, call.part("id"), "delete")
    await delete_workflow(call.caller.client, run)
    with_artifacts = call.query("delete_artifacts").lower() in ("true", "1")
    if with_artifacts:
        for artifact in await call.database.unshared_artifacts(run.run_id):
            if not belongs_to(run, artifact.uri):
                continue
            problem = await call.services.artifacts.remove(run.namespace, artifact.uri, call.caller.client)
            if problem:
                raise FailedPrecondition(f"The run was not deleted, since its artifacts were not: {problem}")
    await call.database.delete_run(run.run_id, with_artifacts=with_artifacts)
    return {}


async def terminate_run(call: Call) -> Object:
    run = await find_run(call, call.part("id"), "terminate")
    if run.state not in TERMINABLE or not await terminate(call.database, call.caller.client, run):
        raise InvalidArgument(f"Run {run.run_id} cannot be terminated: its state is {run.state}")
    return {}


async def retry_run(call: Call) -> Object:
    """Run again what has failed."""
    run = await find_run(call, call.part("id"), "retry")
    if run.state not in RETRIABLE:
        raise Aborted(f"Run {run.run_id} cannot be retried: its state is {run.state}, not FAILED")
    if not await retry(call.database, call.caller.client, run):
        raise Aborted(f"Run {run.run_id} cannot be retried: it is being retried already")
    return {}


async def archive_run(call: Call) -> Object:
    run = await find_run(call, call.part("id"), "archive")
    await call.database.change(Run, run.run_id, storage_state=StorageState.ARCHIVED)
    return {}


async def unarchive_run(call: Call) -> Object:
    run = await find_run(call, call.part("id"), "unarchive")
    experiment = await call.database.get(Experiment, run.experiment_id) if run.experiment_id else None
    if experiment is not None and experiment.storage_state == StorageState.ARCHIVED:
        raise FailedPrecondition(f"Run {run.run_id} cannot be restored: its experiment is archived, restore that first")
    await call.database.change(Run, run.run_id, storage_state=StorageState.AVAILABLE)
    return {}
