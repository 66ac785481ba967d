"""The ScheduledWorkflow object of a recurring run: its controller starts the runs."""

from typing import Any

from windlass.apps.pipelines.kinds.scheduled_workflow import ScheduledWorkflow
from windlass.apps.pipelines.model import NOT_YET, RecurringRun, Trigger
from windlass.apps.pipelines.names import RECORDED_ANNOTATION
from windlass.apps.pipelines.wire.call import Call
from windlass.apps.pipelines.wire.errors import of_kubernetes
from windlass.apps.pipelines.wire.protojson import time_text
from windlass.kube.errors import ApiError
from windlass.kube.errors import NotFound as ObjectNotFound
from windlass.kube.json import Object, encode
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key

SCHEDULES = KINDS.of(ScheduledWorkflow)
API_VERSION, KIND = "kubeflow.org/v1beta1", "ScheduledWorkflow"


def schedule_of(recurring_run: RecurringRun, pipeline_name: str = "") -> Object:
    """The object to create. The controller takes specification and parameters from the recurring run's record."""
    spec: Object = {
        "enabled": recurring_run.is_enabled,
        "maxConcurrency": recurring_run.max_concurrency,
        "noCatchup": recurring_run.no_catchup,
        "trigger": trigger_of(recurring_run.trigger),
        "experimentId": recurring_run.experiment_id,
        "pipelineId": recurring_run.pipeline_id,
        "pipelineVersionId": recurring_run.pipeline_version_id,
        "pipelineName": pipeline_name,
        "serviceAccount": recurring_run.service_account,
        "workflow": {
            "pipelineRoot": recurring_run.pipeline_root,
            "parameters": [
                {"name": name, "value": value if isinstance(value, str) else encode(value).decode()}
                for name, value in recurring_run.parameters.items()
            ],
        },
    }
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {
            "name": recurring_run.resource_name,
            "namespace": recurring_run.namespace,
            "annotations": {RECORDED_ANNOTATION: "true"},
        },
        "spec": {name: value for name, value in spec.items() if value not in ("", None)},
    }


def trigger_of(trigger: Trigger) -> Object:
    limits: dict[str, Any] = {
        name: time_text(moment)
        for name, moment in (("startTime", trigger.start_time), ("endTime", trigger.end_time))
        if moment != NOT_YET
    }
    if trigger.cron:
        return {"cronSchedule": {**limits, "cron": trigger.cron}}
    if trigger.interval_seconds:
        return {"periodicSchedule": {**limits, "intervalSecond": trigger.interval_seconds}}
    return {}


async def patch_schedule(call: Call, recurring_run: RecurringRun, change: Object) -> bool:
    """Change the object; False if it was removed."""
    key = Key(recurring_run.namespace, recurring_run.resource_name)
    try:
        await call.caller.client.patch(SCHEDULES, key, change)
    except ObjectNotFound:
        return False
    except ApiError as error:
        raise of_kubernetes(error) from error
    return True


async def disable_schedule(call: Call, recurring_run: RecurringRun) -> None:
    await patch_schedule(call, recurring_run, {"spec": {"enabled": False}})
