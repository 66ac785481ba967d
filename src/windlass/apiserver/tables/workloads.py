"""The columns of workloads (apps, batch, replication controllers), autoscalers and disruption budgets."""

from datetime import datetime
from typing import Any

from windlass.apiserver.tables.cells import (
    AGE,
    NAME,
    Cell,
    at,
    condition_status,
    container_columns,
    count,
    flag,
    human_duration,
    labels_text,
    number,
    parse_time,
    selector_column,
    selector_text,
    shown,
    since,
    text,
    wide,
    with_more,
)
from windlass.kube.json import Object, dig, dig_list, dig_object


def _ready_of_desired(obj: Object, now: datetime) -> str:
    desired = dig(obj, "spec", "replicas")
    return f"{dig(obj, 'status', 'readyReplicas') or 0}/{0 if desired is None else desired}"


_REPLICA_COUNTS = (
    number("Desired", at("spec", "replicas", default=0), "The desired number of pods."),
    number("Current", at("status", "replicas", default=0), "The current number of pods."),
    number("Ready", at("status", "readyReplicas", default=0), "The number of ready pods."),
)

DEPLOYMENT = (
    NAME,
    text("Ready", _ready_of_desired, "Number of the pod with ready state"),
    text("Up-to-date", at("status", "updatedReplicas", default=0), "The number of pods with the current template."),
    text("Available", at("status", "availableReplicas", default=0), "The number of available pods."),
    AGE,
    *container_columns("spec", "template"),
    wide(
        "Selector",
        lambda obj, now: selector_text(dig_object(obj, "spec", "selector")),
        "The label selector of the pods.",
    ),
)
REPLICA_SET = (
    NAME,
    *_REPLICA_COUNTS,
    AGE,
    *container_columns("spec", "template"),
    selector_column("spec", "selector"),
)
REPLICATION_CONTROLLER = (
    NAME,
    *_REPLICA_COUNTS,
    AGE,
    *container_columns("spec", "template"),
    wide("Selector", lambda obj, now: labels_text(dig(obj, "spec", "selector")), "The label selector of the pods."),
)
STATEFUL_SET = (
    NAME,
    text("Ready", _ready_of_desired, "Number of the pod with ready state"),
    AGE,
    *container_columns("spec", "template"),
)
DAEMON_SET = (
    NAME,
    number(
        "Desired", at("status", "desiredNumberScheduled", default=0), "The number of nodes that should run the pod."
    ),
    number(
        "Current", at("status", "currentNumberScheduled", default=0), "The number of nodes that run the pod and should."
    ),
    number("Ready", at("status", "numberReady", default=0), "The number of nodes with a ready pod."),
    number(
        "Up-to-date",
        at("status", "updatedNumberScheduled", default=0),
        "The number of nodes with a pod of the current template.",
    ),
    number("Available", at("status", "numberAvailable", default=0), "The number of nodes with an available pod."),
    text("Node Selector", lambda obj, now: labels_text(dig(obj, "spec", "template", "spec", "nodeSelector"))),
    AGE,
    *container_columns("spec", "template"),
    selector_column("spec", "selector"),
)


def _owner(obj: Object, now: datetime) -> str:
    for owner in dig_list(obj, "metadata", "ownerReferences"):
        if owner.get("controller"):
            group = owner.get("apiVersion", "").rpartition("/")[0]
            kind = f"{owner.get('kind', '')}.{group}" if group else owner.get("kind", "")
            return f"{kind.lower()}/{owner.get('name', '')}"
    return "<none>"


CONTROLLER_REVISION = (
    NAME,
    text("Controller", _owner, "Controller of the object"),
    text("Revision", at("revision", default=0), "The number of this revision."),
    AGE,
)
POD_TEMPLATE = (
    NAME,
    text("Containers", container_columns("template")[0].cell, "Names of each container in the template."),
    text("Images", container_columns("template")[1].cell, "Images referenced by each container in the template."),
    text("Pod Labels", lambda obj, now: labels_text(dig(obj, "template", "metadata", "labels"))),
)

_JOB_STATES = (("Complete", "Complete"), ("Failed", "Failed"))
_LATE_JOB_STATES = (("Suspended", "Suspended"), ("FailureTarget", "FailureTarget"))


def _job_status(job: Object, now: datetime) -> str:
    for type_, word in _JOB_STATES:
        if condition_status(job, type_) == "True":
            return word
    if job["metadata"].get("deletionTimestamp"):
        return "Terminating"
    for type_, word in _LATE_JOB_STATES:
        if condition_status(job, type_) == "True":
            return word
    return "Running"


def _completions(job: Object, now: datetime) -> str:
    succeeded = dig(job, "status", "succeeded") or 0
    completions = dig(job, "spec", "completions")
    if completions is not None:
        return f"{succeeded}/{completions}"
    parallelism = dig(job, "spec", "parallelism") or 0
    return f"{succeeded}/1 of {parallelism}" if parallelism > 1 else f"{succeeded}/1"


def _job_duration(job: Object, now: datetime) -> str:
    started = parse_time(dig(job, "status", "startTime") or "")
    if started is None:
        return ""
    ended = parse_time(dig(job, "status", "completionTime") or "") or now
    return human_duration((ended - started).total_seconds())


JOB = (
    NAME,
    text("Status", _job_status, "Status of the job."),
    text("Completions", _completions, "Succeeded pods out of the required number."),
    text("Duration", _job_duration, "Time required to complete the job."),
    AGE,
    *container_columns("spec", "template"),
    selector_column("spec", "selector"),
)


def _suspend(obj: Object, now: datetime) -> str:
    suspended = dig(obj, "spec", "suspend")
    return "<unset>" if suspended is None else str(bool(suspended))


def _last_schedule(obj: Object, now: datetime) -> str:
    last = dig(obj, "status", "lastScheduleTime")
    return since(last, now) if last else "<none>"


CRON_JOB = (
    NAME,
    text("Schedule", at("spec", "schedule"), "The schedule in cron format."),
    text("Timezone", shown("spec", "timeZone", default="<none>"), "The time zone of the schedule."),
    flag("Suspend", _suspend, "Whether the creation of jobs is suspended."),
    number("Active", count("status", "active"), "The number of active jobs."),
    text("Last Schedule", _last_schedule, "Time since the last job was created."),
    AGE,
    *container_columns("spec", "jobTemplate", "spec", "template"),
    selector_column("spec", "jobTemplate", "spec", "selector"),
)


def _value(target: Object, field: str) -> Any:
    value = target.get(field)
    return None if value is None else str(value)


def _resource_metric(name: str, target: Object, current: Object) -> str:
    if (wanted := _value(target, "averageValue")) is not None:
        return f"{name}: {_value(current, 'averageValue') or '<unknown>'}/{wanted}"
    used, wanted = current.get("averageUtilization"), target.get("averageUtilization")
    return f"{name}: {'<unknown>' if used is None else f'{used}%'}/{'<auto>' if wanted is None else f'{wanted}%'}"


def _metric(spec: Object, status: Object) -> str:
    """A metric of an autoscaler: current and target value."""
    type_ = spec.get("type", "")
    source = type_[:1].lower() + type_[1:]
    target, current = dig_object(spec, source, "target"), dig_object(status, source, "current")
    match type_:
        case "Resource" | "ContainerResource":
            return _resource_metric(dig(spec, source, "name") or "", target, current)
        case "Pods":
            return f"{_value(current, 'averageValue') or '<unknown>'}/{_value(target, 'averageValue') or ''}"
        case "Object" | "External":
            if (wanted := _value(target, "averageValue")) is not None:
                return f"{_value(current, 'averageValue') or '<unknown>'}/{wanted} (avg)"
            return f"{_value(current, 'value') or '<unknown>'}/{_value(target, 'value') or ''}"
        case _:
            return "<unknown type>"


def _targets(obj: Object, now: datetime) -> str:
    percent = dig(obj, "spec", "targetCPUUtilizationPercentage")  # autoscaling/v1 has this one metric only
    if percent is not None:
        current = {"averageUtilization": dig(obj, "status", "currentCPUUtilizationPercentage")}
        return _resource_metric("cpu", {"averageUtilization": percent}, current)
    statuses = dig_list(obj, "status", "currentMetrics")
    metrics = [
        _metric(spec, statuses[index] if index < len(statuses) else {})
        for index, spec in enumerate(dig_list(obj, "spec", "metrics"))
    ]
    return with_more(metrics, 2, ", ", empty="<none>")


def _scale_target(obj: Object, now: datetime) -> str:
    reference = dig_object(obj, "spec", "scaleTargetRef")
    return f"{reference.get('kind', '')}/{reference.get('name', '')}"


def _minimum(obj: Object, now: datetime) -> str:
    return str(shown("spec", "minReplicas")(obj, now))


HORIZONTAL_POD_AUTOSCALER = (
    NAME,
    text("Reference", _scale_target, "The scaled object."),
    text("Targets", _targets, "Current and target value of each metric."),
    text("MinPods", _minimum, "The minimum number of pods."),
    text("MaxPods", at("spec", "maxReplicas", default=0), "The maximum number of pods."),
    text("Replicas", at("status", "currentReplicas", default=0), "The current number of pods."),
    AGE,
)
SCALE = (
    text("Name", NAME.cell, NAME.description),
    number("Desired", at("spec", "replicas", default=0), "The desired number of pods."),
    number("Available", at("status", "replicas", default=0), "The current number of pods."),
    AGE,
)


def _int_or_percent(field: str) -> Cell:
    return lambda obj, now: str(shown("spec", field, default="N/A")(obj, now))


POD_DISRUPTION_BUDGET = (
    NAME,
    text("Min Available", _int_or_percent("minAvailable"), "The minimum number of pods that must be available."),
    text("Max Unavailable", _int_or_percent("maxUnavailable"), "The maximum number of pods that may be unavailable."),
    number(
        "Allowed Disruptions",
        at("status", "disruptionsAllowed", default=0),
        "Calculated number of pods that may be disrupted at this time.",
    ),
    AGE,
)
