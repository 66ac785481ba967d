from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from windlass.apis.batch_v1 import CronJob, CronJobSpec, CronJobStatus, Job, JobCondition, JobStatus
from windlass.apis.core_v1 import ObjectReference
from windlass.controllers.core.cron_jobs import SCHEDULED_AT, event_for, job_at, reconcile
from windlass.kube.controller import Observed
from windlass.kube.errors import Forbidden
from windlass.kube.json import timestamp
from windlass.kube.meta import ObjectMeta, OwnerReference
from windlass.kube.plan import Outcome, Plan
from windlass.kube.testing import created, deleted

CREATED = datetime(2026, 1, 1, tzinfo=UTC)
OWNER = OwnerReference(api_version="batch/v1", kind="CronJob", name="tick", uid="cron", controller=True)


def a_cron_job(schedule: str = "*/5 * * * *", status: CronJobStatus | None = None, **spec: Any) -> CronJob:
    metadata = ObjectMeta(name="tick", namespace="n", uid="cron", creation_timestamp=timestamp(CREATED))
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"parallelism": 2}}
    given: Any = {"concurrency_policy": "Allow", "successful_jobs_history_limit": 3, "failed_jobs_history_limit": 1}
    wanted = CronJobSpec(schedule=schedule, job_template=template, **{**given, **spec})
    return CronJob(metadata=metadata, spec=wanted, status=status or CronJobStatus())


def a_job(minute: int, end: str = "", **metadata: Any) -> Job:
    """A Job that the CronJob made for a minute of its first hour."""
    moment = CREATED + timedelta(minutes=minute)
    name = f"tick-{int(moment.timestamp()) // 60}"
    annotations = {SCHEDULED_AT: timestamp(moment)}
    given: Any = {"name": name, "uid": f"uid-{minute}", "annotations": annotations, **metadata}
    conditions = [JobCondition(type=end, status="True")] if end else []
    done = timestamp(moment + timedelta(minutes=1)) if end == "Complete" else None
    status = JobStatus(conditions=conditions, start_time=timestamp(moment), completion_time=done)
    return Job(metadata=ObjectMeta(namespace="n", owner_references=[OWNER], **given), status=status)


def knowing(cron_job: CronJob, *jobs: Job, last: int | None = None) -> CronJob:
    """The CronJob with these Jobs in its status."""
    active = [ObjectReference(name=job.metadata.name, uid=job.metadata.uid) for job in jobs]
    scheduled = timestamp(CREATED + timedelta(minutes=last)) if last is not None else None
    return msgspec.structs.replace(cron_job, status=CronJobStatus(active=active, last_schedule_time=scheduled))


def observe(cron_job: CronJob, *jobs: Job, after: float) -> Plan:
    now = CREATED + timedelta(minutes=after)
    return reconcile(cron_job, Observed.just(*jobs, of=cron_job, now=now))


def status_of(plan: Plan) -> CronJobStatus:
    assert isinstance(plan.status, CronJobStatus)
    return plan.status


def made(plan: Plan) -> list[str]:
    return [obj["metadata"]["annotations"][SCHEDULED_AT][11:16] for obj in created(plan) if isinstance(obj, dict)]


def names(plan: Plan) -> list[str]:
    return [note.reason for note in plan.events]


def test_before_the_first_moment_nothing_starts() -> None:
    plan = observe(a_cron_job(), after=4)

    assert not created(plan)
    assert plan.again_in == timedelta(minutes=1, milliseconds=100)


def test_at_its_moment_a_job_is_made_of_the_template() -> None:
    plan = observe(a_cron_job(), after=5)

    [job] = created(plan)
    assert job == {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": "tick-29453765",
            "namespace": "n",
            "labels": {"a": "b"},
            "annotations": {SCHEDULED_AT: "2026-01-01T00:05:00Z"},
        },
        "spec": {"parallelism": 2},
    }
    assert status_of(plan).last_schedule_time == "2026-01-01T00:05:00Z"


def test_a_moment_that_was_served_is_not_served_again() -> None:
    assert not created(observe(knowing(a_cron_job(), last=5), after=6))


def test_a_job_that_the_status_does_not_know_yet_is_not_made_again() -> None:
    plan = observe(a_cron_job(), a_job(5), after=6)

    assert not created(plan)
    assert [reference.uid for reference in status_of(plan).active] == ["uid-5"]
    assert status_of(plan).last_schedule_time == "2026-01-01T00:05:00Z"


def test_of_several_missed_moments_the_last_is_served() -> None:
    assert made(observe(a_cron_job(), after=23)) == ["00:20"]


def test_a_moment_is_that_of_the_time_zone() -> None:
    cron_job = a_cron_job("0 9 * * *", time_zone="Asia/Kolkata")

    plan = observe(cron_job, after=3 * 60 + 31)

    [job] = created(plan)
    assert isinstance(job, dict)
    assert job["metadata"]["annotations"][SCHEDULED_AT] == "2026-01-01T09:00:00+05:30"


def test_more_than_a_hundred_missed_moments_are_told() -> None:
    plan = observe(a_cron_job("* * * * *"), after=200)

    assert made(plan) == ["03:20"]
    assert names(plan) == ["TooManyMissedTimes"]


def test_a_moment_past_its_deadline_is_not_served() -> None:
    plan = observe(a_cron_job("0 * * * *", starting_deadline_seconds=60), after=62)

    assert not created(plan)


@pytest.mark.parametrize(
    ("spec", "event"),
    [
        ({"time_zone": "Nowhere/Here"}, "UnknownTimeZone"),
        ({"schedule": "soon"}, "UnparseableSchedule"),
        ({"schedule": "59 23 31 2 *"}, "InvalidSchedule"),
    ],
)
def test_what_cannot_be_read_is_told(spec: Any, event: str) -> None:
    plan = observe(a_cron_job(**spec), after=60)

    assert names(plan) == [event]
    assert not created(plan)


def test_a_schedule_that_has_no_moment_is_reported_in_kubernetes_words() -> None:
    (event,) = observe(a_cron_job("59 23 31 2 *"), after=60).events

    assert (event.reason, event.warning) == ("InvalidSchedule", True)
    assert event.message == (
        "invalid schedule: 59 23 31 2 * : time difference between two schedules is less than 1 second"
    )


def test_a_suspended_cron_job_starts_nothing() -> None:
    plan = observe(a_cron_job(suspend=True), after=60)

    assert not created(plan)
    assert plan.again_in is None


@pytest.mark.parametrize(
    ("policy", "starts", "removed", "events"),
    [
        ("Allow", ["00:10"], [], []),
        ("Forbid", [], [], ["JobAlreadyActive"]),
        ("Replace", ["00:10"], ["uid-5"], []),
    ],
)
def test_what_happens_when_the_last_job_still_runs(
    policy: str, starts: list[str], removed: list[str], events: list[str]
) -> None:
    running = a_job(5)
    plan = observe(knowing(a_cron_job(concurrency_policy=policy), running, last=5), running, after=10)

    assert made(plan) == starts
    assert [job.metadata.uid for job in deleted(plan) if isinstance(job, Job)] == removed
    assert names(plan) == events


def test_a_job_that_ends_leaves_the_active_ones() -> None:
    done, failed = a_job(5, "Complete"), a_job(10, "Failed")
    plan = observe(knowing(a_cron_job(), done, failed, last=10), done, failed, after=12)

    assert status_of(plan).active == []
    assert status_of(plan).last_successful_time == "2026-01-01T00:06:00Z"
    assert [note.message for note in plan.events] == [
        f"Saw completed job: {done.metadata.name}, condition: Complete",
        f"Saw completed job: {failed.metadata.name}, condition: Failed",
    ]


def test_a_job_that_went_missing_is_told() -> None:
    plan = observe(knowing(a_cron_job(), a_job(5), last=5), after=6)

    assert names(plan) == ["MissingJob"]
    assert status_of(plan).active == []


def test_a_job_started_by_hand_is_not_among_the_active_ones() -> None:
    by_hand = a_job(5, name="now", annotations={"cronjob.kubernetes.io/instantiate": "manual"})
    plan = observe(knowing(a_cron_job(), last=5), by_hand, after=6)

    assert names(plan) == ["UnexpectedJob"]
    assert status_of(plan).active == []


def test_history_is_kept_within_its_limits() -> None:
    jobs = [a_job(minute, "Complete") for minute in (5, 10, 15, 20)] + [a_job(minute, "Failed") for minute in (25, 30)]

    plan = observe(knowing(a_cron_job(), last=30), *jobs, after=31)

    assert [job.metadata.uid for job in deleted(plan) if isinstance(job, Job)] == ["uid-5", "uid-25"]


def test_what_was_done_is_told() -> None:
    cron_job = a_cron_job()
    job = job_at(cron_job, CREATED, UTC)

    said = [event_for(cron_job, Outcome("create", job)), event_for(cron_job, Outcome("delete", job))]
    refused = event_for(cron_job, Outcome("create", job, Forbidden("no")))

    assert [(note.reason, note.message) for note in said if note] == [
        ("SuccessfulCreate", "Created job tick-29453760"),
        ("SuccessfulDelete", "Deleted job tick-29453760"),
    ]
    assert refused is not None
    assert (refused.reason, refused.message) == ("FailedCreate", "Error creating job: no")
