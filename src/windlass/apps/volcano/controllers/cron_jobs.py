"""CronJob -> a Volcano Job at each moment of its schedule, named after the moment; old finished Jobs are removed."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfoNotFoundError

import msgspec

from windlass.apis.core_v1 import Json, ObjectReference
from windlass.apps.volcano.controllers.names import COMPONENT
from windlass.apps.volcano.kinds.batch import GROUP_VERSION, CronJob, CronJobStatus, Job
from windlass.controllers.core.cron_times import due, until_next, zone_of
from windlass.kube.controller import Controller, Observed
from windlass.kube.cron import BadSchedule, parse
from windlass.kube.json import timestamp
from windlass.kube.meta import parse_time
from windlass.kube.moments import moment_after
from windlass.kube.objects import key_of
from windlass.kube.plan import Create, Delete, Event, Outcome, Plan

SCHEDULED_AT = "volcano.sh/cronjob-scheduled-timestamp"
COMPLETED, FAILED = "Completed", "Failed"
FINISHED = (COMPLETED, FAILED, "Terminated")


@dataclass(frozen=True, slots=True)
class Turn:
    """What the clock asks for now."""

    start: datetime | None = None
    replaced: list[Job] = field(default_factory=list[Job])
    events: list[Event] = field(default_factory=list[Event])
    again_in: timedelta | None = None


def reconcile(cron_job: CronJob, observed: Observed) -> Plan:
    jobs = observed.owned(Job)
    active, events = _active(cron_job, jobs)
    last = _last_scheduled(cron_job, jobs)
    going = cron_job.metadata.deletion_timestamp is not None
    turn = Turn() if going else _turn(cron_job, jobs, active, last, observed.now)
    replaced = {job.metadata.uid for job in turn.replaced}
    scheduled = turn.start or last
    started = [job_at(cron_job, turn.start, zone_of(cron_job))] if turn.start is not None else []
    too_old = [] if going else _too_old(cron_job, jobs)
    return Plan(
        [
            *map(Create, started),
            *map(Delete, turn.replaced),
            *map(Delete, too_old),
        ],
        status=CronJobStatus(
            active=[reference for reference in active if reference.uid not in replaced],
            last_schedule_time=timestamp(scheduled) if scheduled is not None else None,
            last_successful_time=_last_successful(cron_job, jobs),
        ),
        events=[*events, *turn.events],
        again_in=turn.again_in,
    )


def job_name(cron_job: CronJob, moment: datetime) -> str:
    return f"{cron_job.metadata.name}-{int(moment.timestamp()) // 60}"


def job_at(cron_job: CronJob, moment: datetime, zone: tzinfo) -> Json:
    template = cron_job.spec.job_template
    given: dict[str, Any] = template.metadata
    written = moment.astimezone(zone).isoformat(timespec="seconds").replace("+00:00", "Z")
    metadata: Json = {
        "name": job_name(cron_job, moment),
        "namespace": cron_job.metadata.namespace,
        "annotations": {**(given.get("annotations") or {}), SCHEDULED_AT: written},
    }
    if given.get("labels"):
        metadata["labels"] = given["labels"]
    return {
        "apiVersion": GROUP_VERSION,
        "kind": "Job",
        "metadata": metadata,
        "spec": msgspec.to_builtins(template.spec),
    }


def phase_of(job: Job) -> str:
    return job.status.state.phase or ""


# --- what has become of the Jobs


def _active(cron_job: CronJob, jobs: list[Job]) -> tuple[list[ObjectReference], list[Event]]:
    """The Jobs that are not finished, and events about those that the status still lists."""
    by_uid = {job.metadata.uid: job for job in jobs}
    events: list[Event] = []
    for reference in cron_job.status.active:
        job = by_uid.get(reference.uid)
        if job is None:
            message = f'Active job "{reference.name}" no longer exists (UID: {reference.uid})'
            events.append(Event(reason="StaleReference", message=message, warning=True))
        elif phase_of(job) in FINISHED:
            message = f"Saw completed job: {job.metadata.name} in active, remove"
            events.append(Event(reason="SawCompletedJob", message=message))
    running = [job for job in jobs if phase_of(job) not in FINISHED and job.metadata.deletion_timestamp is None]
    return [_reference(cron_job, job) for job in running], events


def _reference(cron_job: CronJob, job: Job) -> ObjectReference:
    """As the status has it, or new: a version that moved on is no reason to write."""
    for known in cron_job.status.active:
        if known.uid == job.metadata.uid:
            return known
    return ObjectReference(
        api_version=GROUP_VERSION,
        kind="Job",
        namespace=job.metadata.namespace,
        name=job.metadata.name,
        uid=job.metadata.uid,
        resource_version=job.metadata.resource_version,
    )


def _last_successful(cron_job: CronJob, jobs: list[Job]) -> str | None:
    ends = [job.status.state.last_transition_time for job in jobs if phase_of(job) == COMPLETED]
    return max(filter(None, [*ends, cron_job.status.last_successful_time]), default=None)


def _last_scheduled(cron_job: CronJob, jobs: list[Job]) -> datetime | None:
    """Read from the Jobs too, so that a moment is not served twice if only its Job was written."""
    written = cron_job.status.last_schedule_time
    times = [parse_time(written) if written is not None else None, *(_scheduled_at(cron_job, job) for job in jobs)]
    return max((time for time in times if time is not None), default=None)


def _scheduled_at(cron_job: CronJob, job: Job) -> datetime | None:
    """The moment that a Job was made for, of one that this controller made."""
    try:
        moment = parse_time(job.metadata.annotations.get(SCHEDULED_AT, ""))
    except ValueError:
        return None
    return moment if job.metadata.name == job_name(cron_job, moment) else None


def _too_old(cron_job: CronJob, jobs: list[Job]) -> list[Job]:
    """Finished Jobs beyond the limits of history, the oldest first."""
    spec = cron_job.spec
    going: list[Job] = []
    for ended, limit in ((COMPLETED, spec.successful_jobs_history_limit), (FAILED, spec.failed_jobs_history_limit)):
        of_this_end = [job for job in jobs if phase_of(job) == ended]
        of_this_end.sort(key=lambda job: (job.metadata.creation_timestamp or "", job.metadata.name))
        going += of_this_end[: max(0, len(of_this_end) - limit)]
    return going


# --- what the clock asks for


def _turn(
    cron_job: CronJob, jobs: list[Job], active: list[ObjectReference], last: datetime | None, now: datetime
) -> Turn:
    spec = cron_job.spec
    if spec.suspend:
        return Turn()
    try:
        zone, schedule = zone_of(cron_job), parse(spec.schedule)
    except BadSchedule:
        message = f"unparseable schedule for cronjob: {spec.schedule}"
        return Turn(events=[Event(reason="UnParseableCronJobSchedule", message=message, warning=True)])
    except (ZoneInfoNotFoundError, ValueError, OSError):
        message = f"invalid timeZone: {spec.time_zone}: unknown time zone {spec.time_zone}"
        return Turn(events=[Event(reason="InvalidSchedule", message=message, warning=True)])
    found = due(cron_job, schedule, zone, last, now)
    events: list[Event] = []
    if found.too_many_missed:
        message = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"
        events.append(Event(reason="TooManyMissedTimes", message=message, warning=True))
    again_in = until_next(schedule, zone, now)
    if found.moment is None:
        return Turn(again_in=again_in)
    deadline = spec.starting_deadline_seconds
    if deadline is not None and moment_after(found.moment, deadline) < now:
        message = f"Missed scheduled time to start a job: {timestamp(found.moment)}"
        return Turn(events=[*events, Event(reason="MissSchedule", message=message, warning=True)], again_in=again_in)
    return _start(cron_job, jobs, active, Turn(found.moment, [], events, again_in))


def _start(cron_job: CronJob, jobs: list[Job], active: list[ObjectReference], turn: Turn) -> Turn:
    policy = cron_job.spec.concurrency_policy
    if not active or policy == "Allow":
        return turn
    if policy == "Forbid":
        message = "Skipping job creation because another job is already running"
        skipped = Event(reason="ForbidConcurrent", message=message, warning=True)
        return Turn(events=[*turn.events, skipped], again_in=turn.again_in)
    running = {reference.uid for reference in active}
    replaced = Event(reason="ReplaceConcurrent", message="Replacing active job for CronJob", warning=True)
    over = [job for job in jobs if job.metadata.uid in running]
    return Turn(turn.start, over, [*turn.events, replaced], turn.again_in)


def event_for(cron_job: CronJob, outcome: Outcome) -> Event | None:
    """The events about Jobs that were made or removed, in Volcano's words."""
    name = key_of(outcome.obj).name
    if outcome.verb == "create":
        if outcome.error is None:
            return Event(reason="SuccessfulCreate", message=f"Created job {name} for CronJob {cron_job.metadata.key}")
        return Event(reason="FailedCreate", message=f"Failed to create job: {outcome.error.message}", warning=True)
    if outcome.verb == "delete":
        if outcome.error is None:
            return Event(reason="SuccessfulDelete", message=f'Deleted job "{name}"')
        return Event(
            reason="FailedDelete", message=f'Error deleting job "{name}": {outcome.error.message}', warning=True
        )
    return None


CONTROLLER = Controller(
    "volcano-cronjob", CronJob, reconcile, owns=[Job], event_for=event_for, workers=2, component=COMPONENT
)
