"""Why a gang waits, as its PodGroup says: the condition, and the annotation of Windlass' scheduler."""

from typing import Any

import pytest

from windlass.apis.gang_waits import GangWait, gang_wait
from windlass.apis.reason_text import CONDITION_REASONS, Dialect, condition_message
from windlass.apis.reasons import (
    MAX_BYTES,
    REASON_ANNOTATION,
    ClusterInsufficient,
    GangIncomplete,
    GangNotAdmitted,
    GangReason,
    GangUnschedulable,
    NodesUnfit,
    QueueClosed,
    Shortage,
    counted,
    insufficient,
    to_annotation,
)


def a_group(annotation: Any = None, **condition: str) -> dict[str, Any]:
    conditions = [{"type": "Scheduled", "status": "False"}, condition]
    return {"metadata": {"annotations": {REASON_ANNOTATION: annotation}}, "status": {"conditions": conditions}}


def waiting(reason: GangReason, annotation: Any, dialect: Dialect = "volcano") -> dict[str, Any]:
    code, message = CONDITION_REASONS[type(reason)], condition_message(reason, dialect)
    return a_group(annotation, type="Unschedulable", status="True", reason=code, message=message)


UNFIT = GangUnschedulable(2, 3, 3, 2, 3, NodesUnfit(4, counted({insufficient("cpu"): 4})), "ns/a")
REFUSED = GangNotAdmitted((ClusterInsufficient((Shortage("cpu", "4000m", "1000m"),)),), 0, 3)
SHORT = GangIncomplete(1, 3)
NOTHING = [
    None,
    7,
    "",
    "null",
    "[]",
    "{",
    '{"type":"Other"}',
    '{"type":"GangIncomplete","have":"x","need":2}',
    "\ud800",
]


@pytest.mark.parametrize(
    ("group", "wait"),
    [
        (None, None),
        ({}, None),
        ({"status": {"conditions": None}}, None),
        (a_group(type="Unschedulable", status="False", reason="R", message="m"), None),
        (a_group(type="Unschedulable", status="True", reason="R", message="m"), GangWait("R", "m")),
        (a_group(type="Unschedulable", status="True"), GangWait("Unschedulable", "")),
    ],
)
def test_a_gang_waits_while_its_group_is_unschedulable(group: Any, wait: GangWait | None) -> None:
    assert gang_wait(group) == wait


@pytest.mark.parametrize("dialect", ["volcano", "kube-batch"])
@pytest.mark.parametrize("reason", [UNFIT, REFUSED, SHORT])
def test_the_annotation_gives_the_reason_behind_the_condition(reason: GangReason, dialect: Dialect) -> None:
    wait = gang_wait(waiting(reason, to_annotation(reason), dialect))
    assert wait is not None
    assert wait.data == reason
    assert wait.message == condition_message(reason, dialect)


@pytest.mark.parametrize("annotation", [*NOTHING, to_annotation(REFUSED), to_annotation(GangIncomplete(2, 3))])
def test_an_annotation_that_is_malformed_or_of_another_condition_is_ignored(annotation: Any) -> None:
    wait = gang_wait(waiting(SHORT, annotation))
    assert wait is not None
    assert wait.data is None
    assert wait.job_message == wait.short_text == condition_message(SHORT)


def test_a_reason_that_is_too_long_is_not_written_and_not_read() -> None:
    long = GangUnschedulable(1, 1, 1, 1, 1, QueueClosed("q" * MAX_BYTES))
    assert to_annotation(long) is None
    wait = gang_wait(waiting(SHORT, "x" * (MAX_BYTES + 1)))
    assert wait is not None
    assert wait.data is None


def test_a_job_repeats_the_reason_without_what_changes_at_every_cycle() -> None:
    fewer = GangUnschedulable(2, 3, 3, 2, 3, NodesUnfit(3, counted({insufficient("cpu"): 3})), "ns/b")
    sentences = {wait.about("g") for one in (UNFIT, fewer) if (wait := gang_wait(waiting(one, to_annotation(one))))}
    assert sentences == {"PodGroup g waits: NotEnoughResources: no node fits: Insufficient cpu"}
    wait = gang_wait(waiting(REFUSED, to_annotation(REFUSED)))
    assert wait is not None
    assert wait.about("g") == "PodGroup g waits: NotEnqueueable: resource in cluster is overused: overused cpu"
    assert wait.short_text == "resource in cluster is overused: overused cpu (cpu: 4000m asked, 1000m free)"
