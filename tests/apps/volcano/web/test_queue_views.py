"""The view of queues. Pure."""

from datetime import UTC, datetime

from tests.gateway.views.builders import a_group, a_node
from windlass.apps.volcano.web.queue_rows import QueueObjects, queues_view
from windlass.gateway.views.visibility import EVERYTHING, only

NOW = datetime(2026, 1, 1, 11, 0, tzinfo=UTC)
QUEUE = {
    "metadata": {"name": "default"},
    "spec": {"deserved": {"cpu": "4"}, "weight": 2},
    "status": {"state": "Open", "allocated": {"cpu": "1"}},
}


def test_what_a_queue_does_not_use_of_its_share_is_lent() -> None:
    (row,) = queues_view(QueueObjects([QUEUE], [], [], [], []), EVERYTHING, NOW).queues

    (cpu,) = row.resources
    assert (cpu.allocated.value, cpu.lent.value, cpu.borrowed.value, row.weight) == (1.0, 3.0, 0.0, 2)


def test_a_queue_that_uses_nothing_shows_what_it_could_use() -> None:
    idle = {**QUEUE, "spec": {}, "status": {"state": "Open"}}

    (row,) = queues_view(QueueObjects([idle], [], [], [a_node("vm")], []), EVERYTHING, NOW).queues

    assert [(one.resource, one.allocated.text) for one in row.resources] == [("cpu", "0"), ("memory", "0")]


def test_gangs_of_others_are_counted_and_not_named() -> None:
    groups = [a_group("mine"), a_group("theirs", "secret"), a_group("runs", phase="Running")]

    found = queues_view(QueueObjects([QUEUE], groups, [], [], []), only({"ml"}), NOW)

    (row,) = found.queues
    assert ([one.name for one in row.waiting], row.hidden_waiting) == (["mine"], 1)
    assert "secret" not in repr(found)
