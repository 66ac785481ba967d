"""Queues and their groups are read rightly, and in the right order."""

from datetime import UTC, datetime

from tests.apps.training.jobs.builders import a_group, a_queue
from windlass.apis.gang_waits import GangWait
from windlass.apis.reason_text import condition_message
from windlass.apis.reasons import REASON_ANNOTATION, GangUnschedulable, QueueClosed, as_json, to_annotation
from windlass.apps.volcano.queues.queue_state import group_rows, queue_rows

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_queues_stand_below_their_parents() -> None:
    queues = [
        a_queue("dev", "eng"),
        a_queue("default"),
        a_queue("eng", "root"),
        a_queue("root"),
        a_queue("lost", "gone"),
    ]

    rows = queue_rows(queues)

    assert [(row.depth, row.name) for row in rows] == [
        (0, "lost"),
        (0, "root"),
        (1, "default"),
        (1, "eng"),
        (2, "dev"),
    ]


def test_queues_that_are_each_others_parents_are_shown_all_the_same() -> None:
    assert {row.name for row in queue_rows([a_queue("a", "b"), a_queue("b", "a")])} == {"a", "b"}


def test_groups_are_in_the_order_in_which_they_are_served() -> None:
    classes = [
        {"metadata": {"name": "high"}, "value": 100},
        {"metadata": {"name": "usual"}, "value": 5, "globalDefault": True},
    ]
    waits = {"type": "Unschedulable", "status": "True", "reason": "NotEnoughResources", "message": "3/4 tasks"}
    groups = [
        a_group("young", "2026-01-01T11:30:00Z"),
        a_group("old", status={"phase": "Running", "running": 4}),
        a_group("first", "2026-01-01T11:50:00Z", spec={"priorityClassName": "high"}, status={"conditions": [waits]}),
    ]

    rows = group_rows(groups, classes, NOW)

    assert [(row.name, row.state, row.priority) for row in rows] == [
        ("first", "Pending", 100),
        ("old", "Running", 5),
        ("young", "Pending", 5),
    ]
    assert (rows[0].wait, rows[0].age, rows[1].wait) == (GangWait("NotEnoughResources", "3/4 tasks"), 600, None)
    assert (rows[0].as_json()["waitsFor"], rows[0].as_json()["reason"]) == ("3/4 tasks", None)


def test_a_group_shows_the_origin_of_its_wait_and_has_it_as_data() -> None:
    reason = GangUnschedulable(1, 1, 1, 1, 1, QueueClosed("gold"), "ml/g-0")
    waits = {"type": "Unschedulable", "status": "True", "reason": "NotEnoughResources"}
    group = a_group("g", status={"conditions": [{**waits, "message": condition_message(reason)}]})
    group["metadata"]["annotations"] = {REASON_ANNOTATION: to_annotation(reason)}

    [row] = group_rows([group], [], NOW)

    assert row.wait is not None
    assert row.wait.short_text == "ml/g-0: queue gold is not open"
    assert row.as_json()["reason"] == as_json(reason)
    assert row.as_json()["waitsFor"] == condition_message(reason)
