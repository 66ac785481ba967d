"""CronJob -> a Job at each moment of its schedule, named after the moment; old finished Jobs are removed."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from email.utils import format_datetime
from typing import Any
from zoneinfo import ZoneInfoNotFoundError

import msgspec

from windlass.apis.batch_v1 import CronJob, CronJobStatus, Job
from windlass.apis.core_v1 import Json, ObjectReference
from windlass.controllers.core.cron_times import due, until_next, zone_of
from windlass.controllers.core.job_verdict import COMPLETE, FAILED, is_finished
from windlass.kube.conditions import is_true
from windlass.kube.controller import Controller, Observed
from windlass.kube.cron import BadSchedule, parse
from windlass.kube.json import timestamp
from windlass.kube.meta import parse_time
from windlass.kube.moments import moment_after
from windlass.kube.objects import key_of
from windlass.kube.plan import Create, Delete, Event, Outcome, Plan

SCHEDULED_AT = "batch.kubernetes.io/cronjob-scheduled-timestamp"
_NO_SCHEDULED_TIMES = "time difference between two schedules is less than 1 second"
"""Kubernetes' message for a schedule that never comes due."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """The Jobs of a CronJob against what its status says of them."""

    active: list[ObjectReference]
    last_successful: str | None
    last_scheduled: datetime | None
    events: list[Event]


@dataclass(frozen=True, slots=True)
class Turn:
    """What the clock asks for now."""

    start: datetime | None = None
    replaced: list[Job] = field(default_factory=list[Job])
    events: list[Event] = field(default_factory=list[Event])
    again_in: timedelta | None = None


def reconcile(cron_job: CronJob, observed: Observed) -> Plan:
    jobs = observed.owned(Job)
    ledger = _ledger(cron_job, jobs)
    going = cron_job.metadata.deletion_timestamp is not None
    turn = Turn() if going else _turn(cron_job, jobs, ledger, observed.now)
    replaced = {job.metadata.uid for job in turn.replaced}
    scheduled = turn.start or ledger.last_scheduled
    started = [job_at(cron_job, turn.start, zone_of(cron_job))] if turn.start is not None else []
    too_old = [] if going else _too_old(cron_job, jobs)
    return Plan(
        [
            *map(Create, started),
            *map(Delete, turn.replaced),
            *map(Delete, too_old),
        ],
        status=CronJobStatus(
            active=[reference for reference in ledger.active if reference.uid not in replaced],
            last_schedule_time=timestamp(scheduled) if scheduled is not None else None,
            last_successful_time=ledger.last_successful,
        ),
        events=[*ledger.events, *turn.events],
        again_in=turn.again_in,
    )


def job_name(cron_job: CronJob, moment: datetime) -> str:
    return f"{cron_job.metadata.name}-{int(moment.timestamp()) // 60}"


def job_at(cron_job: CronJob, moment: datetime, zone: tzinfo) -> Json:
    template: dict[str, Any] = cron_job.spec.job_template
    given: dict[str, Any] = template.get("metadata") or {}
    written = moment.astimezone(zone).isoformat(timespec="seconds").replace("+00:00", "Z")
    metadata: Json = {
        "name": job_name(cron_job, moment),
        "namespace": cron_job.metadata.namespace,
        "annotations": {**(given.get("annotations") or {}), SCHEDULED_AT: written},
    }
    if given.get("labels"):
        metadata["labels"] = given["labels"]
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": template.get("spec") or {}}


# --- what has become of the Jobs


def _ledger(cron_job: CronJob, jobs: list[Job]) -> Ledger:
    status = cron_job.status
    by_uid = {job.metadata.uid: job for job in jobs}
    known = {reference.uid for reference in status.active}
    active: list[ObjectReference] = []
    events: list[Event] = []
    for reference in status.active:
        job = by_uid.get(reference.uid)
        if job is None:
            events.append(Event(reason="MissingJob", message=f"Active job went missing: {reference.name}"))
        elif is_finished(job):
            ended = COMPLETE if is_true(job.status.conditions, COMPLETE) else FAILED
            message = f"Saw completed job: {job.metadata.name}, condition: {ended}"
            events.append(Event(reason="SawCompletedJob", message=message))
        else:
            active.append(reference)
    for job in jobs:
        if job.metadata.uid in known or is_finished(job) or job.metadata.deletion_timestamp is not None:
            continue
        if _scheduled_at(cron_job, job) is not None:
            active.append(_reference(job))
        else:
            message = f"Saw a job that the controller did not create or forgot: {job.metadata.name}"
            events.append(Event(reason="UnexpectedJob", message=message, warning=True))
    return Ledger(active, _last_successful(cron_job, jobs), _last_scheduled(cron_job, jobs), events)


def _scheduled_at(cron_job: CronJob, job: Job) -> datetime | None:
    """The moment that a Job was made for, of one that this controller made."""
    written = job.metadata.annotations.get(SCHEDULED_AT)
    if written is None:
        return None
    try:
        moment = parse_time(written)
    except ValueError:
        return None
    return moment if job.metadata.name == job_name(cron_job, moment) else None


def _reference(job: Job) -> ObjectReference:
    metadata = job.metadata
    return ObjectReference(
        api_version="batch/v1",
        kind="Job",
        namespace=metadata.namespace,
        name=metadata.name,
        uid=metadata.uid,
        resource_version=metadata.resource_version,
    )


def _last_successful(cron_job: CronJob, jobs: list[Job]) -> str | None:
    times = [job.status.completion_time for job in jobs if is_true(job.status.conditions, COMPLETE)]
    return max(filter(None, [*times, cron_job.status.last_successful_time]), default=None)


def _last_scheduled(cron_job: CronJob, jobs: list[Job]) -> datetime | None:
    """Read from the Jobs too, so that a moment is not served twice if only its Job was written."""
    written = cron_job.status.last_schedule_time
    times = [parse_time(written) if written is not None else None, *(_scheduled_at(cron_job, job) for job in jobs)]
    return max((time for time in times if time is not None), default=None)


def _too_old(cron_job: CronJob, jobs: list[Job]) -> list[Job]:
    """Finished Jobs beyond the limits of history, those that started first going first."""
    spec = cron_job.spec
    going: list[Job] = []
    for ended, limit in ((COMPLETE, spec.successful_jobs_history_limit), (FAILED, spec.failed_jobs_history_limit)):
        of_this_end = [job for job in jobs if is_true(job.status.conditions, ended)]
        if limit is not None and len(of_this_end) > limit:
            of_this_end.sort(key=lambda job: (job.status.start_time or "9", job.metadata.name))
            going += of_this_end[: len(of_this_end) - limit]
    return going


# --- what the clock asks for


def _turn(cron_job: CronJob, jobs: list[Job], ledger: Ledger, now: datetime) -> Turn:
    spec = cron_job.spec
    try:
        zone = zone_of(cron_job)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        message = f"invalid timeZone: {spec.time_zone}: unknown time zone {spec.time_zone}"
        return Turn(events=[Event(reason="UnknownTimeZone", message=message, warning=True)])
    if spec.suspend:
        return Turn()
    try:
        schedule = parse(spec.schedule)
    except BadSchedule as bad:
        message = f"unparseable schedule: {msgspec.json.encode(spec.schedule).decode()} : {bad}"
        return Turn(events=[Event(reason="UnparseableSchedule", message=message, warning=True)])
    found = due(cron_job, schedule, zone, ledger.last_scheduled, now)
    if found.never:
        message = f"invalid schedule: {spec.schedule} : {_NO_SCHEDULED_TIMES}"
        return Turn(events=[Event(reason="InvalidSchedule", message=message, warning=True)])
    events: list[Event] = []
    if found.too_many_missed:
        message = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"
        events.append(Event(reason="TooManyMissedTimes", message=message, warning=True))
    again_in = until_next(schedule, zone, now)
    if found.moment is None:
        return Turn(again_in=again_in)
    deadline = spec.starting_deadline_seconds
    if deadline is not None and moment_after(found.moment, deadline) < now:
        message = f"Missed scheduled time to start a job: {format_datetime(found.moment)}"
        return Turn(events=[*events, Event(reason="MissSchedule", message=message, warning=True)], again_in=again_in)
    return _start(cron_job, jobs, ledger, found.moment, events, again_in)


def _start(
    cron_job: CronJob,
    jobs: list[Job],
    ledger: Ledger,
    moment: datetime,
    events: list[Event],
    again_in: timedelta | None,
) -> Turn:
    policy = cron_job.spec.concurrency_policy
    if policy == "Forbid" and ledger.active:
        message = "Not starting job because prior execution is running and concurrency policy is Forbid"
        return Turn(events=[*events, Event(reason="JobAlreadyActive", message=message)], again_in=again_in)
    running = {reference.uid for reference in ledger.active} if policy == "Replace" else set[str]()
    replaced = [job for job in jobs if job.metadata.uid in running]
    return Turn(moment, replaced, events, again_in)


def event_for(_: CronJob, outcome: Outcome) -> Event | None:
    """The events about Jobs that were made or removed, in Kubernetes' words."""
    name = key_of(outcome.obj).name
    if outcome.verb == "create":
        if outcome.error is None:
            return Event(reason="SuccessfulCreate", message=f"Created job {name}")
        return Event(reason="FailedCreate", message=f"Error creating job: {outcome.error.message}", warning=True)
    if outcome.verb == "delete":
        if outcome.error is None:
            return Event(reason="SuccessfulDelete", message=f"Deleted job {name}")
        return Event(reason="FailedDelete", message=f"Deleted job: {outcome.error.message}", warning=True)
    return None


CONTROLLER = Controller("cronjob-controller", CronJob, reconcile, owns=[Job], event_for=event_for, workers=5)
