"""Which groups are let in, and what their statuses say."""

from typing import Any

import pytest

from tests.scheduler.builders import a_group
from windlass.apis.reasons import GangUnschedulable
from windlass.kube.json import Object as Json
from windlass.scheduler.live.core.group_status import Count, Trouble, status_of
from windlass.scheduler.model.pod_groups import COSCHEDULING, KUBE_BATCH, PodGroup

NOW = "2026-01-02T00:00:00Z"
SHORT = Trouble(GangUnschedulable(6, 6, 6, 6, 6))


def told(group: PodGroup, trouble: Trouble | None = None, admitted: bool = True, **counts: Any) -> Json:
    return status_of(group, Count(**counts), admitted=admitted, trouble=trouble, now=NOW, cycle="7")


@pytest.mark.parametrize(
    ("counts", "trouble", "admitted", "phase"),
    [
        ({}, None, False, "Pending"),
        ({}, None, True, "Inqueue"),
        ({"pods": 6}, SHORT, True, "Inqueue"),
        ({"pods": 6, "scheduled": 5}, None, True, "Inqueue"),
        ({"pods": 6, "scheduled": 6}, None, True, "Running"),
        ({"pods": 6, "scheduled": 6, "running": 4, "succeeded": 2}, None, True, "Running"),
        ({"pods": 6, "scheduled": 6, "failed": 1, "succeeded": 5}, None, True, "Completed"),
        ({"pods": 6, "scheduled": 5, "running": 5}, SHORT, True, "Unknown"),
    ],
)
def test_the_phases_of_a_volcano_group(
    counts: dict[str, Any], trouble: Trouble | None, admitted: bool, phase: str
) -> None:
    status = told(a_group(min_member=6), trouble, admitted, **counts)

    assert status["phase"] == phase
    assert status.get("running") == (counts.get("running") or None)


@pytest.mark.parametrize(
    ("before", "counts", "phase"),
    [
        ("Running", {"pods": 6, "scheduled": 5, "leaving": 1}, "Running"),
        ("Running", {"pods": 6, "leaving": 6}, "Running"),
        ("Running", {"pods": 5, "scheduled": 5}, "Inqueue"),
        ("Running", {"pods": 6, "scheduled": 4, "leaving": 1}, "Inqueue"),
        ("Inqueue", {"pods": 6, "scheduled": 5, "leaving": 1}, "Inqueue"),
    ],
)
def test_a_group_is_running_until_those_who_leave_have_gone(before: str, counts: dict[str, Any], phase: str) -> None:
    assert told(a_group(min_member=6, status={"phase": before}), **counts)["phase"] == phase


def test_a_group_whose_pods_were_cleared_away_stays_completed() -> None:
    assert told(a_group(min_member=6, status={"phase": "Completed"}))["phase"] == "Completed"


@pytest.mark.parametrize(
    ("counts", "phase"),
    [
        ({}, "Pending"),
        ({"pods": 6}, "Pending"),
        ({"pods": 6, "scheduled": 6}, "Running"),
        ({"pods": 6, "scheduled": 6, "succeeded": 6}, "Running"),
    ],
)
def test_a_kube_batch_group_knows_neither_inqueue_nor_completed(counts: dict[str, Any], phase: str) -> None:
    assert told(a_group(min_member=6, kind=KUBE_BATCH), **counts)["phase"] == phase


@pytest.mark.parametrize(
    ("counts", "before", "phase"),
    [
        ({}, "", "Pending"),
        ({"pods": 2}, "Pending", "Pending"),
        ({"pods": 3}, "Pending", "Scheduling"),
        ({"pods": 3, "scheduled": 3, "running": 2}, "Scheduling", "Scheduling"),
        ({"pods": 3, "scheduled": 3, "running": 3}, "Scheduling", "Running"),
        ({"pods": 3, "running": 1, "succeeded": 2}, "Running", "Running"),
        ({"pods": 3, "running": 2, "failed": 1}, "Running", "Failed"),
        ({"pods": 3, "succeeded": 3}, "Running", "Finished"),
        ({}, "Finished", "Finished"),
    ],
)
def test_the_phases_of_a_scheduler_plugins_group(counts: dict[str, Any], before: str, phase: str) -> None:
    group = a_group(min_member=3, kind=COSCHEDULING, status={"phase": before})

    assert told(group, **counts)["phase"] == phase


def test_when_scheduling_began_is_kept() -> None:
    first = told(a_group(min_member=3, kind=COSCHEDULING), pods=3)
    assert first["scheduleStartTime"] == NOW

    group = a_group(min_member=3, kind=COSCHEDULING, status={**first, "scheduleStartTime": "2026-01-01T00:00:00Z"})
    assert told(group, pods=3, running=3)["scheduleStartTime"] == "2026-01-01T00:00:00Z"


def test_a_gang_that_waits_says_why_and_takes_it_back_when_it_is_placed() -> None:
    waiting = told(a_group(min_member=6), SHORT, pods=6)
    (condition,) = waiting["conditions"]
    assert condition == {
        "type": "Unschedulable",
        "status": "True",
        "reason": "NotEnoughResources",
        "message": SHORT.message,
        "transitionID": "7",
        "lastTransitionTime": NOW,
    }

    placed = told(a_group(min_member=6, status=waiting), pods=6, scheduled=6)
    by_type = {each["type"]: each for each in placed["conditions"]}
    assert by_type["Unschedulable"]["status"] == "False"
    assert (by_type["Scheduled"]["status"], by_type["Scheduled"]["reason"]) == (
        "True",
        "tasks in gang are ready to be scheduled",
    )


def test_what_has_not_changed_is_told_as_it_was() -> None:
    before = told(a_group(min_member=6), SHORT, pods=6)

    later = status_of(
        a_group(min_member=6, status=before),
        Count(pods=6),
        admitted=True,
        trouble=SHORT,
        now="2026-01-03T00:00:00Z",
        cycle="8",
    )

    assert later == before
