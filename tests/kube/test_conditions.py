from datetime import UTC, datetime

from windlass.kube.conditions import find, is_true, with_condition, without_condition
from windlass.kube.meta import Condition

EARLY, LATE = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)


def test_the_transition_time_moves_with_the_status_only() -> None:
    first = with_condition([], Condition(type="Ready", status="False", reason="Starting"), EARLY)
    reworded = with_condition(first, Condition(type="Ready", status="False", reason="Pulling"), LATE)
    turned = with_condition(reworded, Condition(type="Ready", status="True"), LATE)

    assert reworded == [
        Condition(type="Ready", status="False", reason="Pulling", last_transition_time="2026-01-01T00:00:00Z")
    ]
    assert turned[0].last_transition_time == "2026-01-02T00:00:00Z"


def test_conditions_keep_their_order() -> None:
    both = with_condition(with_condition([], Condition(type="A"), EARLY), Condition(type="B"), EARLY)

    changed = with_condition(both, Condition(type="A", status="True"), LATE)

    assert [c.type for c in changed] == ["A", "B"]
    assert is_true(changed, "A")
    assert find(without_condition(changed, "A"), "A") is None
