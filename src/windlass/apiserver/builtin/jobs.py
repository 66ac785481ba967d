"""Jobs and CronJobs. A Job's selector and labels are generated from its uid, so that no two Jobs share pods."""

from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from windlass.apiserver.builtin.fields import (
    MAX_INT32,
    Causes,
    check_enum,
    check_immutable,
    check_label_selector,
    check_not_negative,
    unsupported,
)
from windlass.apiserver.builtin.job_policies import check_policies
from windlass.apiserver.builtin.pod_defaults import default_template
from windlass.apiserver.builtin.pod_validation import check_template
from windlass.apiserver.builtin.pod_warnings import template_warnings
from windlass.apiserver.builtin.strategy import Builtin
from windlass.apiserver.builtin.workloads import NO_MATCH, Workload, selects_own_template
from windlass.kube.cron import schedule_problem
from windlass.kube.errors import Cause, invalid, required
from windlass.kube.json import Object, dig, dig_list, dig_object

CONTROLLER_UID = "batch.kubernetes.io/controller-uid"
JOB_NAME = "batch.kubernetes.io/job-name"
_LEGACY_CONTROLLER_UID, _LEGACY_JOB_NAME = "controller-uid", "job-name"
_COUNTS = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)
_IMMUTABLE = ("selector", "completionMode", "podFailurePolicy", "successPolicy", "backoffLimitPerIndex", "managedBy")
_SCHEDULING = ("nodeSelector", "affinity", "tolerations", "schedulingGates")


class Jobs(Workload):
    orphans_dependents = True
    orphans_warning = (
        "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or "
        "set propagationPolicy=Orphan to suppress this warning"
    )

    def default(self, obj: Object) -> None:
        spec: Object = obj.setdefault("spec", {})
        if "completions" not in spec and "parallelism" not in spec:
            spec["completions"] = 1
        spec.setdefault("parallelism", 1)
        spec.setdefault("completionMode", "NonIndexed")
        spec.setdefault("suspend", False)
        spec.setdefault("manualSelector", False)
        spec.setdefault("backoffLimit", MAX_INT32 if "backoffLimitPerIndex" in spec else 6)
        spec.setdefault("podReplacementPolicy", "Failed" if "podFailurePolicy" in spec else "TerminatingOrFailed")
        for rule in dig_list(spec, "podFailurePolicy", "rules"):
            for condition in rule.get("onPodConditions") or ():
                condition.setdefault("status", "True")
        template: Object = spec.setdefault("template", {})
        meta: Object = obj.setdefault("metadata", {})
        labels = dig_object(template, "metadata", "labels")
        if labels and not meta.get("labels"):
            meta["labels"] = dict(labels)
        default_template(template)

    def prepare_create(self, obj: Object) -> None:
        super().prepare_create(obj)
        spec: Object = obj.get("spec") or {}
        if spec.get("manualSelector"):
            return
        meta: Object = obj.get("metadata") or {}
        uid, name = meta.get("uid", ""), meta.get("name", "")
        template_meta: Object = spec.setdefault("template", {}).setdefault("metadata", {})
        labels: Object = template_meta.setdefault("labels", {})
        for key, value in _generated(uid, name).items():
            # A label that says something else is left for validation to refuse.
            labels.setdefault(key, value)
        if not meta.get("labels"):
            meta["labels"] = dict(labels)
        selector: Object = spec.setdefault("selector", {})
        selector.setdefault("matchLabels", {}).setdefault(CONTROLLER_UID, uid)

    def validate(self, obj: Object) -> list[Cause]:
        spec: Object = obj.get("spec") or {}
        causes: Causes = []
        _check_job_spec("spec", spec, causes)
        selector = spec.get("selector")
        if selector is None:
            causes.append(required("spec.selector"))
        else:
            before = len(causes)
            check_label_selector("spec.selector", selector, causes)
            if len(causes) == before and not selects_own_template(spec):
                labels = dig_object(spec, "template", "metadata", "labels")
                causes.append(invalid("spec.template.metadata.labels", labels, NO_MATCH))
        if not spec.get("manualSelector"):
            _check_generated(obj, spec, causes)
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        spec: Object = new.get("spec") or {}
        was: Object = old.get("spec") or {}
        causes: Causes = []
        if spec.get("completions") != was.get("completions") and not _grows_with_parallelism(spec):
            check_immutable("spec.completions", spec.get("completions"), was.get("completions"), causes)
        for field in _IMMUTABLE:
            check_immutable(f"spec.{field}", spec.get(field), was.get(field), causes)
        now, then = dig_object(spec, "template"), dig_object(was, "template")
        if was.get("suspend") and not dig(old, "status", "startTime"):
            now, then = _without_scheduling(now), _without_scheduling(then)
        if now != then:
            causes.append(invalid("spec.template", spec.get("template"), "field is immutable"))
        return causes

    def selectable_fields(self, obj: Object) -> dict[str, str]:
        return {"status.successful": str(dig(obj, "status", "succeeded") or 0)}


def _generated(uid: str, name: str) -> dict[str, str]:
    return {CONTROLLER_UID: uid, _LEGACY_CONTROLLER_UID: uid, JOB_NAME: name, _LEGACY_JOB_NAME: name}


def _check_generated(obj: Object, spec: Object, causes: Causes) -> None:
    meta: Object = obj.get("metadata") or {}
    uid, name = meta.get("uid"), meta.get("name", "")
    if not uid:
        return
    labels = dig_object(spec, "template", "metadata", "labels")
    for key, value in _generated(uid, name).items():
        field = f"spec.template.metadata.labels[{key}]"
        if key not in labels:
            causes.append(required(field, f"must be '{value}'"))
        elif labels[key] != value:
            causes.append(invalid(field, labels, f"must be '{value}'"))
    expected = ({CONTROLLER_UID: uid}, {_LEGACY_CONTROLLER_UID: uid})
    selector = dig_object(spec, "selector")
    if selector.get("matchLabels") not in expected or selector.get("matchExpressions"):
        causes.append(invalid("spec.selector", selector, "`selector` not auto-generated"))


def _grows_with_parallelism(spec: Object) -> bool:
    """Whether an indexed Job is elastic: completions may change together with parallelism."""
    return spec.get("completionMode") == "Indexed" and spec.get("completions") == spec.get("parallelism")


def _without_scheduling(template: Object) -> Object:
    pod = {field: value for field, value in dig_object(template, "spec").items() if field not in _SCHEDULING}
    meta = {field: value for field, value in dig_object(template, "metadata").items() if field not in _TEMPLATE_META}
    return {**template, "metadata": meta, "spec": pod}


_TEMPLATE_META = ("labels", "annotations")


def _check_job_spec(path: str, spec: Object, causes: Causes) -> None:
    for field in _COUNTS:
        check_not_negative(f"{path}.{field}", spec.get(field), causes)
    mode = spec.get("completionMode")
    if mode is not None and mode not in ("NonIndexed", "Indexed"):
        causes.append(unsupported(f"{path}.completionMode", mode, ("NonIndexed", "Indexed")))
    if mode == "Indexed" and spec.get("completions") is None:
        causes.append(required(f"{path}.completions", "when completion mode is Indexed"))
    template = dig_object(spec, "template")
    check_template(f"{path}.template", template, causes)
    policy = dig(template, "spec", "restartPolicy")
    field = f"{path}.template.spec.restartPolicy"
    if policy in ("Always", "", None):
        causes.append(required(field, 'valid values: "OnFailure", "Never"'))
    elif policy == "OnFailure" and spec.get("podFailurePolicy") is not None:
        why = 'only "Never" is supported when podFailurePolicy is specified'
        causes.append(invalid(field, policy, why))
    replacement = spec.get("podReplacementPolicy")
    possible = ("Failed",) if spec.get("podFailurePolicy") is not None else ("Failed", "TerminatingOrFailed")
    if replacement is not None and replacement not in possible:
        causes.append(unsupported(f"{path}.podReplacementPolicy", replacement, possible))
    check_policies(path, spec, causes)


class CronJobs(Builtin):
    def default(self, obj: Object) -> None:
        spec: Object = obj.setdefault("spec", {})
        if not spec.get("concurrencyPolicy"):
            spec["concurrencyPolicy"] = "Allow"
        spec.setdefault("suspend", False)
        spec.setdefault("successfulJobsHistoryLimit", 3)
        spec.setdefault("failedJobsHistoryLimit", 1)
        job: Object = spec.setdefault("jobTemplate", {}).setdefault("spec", {})
        default_template(job.setdefault("template", {}))

    def validate(self, obj: Object) -> list[Cause]:
        spec: Object = obj.get("spec") or {}
        causes: Causes = []
        name = dig(obj, "metadata", "name") or ""
        if len(name) > 52:
            # The controller adds eleven characters to make the names of Jobs.
            causes.append(invalid("metadata.name", name, "must be no more than 52 characters"))
        _check_schedule(spec.get("schedule"), causes)
        if "timeZone" in spec:
            _check_time_zone(spec["timeZone"], causes)
        for field in ("startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"):
            check_not_negative(f"spec.{field}", spec.get(field), causes)
        policy = spec.get("concurrencyPolicy", "")
        check_enum("spec.concurrencyPolicy", policy, ("Allow", "Forbid", "Replace"), causes)
        job: Object = dig_object(spec, "jobTemplate", "spec")
        _check_job_spec("spec.jobTemplate.spec", job, causes)
        if job.get("manualSelector"):
            causes.append(unsupported("spec.jobTemplate.spec.manualSelector", job["manualSelector"], ("nil", "false")))
        return causes

    def warnings(self, obj: Object) -> list[str]:
        job = dig_object(obj, "spec", "jobTemplate", "spec")
        return template_warnings("spec.jobTemplate.spec.template", dig_object(job, "template"))


def _check_schedule(schedule: Any, causes: Causes) -> None:
    if not schedule:
        causes.append(required("spec.schedule"))
    elif "TZ" in schedule:
        why = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
        causes.append(invalid("spec.schedule", schedule, why))
    else:
        problem = schedule_problem(schedule)
        if problem:
            causes.append(invalid("spec.schedule", schedule, problem))


def _check_time_zone(zone: str, causes: Causes) -> None:
    if not zone:
        causes.append(invalid("spec.timeZone", zone, "timeZone must be nil or non-empty string"))
    elif zone.lower() == "local":
        why = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
        causes.append(invalid("spec.timeZone", zone, why))
    else:
        try:
            ZoneInfo(zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            causes.append(invalid("spec.timeZone", zone, f"unknown time zone {zone}"))
