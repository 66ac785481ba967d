"""Runs of /apis/v1beta1."""

from windlass.apps.pipelines.argo.kfp.metrics import MAX_METRICS, METRIC_NAME
from windlass.apps.pipelines.model import Run, RunState
from windlass.apps.pipelines.wire.artifact_content import workflow_of_run
from windlass.apps.pipelines.wire.call import Call
from windlass.apps.pipelines.wire.errors import InvalidArgument
from windlass.apps.pipelines.wire.protojson import encode
from windlass.apps.pipelines.wire.runs import runs
from windlass.apps.pipelines.wire.v1 import shapes
from windlass.apps.pipelines.wire.v1.references import run_scope
from windlass.apps.pipelines.wire.v1.run_specs import references_of, request_of, shown_spec
from windlass.kube.json import Object
from windlass.kube.json import encode as json_text

STATUSES = {
    RunState.PENDING: "Pending",
    RunState.RUNNING: "Running",
    RunState.SUCCEEDED: "Succeeded",
    RunState.SKIPPED: "Skipped",
    RunState.FAILED: "Failed",
    RunState.CANCELING: "Terminating",
    RunState.CANCELED: "Failed",
    RunState.PAUSED: "Running",
}


async def shown(call: Call, run: Run) -> Object:
    return {
        "id": run.run_id,
        "name": run.display_name,
        "storage_state": f"STORAGESTATE_{run.storage_state}",
        "description": run.description,
        "pipeline_spec": shown_spec(
            run.spec,
            run.platform_spec,
            is_argo=run.is_argo,
            pipeline_id=run.pipeline_id,
            name=run.pipeline_name,
            parameters=run.parameters,
        ),
        "resource_references": references_of(run.experiment_id, run.pipeline_version_id, run.recurring_run_id),
        "service_account": run.service_account,
        "created_at": run.created_at,
        "scheduled_at": run.scheduled_at,
        "finished_at": run.finished_at,
        "status": STATUSES[run.state],
        "error": run.error.message if run.error else "",
        "metrics": await call.database.metrics(run.run_id) if run.metrics else [],
    }


async def create_run(call: Call) -> Object:
    run = await runs.submit_run(call, await request_of(await call.body(shapes.RUN)))
    return await detail(call, run)


async def get_run(call: Call) -> Object:
    return await detail(call, await runs.find_run(call, call.part("id"), "get"))


async def detail(call: Call, run: Run) -> Object:
    """The run, and its Workflow with its status, which shows the graph."""
    workflow = await workflow_of_run(call, run)
    runtime = {"workflow_manifest": json_text(workflow).decode() if workflow else ""}
    return encode(shapes.RUN_DETAIL, {"run": await shown(call, run), "pipeline_runtime": runtime})


async def list_runs(call: Call) -> Object:
    page, token = await runs.run_page(call, *run_scope(call))
    listed = [await shown(call, run) for run in page.records]
    return encode(shapes.RUNS, {"runs": listed, "total_size": page.total, "next_page_token": token})


async def report_metrics(call: Call) -> Object:
    """Keep metrics of nodes; each has a result of its own."""
    run = await runs.find_run(call, call.part("id"), "reportMetrics")
    metrics: list[Object] = (await call.body(shapes.REPORT)).get("metrics", [])
    if len(metrics) > MAX_METRICS:
        raise InvalidArgument(f"metrics: at most {MAX_METRICS} are allowed")
    results = [await report_metric(call, run, metric) for metric in metrics]
    return encode(shapes.REPORT_RESULTS, {"results": results})


async def report_metric(call: Call, run: Run, metric: Object) -> Object:
    name, node = str(metric.get("name", "")), str(metric.get("node_id", ""))
    result: Object = {"metric_name": name, "metric_node_id": node}
    if METRIC_NAME.fullmatch(name) is None or not node or len(node) > 128:
        return result | {"status": "INVALID_ARGUMENT", "message": "the metric's name or node_id is not valid"}
    if len(run.metrics) >= MAX_METRICS and name not in run.metrics:
        return result | {"status": "INVALID_ARGUMENT", "message": f"a run has at most {MAX_METRICS} metrics"}
    number, format = metric.get("number_value", 0.0), metric.get("format", "UNSPECIFIED")
    if await call.database.report_metric(run.run_id, node, name, number, format):
        return result | {"status": "OK"}
    return result | {"status": "DUPLICATE_REPORTING", "message": "the node has reported this metric already"}
