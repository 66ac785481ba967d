from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from windlass.apis.core_v1 import ObjectReference
from windlass.apps.volcano.controllers.cron_jobs import SCHEDULED_AT, event_for, job_at, reconcile
from windlass.apps.volcano.kinds.batch import (
    CronJob,
    CronJobSpec,
    CronJobStatus,
    Job,
    JobSpec,
    JobState,
    JobStatus,
    JobTemplateSpec,
    TaskSpec,
)
from windlass.kube.controller import Observed
from windlass.kube.errors import Forbidden
from windlass.kube.json import timestamp
from windlass.kube.meta import ObjectMeta, OwnerReference
from windlass.kube.plan import Outcome, Plan
from windlass.kube.testing import created, deleted

CREATED = datetime(2026, 1, 1, tzinfo=UTC)
OWNER = OwnerReference(
    api_version="batch.volcano.sh/v1alpha1", kind="CronJob", name="tick", uid="cron", controller=True
)
POD: Any = {"spec": {"containers": [{"name": "c", "image": "i", "unheardOf": 1}]}}


def a_cron_job(schedule: str = "*/5 * * * *", status: CronJobStatus | None = None, **spec: Any) -> CronJob:
    metadata = ObjectMeta(name="tick", namespace="n", uid="cron", creation_timestamp=timestamp(CREATED))
    job = JobSpec(min_available=1, queue="q", tasks=[TaskSpec(name="t", replicas=1, template=POD)])
    template = JobTemplateSpec(metadata={"labels": {"a": "b"}, "annotations": {"c": "d"}}, spec=job)
    wanted = CronJobSpec(schedule=schedule, job_template=template, **spec)
    return CronJob(metadata=metadata, spec=wanted, status=status or CronJobStatus())


def a_job(minute: int, phase: Any = "Running", **metadata: Any) -> Job:
    """A Job that the CronJob made for a minute of its first hour; it ended a minute later."""
    moment = CREATED + timedelta(minutes=minute)
    given: Any = {
        "name": f"tick-{int(moment.timestamp()) // 60}",
        "uid": f"uid-{minute}",
        "annotations": {SCHEDULED_AT: timestamp(moment)},
        "creation_timestamp": timestamp(moment),
        **metadata,
    }
    state = JobState(phase=phase, last_transition_time=timestamp(moment + timedelta(minutes=1)))
    return Job(metadata=ObjectMeta(namespace="n", owner_references=[OWNER], **given), status=JobStatus(state=state))


def knowing(*jobs: Job, last: int | None = None) -> CronJobStatus:
    active = [ObjectReference(name=job.metadata.name, uid=job.metadata.uid) for job in jobs]
    scheduled = timestamp(CREATED + timedelta(minutes=last)) if last is not None else None
    return CronJobStatus(active=active, last_schedule_time=scheduled)


def look(cron_job: CronJob, *jobs: Job, after: float) -> Plan:
    return reconcile(cron_job, Observed.just(*jobs, of=cron_job, now=CREATED + timedelta(minutes=after)))


def made(plan: Plan) -> list[str]:
    return [obj["metadata"]["annotations"][SCHEDULED_AT][11:16] for obj in created(plan) if isinstance(obj, dict)]


def gone(plan: Plan) -> list[str]:
    return [obj.metadata.uid for obj in deleted(plan) if isinstance(obj, Job)]


def reasons(plan: Plan) -> list[str]:
    return [note.reason for note in plan.events]


def status_of(plan: Plan) -> CronJobStatus:
    assert isinstance(plan.status, CronJobStatus)
    return plan.status


def test_a_job_is_made_when_its_moment_has_come_and_the_next_look_is_at_the_next() -> None:
    assert made(look(a_cron_job(), after=4)) == []

    plan = look(a_cron_job(), after=6)

    assert made(plan) == ["00:05"]
    assert status_of(plan).last_schedule_time == "2026-01-01T00:05:00Z"
    assert plan.again_in == timedelta(minutes=4, milliseconds=100)


def test_the_job_is_what_the_template_says_named_after_the_minute() -> None:
    moment = CREATED + timedelta(minutes=5)

    job = job_at(a_cron_job(), moment, UTC)

    assert job["metadata"] == {
        "name": f"tick-{int(moment.timestamp()) // 60}",
        "namespace": "n",
        "labels": {"a": "b"},
        "annotations": {"c": "d", SCHEDULED_AT: "2026-01-01T00:05:00Z"},
    }
    assert job["spec"] == {
        "minAvailable": 1,
        "queue": "q",
        "tasks": [{"name": "t", "replicas": 1, "template": POD}],
    }


def test_the_moment_of_a_job_is_that_of_the_time_zone() -> None:
    [job] = created(look(a_cron_job("30 9 * * *", time_zone="Asia/Tokyo"), after=45))

    assert isinstance(job, dict)
    assert job["metadata"]["annotations"][SCHEDULED_AT] == "2026-01-01T09:30:00+09:00"


def test_a_moment_whose_job_is_there_already_is_not_served_twice() -> None:
    plan = look(a_cron_job(), a_job(5), after=6)

    assert made(plan) == []
    assert status_of(plan).last_schedule_time == "2026-01-01T00:05:00Z"
    assert [one.uid for one in status_of(plan).active] == ["uid-5"]


@pytest.mark.parametrize(
    ("policy", "starts", "goes", "reason"),
    [
        ("Allow", ["00:10"], [], []),
        ("Forbid", [], [], ["ForbidConcurrent"]),
        ("Replace", ["00:10"], ["uid-5"], ["ReplaceConcurrent"]),
    ],
)
def test_what_happens_to_a_job_that_still_runs(
    policy: Any, starts: list[str], goes: list[str], reason: list[str]
) -> None:
    plan = look(a_cron_job(concurrency_policy=policy, status=knowing(a_job(5), last=5)), a_job(5), after=11)

    assert (made(plan), gone(plan), reasons(plan)) == (starts, goes, reason)
    assert [one.uid for one in status_of(plan).active] == ([] if policy == "Replace" else ["uid-5"])


@pytest.mark.parametrize("phase", ["Completed", "Failed", "Terminated"])
def test_a_job_that_ended_is_active_no_more_and_that_is_told(phase: str) -> None:
    job = a_job(5, phase)

    plan = look(a_cron_job(status=knowing(job, last=5)), job, after=7)

    assert status_of(plan).active == []
    assert [note.message for note in plan.events] == [f"Saw completed job: {job.metadata.name} in active, remove"]
    expected = "2026-01-01T00:06:00Z" if phase == "Completed" else None
    assert status_of(plan).last_successful_time == expected


def test_an_active_job_that_is_gone_is_told_of() -> None:
    plan = look(a_cron_job(status=knowing(a_job(5), last=5)), after=7)

    assert (reasons(plan), status_of(plan).active) == (["StaleReference"], [])


def test_finished_jobs_beyond_the_limits_go_the_oldest_first() -> None:
    jobs = [a_job(minute, "Completed") for minute in (5, 10, 15, 20)] + [a_job(25, "Failed"), a_job(30, "Failed")]

    plan = look(a_cron_job(status=knowing(last=30), successful_jobs_history_limit=2), *jobs, after=31)

    assert gone(plan) == ["uid-5", "uid-10", "uid-25"]


def test_a_suspended_cron_job_makes_nothing_and_has_nothing_to_wait_for() -> None:
    plan = look(a_cron_job(suspend=True), after=60)

    assert (made(plan), plan.again_in) == ([], None)


def test_moments_that_were_missed_are_served_by_one_job_and_told_of_when_there_were_many() -> None:
    plan = look(a_cron_job("* * * * *"), after=150.5)

    assert made(plan) == ["02:30"]
    assert reasons(plan) == ["TooManyMissedTimes"]


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ({"schedule": "often"}, "UnParseableCronJobSchedule"),
        ({"time_zone": "Mars/Olympus"}, "InvalidSchedule"),
    ],
)
def test_what_cannot_be_read_is_told_and_makes_nothing(spec: dict[str, Any], reason: str) -> None:
    plan = look(a_cron_job(**spec), after=60)

    assert (made(plan), reasons(plan)) == ([], [reason])


def test_a_moment_past_its_deadline_is_left_out() -> None:
    plan = look(a_cron_job("0 * * * *", starting_deadline_seconds=30), after=62)

    assert made(plan) == []


def test_what_is_made_and_removed_is_told_in_volcanos_words() -> None:
    cron, job = a_cron_job(), a_job(5)
    name = job.metadata.name

    told = [
        event_for(cron, Outcome("create", job)),
        event_for(cron, Outcome("delete", job)),
        event_for(cron, Outcome("patch", job)),
    ]
    failed = [event_for(cron, Outcome(verb, job, Forbidden("no"))) for verb in ("create", "delete")]

    assert [(note.reason, note.message) for note in told if note] == [
        ("SuccessfulCreate", f"Created job {name} for CronJob n/tick"),
        ("SuccessfulDelete", f'Deleted job "{name}"'),
    ]
    assert [(note.reason, note.warning) for note in failed if note] == [("FailedCreate", True), ("FailedDelete", True)]
