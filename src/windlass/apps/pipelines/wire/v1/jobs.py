"""Jobs, as /apis/v1beta1 calls recurring runs."""

from windlass.apps.pipelines.model import PipelineVersion, RecurringRun
from windlass.apps.pipelines.wire.call import Call
from windlass.apps.pipelines.wire.packages import is_workflow
from windlass.apps.pipelines.wire.protojson import encode
from windlass.apps.pipelines.wire.runs import recurring_runs
from windlass.apps.pipelines.wire.v1 import shapes
from windlass.apps.pipelines.wire.v1.references import run_scope
from windlass.apps.pipelines.wire.v1.run_specs import references_of, request_of, shown_spec
from windlass.kube.json import Object


async def shown(call: Call, job: RecurringRun) -> Object:
    spec, platform = await specification(call, job)
    return {
        "id": job.recurring_run_id,
        "name": job.display_name,
        "description": job.description,
        "pipeline_spec": shown_spec(
            spec,
            platform,
            is_argo=is_workflow(spec),
            pipeline_id=job.pipeline_id,
            name="",
            parameters=job.parameters,
        ),
        "resource_references": references_of(job.experiment_id, job.pipeline_version_id),
        "service_account": job.service_account,
        "max_concurrency": job.max_concurrency,
        "trigger": recurring_runs.shown_trigger(job.trigger),
        "mode": "ENABLED" if job.is_enabled else "DISABLED",
        "created_at": job.created_at,
        "updated_at": job.updated_at,
        "status": "Enabled" if job.is_enabled else "Disabled",
        "error": job.error.message if job.error else "",
        "enabled": job.is_enabled,
        "no_catchup": job.no_catchup,
    }


async def specification(call: Call, job: RecurringRun) -> tuple[Object, Object]:
    """Of the job itself, or of the version that it runs next."""
    if job.is_inline:
        return job.spec, job.platform_spec
    if job.pipeline_version_id:
        version = await call.database.get(PipelineVersion, job.pipeline_version_id)
    else:
        version = await call.database.first(PipelineVersion, newest=True, pipeline_id=job.pipeline_id)
    return (version.spec, version.platform_spec) if version else ({}, {})


async def create_job(call: Call) -> Object:
    body = await call.body(shapes.JOB)
    is_enabled = body.get("enabled", False) or body.get("mode") == "ENABLED"
    request = await request_of(body) | {
        "max_concurrency": body.get("max_concurrency", 1),
        "no_catchup": body.get("no_catchup", False),
        "trigger": body.get("trigger", {}),
        "mode": "ENABLE" if is_enabled else "DISABLE",
    }
    return encode(shapes.JOB, await shown(call, await recurring_runs.submit_recurring_run(call, request)))


async def get_job(call: Call) -> Object:
    return encode(shapes.JOB, await shown(call, await recurring_runs.find_recurring_run(call, call.part("id"), "get")))


async def list_jobs(call: Call) -> Object:
    page, token = await recurring_runs.recurring_run_page(call, *run_scope(call))
    listed = [await shown(call, job) for job in page.records]
    return encode(shapes.JOBS, {"jobs": listed, "total_size": page.total, "next_page_token": token})
