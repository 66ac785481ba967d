"""CronWorkflows: which Workflow is due, which ones are too old, and what the status shows."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from windlass.apps.pipelines.argo.language.expressions import ExpressionError, is_true
from windlass.apps.pipelines.argo.language.scope import Scope, Unresolved
from windlass.apps.pipelines.argo.language.tags import TagError, substitute_text
from windlass.apps.pipelines.argo.language.when import BadWhen, is_met
from windlass.apps.pipelines.argo.times import moment
from windlass.kube.cron import parse
from windlass.kube.json import Object, dig, dig_list, dig_object, timestamp
from windlass.kube.moments import moment_after, span

CRON_LABEL = "workflows.argoproj.io/cron-workflow"
SCHEDULED_ANNOTATION = "workflows.argoproj.io/scheduled-time"
START_GRACE = timedelta(seconds=60)
"""How late a start may be without being a missed one, which `startingDeadlineSeconds` decides about."""
MAX_MISSED = 1000
"""Missed moments that are counted; before the latest of them nothing matters."""


@dataclass(frozen=True, slots=True)
class Child:
    """A Workflow that the schedule has created."""

    name: str
    uid: str
    phase: str
    """Empty while it has not started."""
    scheduled_at: datetime

    @property
    def is_over(self) -> bool:
        return self.phase in ("Succeeded", "Failed", "Error")


@dataclass(frozen=True, kw_only=True)
class CronPlan:
    """What to do now."""

    create: Object | None = None
    deletes: Sequence[str] = ()
    stops: Sequence[str] = ()
    """Names of running Workflows that the new one replaces."""
    status: Object = field(default_factory=dict[str, Any])
    wake_at: datetime | None = None


def plan(cron: Object, children: Sequence[Child], now: datetime) -> CronPlan:
    """Decide about a CronWorkflow. Raises ValueError for a schedule that cannot be read."""
    spec, old = dig_object(cron, "spec"), dig_object(cron, "status")
    zone = ZoneInfo(str(spec.get("timezone") or "UTC"))
    active = [child for child in children if not child.is_over]
    counts = _counts(old, children)
    is_stopped = old.get("phase") == "Stopped" or _is_stopping(spec, counts)
    due = None if spec.get("suspend") or is_stopped else _due(cron, spec, zone, now, children)
    policy, stops = spec.get("concurrencyPolicy") or "Allow", list[str]()
    if due is not None and active and policy == "Replace":
        stops = [child.name for child in active]
    is_started = due is not None and not (active and policy == "Forbid") and _is_wanted(cron, spec, now)
    last = timestamp(due) if is_started and due is not None else old.get("lastScheduledTime")
    status: Object = {
        "active": [{"kind": "Workflow", "name": c.name, "uid": c.uid} for c in active if c.name not in stops],
        "lastScheduledTime": last,
        "phase": "Stopped" if is_stopped else "Active",
        "succeeded": counts["succeeded"],
        "failed": counts["failed"],
        "conditions": [],
        "counted": sorted(child.uid for child in children if child.is_over),
    }
    return CronPlan(
        create=_workflow(cron, due, zone) if is_started and due is not None else None,
        deletes=_too_old(spec, children),
        stops=stops if is_started else [],
        status=status,
        wake_at=None if spec.get("suspend") or is_stopped else _next(spec, zone, now),
    )


def schedules_of(spec: Object) -> list[str]:
    """The schedules; the singular field is the older one."""
    return [str(text) for text in dig_list(spec, "schedules")] or [str(spec.get("schedule") or "")]


def _due(cron: Object, spec: Object, zone: tzinfo, now: datetime, children: Sequence[Child]) -> datetime | None:
    """The latest moment that has come since the last Workflow, if it has just come or its deadline has not passed."""
    known = [moment(dig(cron, "status", "lastScheduledTime") or dig(cron, "metadata", "creationTimestamp"))]
    since = max([*known, *(child.scheduled_at for child in children)])
    deadline = spec.get("startingDeadlineSeconds")
    catch_up = span(deadline) if isinstance(deadline, int) else timedelta()
    due: datetime | None = None
    for text in schedules_of(spec):
        schedule, at = parse(text), max(since, moment_after(now, -86_400))
        for _ in range(MAX_MISSED * 2):
            following = schedule.after(at, zone)
            if following is None or following > now:
                break
            at = following
            due = following if due is None else max(due, following)
    return due if due is not None and (now - due < START_GRACE or now - due <= catch_up) else None


def _next(spec: Object, zone: tzinfo, now: datetime) -> datetime | None:
    moments = [parse(text).after(now, zone) for text in schedules_of(spec)]
    return min((at for at in moments if at is not None), default=None)


def _is_wanted(cron: Object, spec: Object, now: datetime) -> bool:
    """Whether `when` holds. Raises ValueError."""
    condition = spec.get("when")
    if not condition:
        return True
    last = dig(cron, "status", "lastScheduledTime")
    metadata = dig_object(cron, "metadata")
    values: dict[str, Any] = {
        "cronworkflow.name": metadata.get("name", ""),
        "cronworkflow.namespace": metadata.get("namespace", ""),
        "cronworkflow.lastScheduledTime": last,
        "cronworkflow.failed": dig(cron, "status", "failed") or 0,
        "cronworkflow.succeeded": dig(cron, "status", "succeeded") or 0,
    }
    try:
        return is_met(substitute_text(str(condition), Scope(values)))
    except (TagError, BadWhen) as error:
        raise ValueError(f"spec.when: {error}") from None


def _is_stopping(spec: Object, counts: dict[str, int]) -> bool:
    """Whether the stop strategy ends the schedule. Raises ValueError."""
    expression = dig(spec, "stopStrategy", "expression") or dig(spec, "stopStrategy", "condition")
    if not expression:
        return False
    values = {**counts, **{f"cronworkflow.{name}": value for name, value in counts.items()}}
    try:
        return is_true(str(expression), Scope(values))
    except (ExpressionError, Unresolved) as error:
        raise ValueError(f"spec.stopStrategy.expression: {error}") from None


def _counts(old: Object, children: Sequence[Child]) -> dict[str, int]:
    """How many Workflows have succeeded and failed, each counted once."""
    counted = set(dig_list(old, "counted"))
    counts = {"succeeded": int(old.get("succeeded") or 0), "failed": int(old.get("failed") or 0)}
    for child in children:
        if child.is_over and child.uid not in counted:
            counts["succeeded" if child.phase == "Succeeded" else "failed"] += 1
    return counts


def _too_old(spec: Object, children: Sequence[Child]) -> list[str]:
    """Finished Workflows beyond the limits of history, the oldest of them."""
    names: list[str] = []
    for name, default, is_success in (
        ("successfulJobsHistoryLimit", 3, True),
        ("failedJobsHistoryLimit", 1, False),
    ):
        limit = spec.get(name)
        kept = limit if isinstance(limit, int) and limit >= 0 else default
        over = [child for child in children if child.is_over and (child.phase == "Succeeded") is is_success]
        over.sort(key=lambda child: (child.scheduled_at, child.name), reverse=True)
        names += [child.name for child in over[kept:]]
    return sorted(names)


def _workflow(cron: Object, at: datetime, zone: tzinfo) -> Object:
    """The Workflow of a moment; its name follows from the moment, so that none is created twice."""
    spec, metadata = dig_object(cron, "spec"), dig_object(cron, "metadata")
    given = dig_object(spec, "workflowMetadata")
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {
            "name": f"{metadata['name']}-{int(at.timestamp())}",
            "namespace": metadata.get("namespace", ""),
            "labels": {**dig_object(given, "labels"), CRON_LABEL: metadata["name"]},
            "annotations": {
                **dig_object(given, "annotations"),
                SCHEDULED_ANNOTATION: at.astimezone(zone).isoformat(timespec="seconds"),
            },
        },
        "spec": dig_object(spec, "workflowSpec"),
    }
