"""Messages of other programs that a job repeats."""

import pytest

from windlass.controllers.waiting_gangs import says_the_same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("cpu: 3 requested, 1 free", "cpu: 3 requested, 2 free", True),
        ("cpu: 3000m requested, 1.5 free", "cpu: 3 requested, 900m free", True),
        ("memory: 3Gi requested", "memory: 512Mi requested", True),
        ("0/3 nodes are available: 3 Insufficient cpu.", "0/4 nodes are available: 4 Insufficient cpu.", True),
        ("insufficient cpu", "insufficient memory", False),
        ("queue q1 is closed", "queue q2 is closed", False),
        ("node-1 is full", "node-2 is full", False),
        ("0/3 nodes: 3 Insufficient cpu", "0/3 nodes: 2 Insufficient cpu, 1 Insufficient memory", False),
    ],
)
def test_messages_that_differ_in_amounts_say_the_same(one: str, other: str, same: bool) -> None:
    assert says_the_same(one, other) is same
