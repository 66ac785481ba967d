"""Commands to queues ask for what was wanted, and are known to have taken effect."""

import pytest

from tests.apps.training.jobs.builders import a_queue
from windlass.apps.volcano.queues.queue_commands import command, is_done, manifest
from windlass.apps.volcano.queues.queue_state import CLOSED_BY_PARENT


def test_options_become_a_queue() -> None:
    reference = {"weight": 3, "capability": {"cpu": "4"}, "parent": "eng", "priority": None, "guarantee": {"cpu": "1"}}

    made = manifest("q", **reference, no_reclaim=True)

    assert made["spec"] == {
        "weight": 3,
        "reclaimable": False,
        "capability": {"cpu": "4"},
        "parent": "eng",
        "guarantee": {"resource": {"cpu": "1"}},
        "deserved": {"cpu": "1"},
    }


@pytest.mark.parametrize(
    ("action", "state", "mark", "done"),
    [
        ("OpenQueue", "Open", "", True),
        ("OpenQueue", "Closed", "", False),
        ("CloseQueue", "Open", "", False),
        ("CloseQueue", "Closing", "", True),
        ("CloseQueue", "Closed", "", True),
        ("CloseQueue", "Closed", "true", False),
    ],
)
def test_when_a_command_has_taken_effect(action: str, state: str, mark: str, done: bool) -> None:
    queue = a_queue("q", state=state)
    queue["metadata"]["annotations"] = {CLOSED_BY_PARENT: mark} if mark else {}

    assert is_done(queue, action) == done


def test_a_command_names_just_this_queue() -> None:
    made = command("CloseQueue", a_queue("q"))

    assert made["action"] == "CloseQueue"
    assert made["target"] == {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "name": "q",
        "uid": "uid-q",
    }
