"""CronWorkflows: what is due, replaced, kept and counted."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.apps.pipelines.workflows import a_container, a_workflow
from windlass.apps.pipelines.argo.cron import Child, plan
from windlass.kube.json import Object

NOW = datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC)
CREATED = "2026-03-01T00:00:00Z"


def a_cron(status: Object | None = None, **spec: object) -> Object:
    return {
        "metadata": {"name": "c", "namespace": "ns", "creationTimestamp": CREATED},
        "spec": {"schedules": ["0 * * * *"], "workflowSpec": a_workflow(a_container("m"))["spec"], **spec},
        "status": status or {},
    }


def a_child(phase: str, hours_ago: int = 1, name: str = "") -> Child:
    at = datetime(2026, 3, 1, 12 - hours_ago, tzinfo=UTC)
    return Child(name or f"c-{hours_ago}-{phase}", f"uid-{hours_ago}-{phase}-{name}", phase, at)


def test_a_workflow_starts_at_its_moment_under_a_name_that_follows_from_it() -> None:
    made = plan(a_cron(workflowMetadata={"labels": {"a": "b"}}), [], NOW)

    assert made.create is not None
    assert made.create["metadata"]["name"] == f"c-{int(NOW.timestamp()) - 5}"
    assert made.create["metadata"]["labels"] == {"a": "b", "workflows.argoproj.io/cron-workflow": "c"}
    assert made.status["lastScheduledTime"] == "2026-03-01T12:00:00Z"
    assert made.wake_at == datetime(2026, 3, 1, 13, tzinfo=UTC)


def test_a_moment_is_served_once() -> None:
    served = Child("c-x", "1", "Running", datetime(2026, 3, 1, 12, tzinfo=UTC))

    assert plan(a_cron(), [served], NOW).create is None
    assert plan(a_cron({"lastScheduledTime": "2026-03-01T12:00:00Z"}), [], NOW).create is None


def test_a_missed_moment_is_served_within_its_deadline_only() -> None:
    late = NOW + timedelta(minutes=10)

    assert plan(a_cron(), [], late).create is None
    assert plan(a_cron(startingDeadlineSeconds=300), [], late).create is None
    assert plan(a_cron(startingDeadlineSeconds=900), [], late).create is not None


@pytest.mark.parametrize("deadline", [0, 1, -1, None])
def test_a_moment_that_has_just_come_starts_whatever_the_deadline_of_missed_ones(deadline: int | None) -> None:
    assert plan(a_cron(startingDeadlineSeconds=deadline), [], NOW).create is not None


def test_a_deadline_beyond_all_dates_is_a_long_one() -> None:
    late = NOW + timedelta(minutes=10)

    assert plan(a_cron(startingDeadlineSeconds=2**62), [], late).create is not None


@pytest.mark.parametrize(
    ("policy", "starts", "stops"), [("Allow", True, 0), ("Forbid", False, 0), ("Replace", True, 1)]
)
def test_a_running_workflow_is_treated_by_policy(policy: str, starts: bool, stops: int) -> None:
    made = plan(a_cron(concurrencyPolicy=policy), [a_child("Running")], NOW)

    assert (made.create is not None, len(made.stops)) == (starts, stops)


def test_nothing_starts_while_a_schedule_is_suspended() -> None:
    assert plan(a_cron(suspend=True), [], NOW).create is None


def test_old_workflows_are_deleted_beyond_the_limits() -> None:
    children = [a_child("Succeeded", hours) for hours in range(1, 7)] + [a_child("Failed", hours) for hours in (1, 2)]

    made = plan(a_cron(successfulJobsHistoryLimit=4), children, NOW)

    assert list(made.deletes) == ["c-2-Failed", "c-5-Succeeded", "c-6-Succeeded"]


def test_ends_are_counted_once_and_can_stop_the_schedule() -> None:
    cron = a_cron(stopStrategy={"expression": "cronworkflow.failed >= 2"})
    first = plan(cron, [a_child("Failed", 1)], NOW)
    assert (first.status["failed"], first.status["phase"], first.create is None) == (1, "Active", False)

    again = plan({**cron, "status": first.status}, [a_child("Failed", 1)], NOW)
    assert again.status["failed"] == 1
    second = plan({**cron, "status": first.status}, [a_child("Failed", 1), a_child("Failed", 2)], NOW)
    assert (second.status["phase"], second.create) == ("Stopped", None)


def test_schedules_follow_their_time_zone() -> None:
    cron = a_cron(schedules=["0 13 * * *"], timezone="Europe/Berlin")

    assert plan(cron, [], NOW).create is not None


def test_several_schedules_and_the_older_field() -> None:
    assert plan(a_cron(schedules=["30 * * * *", "0 12 * * *"]), [], NOW).create is not None
    assert plan(a_cron(schedules=None, schedule="0 * * * *"), [], NOW).create is not None


def test_a_condition_decides_whether_a_workflow_starts() -> None:
    assert plan(a_cron(when="{{cronworkflow.failed}} < 1"), [], NOW).create is not None
    assert plan(a_cron(when="{{cronworkflow.failed}} > 1"), [], NOW).create is None
