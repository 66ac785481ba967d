"""Recurring runs of /apis/v2beta1."""

from msgspec import structs

from windlass.apps.pipelines.model import NOT_YET, Experiment, RecurringRun, Trigger
from windlass.apps.pipelines.rows.queries import Page
from windlass.apps.pipelines.runs.submit import new_resource_name
from windlass.apps.pipelines.wire import shapes
from windlass.apps.pipelines.wire.call import Call
from windlass.apps.pipelines.wire.errors import InvalidArgument, NotFound, of_kubernetes
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
from windlass.apps.pipelines.wire.runs.run_options import run_options, shown_options
from windlass.apps.pipelines.wire.runs.run_requests import checked_parameters, experiment_of, source_of
from windlass.apps.pipelines.wire.runs.run_views import shown_error, source_fields
from windlass.apps.pipelines.wire.runs.schedule_objects import SCHEDULES, patch_schedule, schedule_of
from windlass.kube import cron
from windlass.kube.client import Propagation
from windlass.kube.errors import ApiError
from windlass.kube.errors import NotFound as ObjectNotFound
from windlass.kube.json import Object, dig
from windlass.kube.meta import Key

RESOURCE = "jobs"
MIN_CONCURRENCY, MAX_CONCURRENCY = 1, 10
PROPAGATION: dict[str, Propagation] = {
    "FOREGROUND": "Foreground",
    "BACKGROUND": "Background",
    "ORPHAN": "Orphan",
}
SAME = (
    "recurring_run_id",
    "display_name",
    "description",
    "service_account",
    "max_concurrency",
    "created_at",
    "updated_at",
    "no_catchup",
    "namespace",
    "experiment_id",
)


def shown(recurring_run: RecurringRun) -> Object:
    fields: Object = {name: getattr(recurring_run, name) for name in SAME}
    fields |= {
        "runtime_config": {"parameters": recurring_run.parameters, "pipeline_root": recurring_run.pipeline_root},
        "trigger": shown_trigger(recurring_run.trigger),
        "mode": "ENABLE" if recurring_run.is_enabled else "DISABLE",
        "status": "ENABLED" if recurring_run.is_enabled else "DISABLED",
        "error": shown_error(recurring_run.error),
    }
    return (
        fields
        | shown_options(recurring_run)
        | source_fields(
            recurring_run.spec,
            recurring_run.platform_spec,
            recurring_run.pipeline_id,
            recurring_run.pipeline_version_id,
            recurring_run.is_inline,
        )
    )


def shown_trigger(trigger: Trigger) -> Object:
    """A start or end that was not given is left out: it would read as 1970."""
    limits = {
        name: moment
        for name, moment in (("start_time", trigger.start_time), ("end_time", trigger.end_time))
        if moment != NOT_YET
    }
    if trigger.cron:
        return {"cron_schedule": {**limits, "cron": trigger.cron}}
    if trigger.interval_seconds:
        return {"periodic_schedule": {**limits, "interval_second": trigger.interval_seconds}}
    return {}


def read_trigger(body: Object) -> Trigger:
    """Raises InvalidArgument for a trigger that cannot be followed."""
    cron_schedule: Object | None = body.get("cron_schedule")
    periodic: Object | None = body.get("periodic_schedule")
    if (cron_schedule is None) == (periodic is None):
        raise InvalidArgument("trigger: exactly one of cron_schedule and periodic_schedule is required")
    schedule = cron_schedule if cron_schedule is not None else periodic or {}
    start, end = schedule.get("start_time", NOT_YET), schedule.get("end_time", NOT_YET)
    if start < 0 or end < 0 or (end != NOT_YET and end < start):
        raise InvalidArgument("trigger: start_time and end_time must be after 1970, and the end not before the start")
    if cron_schedule is not None:
        text = str(cron_schedule.get("cron", ""))
        try:
            cron.parse_with_seconds(text)
        except ValueError as error:
            raise InvalidArgument(f"trigger.cron_schedule.cron: {error}") from error
        return Trigger(cron=text, start_time=start, end_time=end)
    interval = int(schedule.get("interval_second", 0))
    if not 1 <= interval < 1 << 31:
        raise InvalidArgument("trigger.periodic_schedule.interval_second: must be at least one second")
    return Trigger(interval_seconds=interval, start_time=start, end_time=end)


async def create_recurring_run(call: Call) -> Object:
    body = await call.body(shapes.RECURRING_RUN)
    return encode(shapes.RECURRING_RUN, shown(await submit_recurring_run(call, body)))


async def submit_recurring_run(call: Call, body: Object) -> RecurringRun:
    """Create the ScheduledWorkflow, whose uid is the id, and record the recurring run.

    The object is enabled last: its controller finds the record when the first run is due.
    """
    draft, pipeline_name = await new_recurring_run(call, body)
    disabled = schedule_of(structs.replace(draft, is_enabled=False), pipeline_name)
    try:
        created = await call.caller.client.create(disabled, kind=SCHEDULES)
    except ApiError as error:
        raise of_kubernetes(error) from error
    recurring_run = structs.replace(draft, recurring_run_id=str(dig(created, "metadata", "uid")))
    try:
        await call.database.create(recurring_run)
    except BaseException:
        await call.caller.client.delete(SCHEDULES, Key(draft.namespace, draft.resource_name))
        raise
    if recurring_run.is_enabled:
        await patch_schedule(call, recurring_run, {"spec": {"enabled": True}})
    return recurring_run


async def new_recurring_run(call: Call, body: Object) -> tuple[RecurringRun, str]:
    """A recurring run that the caller may create, with everything checked, and the name of its pipeline."""
    options = run_options(body)
    name = check_name(body.get("display_name", ""), "display_name", 512)
    experiment = await experiment_of(call, body.get("experiment_id", ""))
    namespace = experiment.namespace
    await call.authorize("create", RESOURCE, namespace)
    source = await source_of(call, body)
    reference: Object = body.get("pipeline_version_reference", {})
    config: Object = body.get("runtime_config", {})
    package, now = source.package, call.now
    account = check_service_account(body.get("service_account", ""))
    follows_latest = not (reference.get("pipeline_version_id") or body.get("pipeline_version_id"))
    recurring_run = RecurringRun(
        recurring_run_id="",
        namespace=namespace,
        display_name=name,
        resource_name=new_resource_name(dns_name(package.name or name)),
        experiment_id=experiment.experiment_id,
        description=check_description(body.get("description", "")),
        pipeline_id=source.pipeline_id,
        pipeline_version_id="" if follows_latest else source.pipeline_version_id,
        spec=spec_of(package) if source.is_inline else {},
        platform_spec=package.platform_spec if source.is_inline else {},
        is_inline=source.is_inline,
        parameters=checked_parameters(package, config.get("parameters", {})),
        pipeline_root=config.get("pipeline_root", ""),
        service_account=account or await call.services.default_account(namespace),
        max_concurrency=max(MIN_CONCURRENCY, min(body.get("max_concurrency", 1), MAX_CONCURRENCY)),
        no_catchup=body.get("no_catchup", False),
        is_enabled=body.get("mode") == "ENABLE",  # one that is not set is disabled, as in Kubeflow
        trigger=read_trigger(body.get("trigger", {})),
        created_at=now,
        updated_at=now,
        **options,
    )
    return recurring_run, package.name


async def find_recurring_run(call: Call, id: str, verb: str) -> RecurringRun:
    """The recurring run, if the caller may apply the verb to it. Raises NotFound and PermissionDenied."""
    recurring_run = await call.database.get(RecurringRun, id)
    if recurring_run is None:
        raise NotFound(f"Recurring run {id} not found")
    await call.authorize(verb, RESOURCE, recurring_run.namespace)
    return recurring_run


async def get_recurring_run(call: Call) -> Object:
    return encode(shapes.RECURRING_RUN, shown(await find_recurring_run(call, call.part("id"), "get")))


async def list_recurring_runs(call: Call) -> Object:
    page, token = await recurring_run_page(call, call.query("namespace"), call.query("experiment_id"))
    answer: Object = {
        "recurringRuns": [shown(recurring_run) for recurring_run in page.records],
        "total_size": page.total,
        "next_page_token": token,
    }
    return encode(shapes.RECURRING_RUNS, answer)


async def recurring_run_page(call: Call, given_namespace: str, experiment_id: str) -> tuple[Page[RecurringRun], str]:
    if experiment_id:
        experiment = await call.database.get(Experiment, experiment_id)
        if experiment is None:
            raise NotFound(f"Experiment {experiment_id} not found")
        namespace, scope = experiment.namespace, within("experiment_id", experiment_id)
    else:
        namespace = await call.namespace_or_own(check_namespace(given_namespace), "A list of recurring runs")
        scope = within("namespace", namespace)
    await call.authorize("list", RESOURCE, namespace)
    query, sort_by, filter = list_query(RecurringRun, call.list_arguments, scope)
    page = await call.database.page(RecurringRun, query)
    return page, token_text(sort_by, filter, page.last)


async def delete_recurring_run(call: Call) -> Object:
    recurring_run = await find_recurring_run(call, call.part("id"), "delete")
    policy = call.query("propagation_policy").upper()
    if policy and policy not in PROPAGATION and policy != "DELETE_PROPAGATION_POLICY_UNSPECIFIED":
        raise InvalidArgument(f"propagation_policy: must be one of {', '.join(PROPAGATION)}")
    key = Key(recurring_run.namespace, recurring_run.resource_name)
    try:
        await call.caller.client.delete(SCHEDULES, key, propagation=PROPAGATION.get(policy))
    except ObjectNotFound:
        pass  # removed with kubectl
    except ApiError as error:
        raise of_kubernetes(error) from error
    await call.database.delete(RecurringRun, recurring_run.recurring_run_id)
    return {}


async def enable_recurring_run(call: Call) -> Object:
    return await set_enabled(call, "enable", True)


async def disable_recurring_run(call: Call) -> Object:
    return await set_enabled(call, "disable", False)


async def set_enabled(call: Call, verb: str, is_enabled: bool) -> Object:
    recurring_run = await find_recurring_run(call, call.part("id"), verb)
    id = recurring_run.recurring_run_id
    if not await patch_schedule(call, recurring_run, {"spec": {"enabled": is_enabled}}) and is_enabled:
        raise NotFound(f"Recurring run {id} cannot be enabled: its ScheduledWorkflow was deleted")
    await call.database.change(RecurringRun, id, is_enabled=is_enabled, updated_at=call.now)
    return {}
