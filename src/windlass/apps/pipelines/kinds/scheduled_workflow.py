"""kubeflow.org/v1beta1: ScheduledWorkflow, the object of a recurring run."""

from typing import Any

from windlass.apis.fields import AGE, Foreign, Moment
from windlass.apis.wellknown import KUBEFLOW_GROUP as GROUP
from windlass.kube.kind import Column, kind
from windlass.kube.meta import Object, Struct


class CronSchedule(Struct):
    start_time: Moment | None = None
    end_time: Moment | None = None
    cron: str = ""


class PeriodicSchedule(Struct):
    start_time: Moment | None = None
    end_time: Moment | None = None
    interval_second: int = 0


class ScheduleTrigger(Struct):
    """When runs start: by cron, or at intervals."""

    cron_schedule: CronSchedule | None = None
    periodic_schedule: PeriodicSchedule | None = None


class ScheduledParameter(Struct):
    name: str
    value: str = ""


class ScheduledWorkflowResource(Struct):
    """What each run executes."""

    parameters: list[ScheduledParameter] = []
    pipeline_root: str = ""
    spec: Any = None


class ScheduledWorkflowSpec(Struct):
    enabled: bool = False
    max_concurrency: int | None = None
    no_catchup: bool | None = None
    max_history: int | None = None
    trigger: ScheduleTrigger = ScheduleTrigger()
    workflow: ScheduledWorkflowResource | None = None
    experiment_id: str = ""
    pipeline_id: str = ""
    pipeline_version_id: str = ""
    pipeline_name: str = ""
    service_account: str = ""


class ScheduledWorkflowStatus(Struct):
    """Observed state, written by the controller."""

    conditions: list[Foreign] = []
    trigger: Foreign = {}
    workflow_history: Foreign = {}


@kind(
    f"{GROUP}/v1beta1",
    plural="scheduledworkflows",
    short=("swf",),
    columns=(Column("Enabled", ".spec.enabled", "boolean"), AGE),
)
class ScheduledWorkflow(Object):
    """Starts runs of a pipeline by a schedule."""

    spec: ScheduledWorkflowSpec = ScheduledWorkflowSpec()
    status: ScheduledWorkflowStatus = ScheduledWorkflowStatus()
