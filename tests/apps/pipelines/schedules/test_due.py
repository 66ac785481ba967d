from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.apps.pipelines.model import Trigger
from windlass.apps.pipelines.schedules.due import Due, check, clamped, due

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC).timestamp()
EVERY_MINUTE = Trigger(interval_seconds=60)
HOURLY = Trigger(cron="0 0 * * * ?")
HOUR = 3600.0


def what_is_due(trigger: Trigger, now: float, **given: Any) -> Due:
    known: dict[str, Any] = {
        "created_at": NOON,
        "last_trigger": None,
        "is_enabled": True,
        "max_concurrency": 10,
        "active": 0,
        "no_catchup": False,
    }
    return due(trigger, now=now, **known | given)


@pytest.mark.parametrize(
    ("trigger", "passed", "given", "slots", "next_at"),
    [
        # the base: the last trigger, else the start, else the creation
        (EVERY_MINUTE, 0, {}, [], 60),
        (EVERY_MINUTE, 59.9, {}, [], 60),
        (EVERY_MINUTE, 60, {}, [60], 120),
        (EVERY_MINUTE, 60, {"last_trigger": 60}, [], 120),
        (Trigger(interval_seconds=60, start_time=NOON + 100), 100, {}, [], 160),
        (Trigger(interval_seconds=60, start_time=NOON - 100), 0, {}, [-40], 20),
        (HOURLY, 0, {}, [], HOUR),
        (HOURLY, HOUR, {}, [HOUR], 2 * HOUR),
        (Trigger(cron=HOURLY.cron, start_time=NOON + HOUR), HOUR, {}, [], 2 * HOUR),  # strictly after the start
        (Trigger(cron=HOURLY.cron, start_time=NOON - 2 * HOUR), 0, {}, [-HOUR, 0], HOUR),
        (Trigger(cron=HOURLY.cron, start_time=NOON + 9 * HOUR), HOUR, {"last_trigger": 0}, [], 10 * HOUR),
        # catching up: every missed slot, as far as there is room
        (EVERY_MINUTE, 185, {}, [60, 120, 180], 240),
        (EVERY_MINUTE, 185, {"max_concurrency": 2}, [60, 120], 180),
        (EVERY_MINUTE, 185, {"max_concurrency": 2, "active": 1}, [60], 120),
        (EVERY_MINUTE, 185, {"max_concurrency": 2, "active": 2}, [], 60),
        (EVERY_MINUTE, 185, {"max_concurrency": 2, "active": 5}, [], 60),
        (EVERY_MINUTE, 3600, {"max_concurrency": 99}, [60 * n for n in range(1, 11)], 660),
        (EVERY_MINUTE, 185, {"max_concurrency": 0}, [60], 120),
        # no catching up: one slot for all that were missed
        (HOURLY, 10.5 * HOUR, {"no_catchup": True}, [10 * HOUR], 11 * HOUR),
        (HOURLY, 10 * HOUR, {"no_catchup": True}, [10 * HOUR], 11 * HOUR),
        (HOURLY, 10.5 * HOUR, {"no_catchup": True, "max_concurrency": 1, "active": 1}, [], 10 * HOUR),
        (EVERY_MINUTE, 119, {"no_catchup": True}, [60], 120),  # a single missed slot stays what it was
        (EVERY_MINUTE, 625.7, {"no_catchup": True}, [625], 685),
        (EVERY_MINUTE, 625.7, {"no_catchup": True, "max_concurrency": 1, "active": 1}, [], 625),
        # the end
        (Trigger(interval_seconds=60, end_time=NOON + 130), 300, {}, [60, 120], None),
        (Trigger(interval_seconds=60, end_time=NOON + 120), 300, {}, [60, 120], None),
        (Trigger(interval_seconds=60, end_time=NOON + 30), 300, {}, [], None),
        (Trigger(interval_seconds=60, end_time=NOON + 130), 300, {"no_catchup": True}, [130], None),
        (Trigger(interval_seconds=60, end_time=NOON + 90), 300, {"no_catchup": True}, [60], None),
        (Trigger(cron=HOURLY.cron, end_time=NOON + 2.5 * HOUR), 9 * HOUR, {"no_catchup": True}, [2 * HOUR], None),
        (Trigger(cron=HOURLY.cron, end_time=NOON + 2 * HOUR), 9 * HOUR, {}, [HOUR, 2 * HOUR], None),
        # disabled, and what never comes
        (EVERY_MINUTE, 185, {"is_enabled": False}, [], None),
        (Trigger(cron="0 0 0 30 2 ?"), 185, {}, [], None),
        (Trigger(interval_seconds=2**63), 185, {}, [], None),
        (Trigger(interval_seconds=60, start_time=1e18), 185, {}, [], None),
        # without cron and interval: once
        (Trigger(), 0, {}, [0], None),
        (Trigger(start_time=NOON + 50), 0, {}, [], 50),
        (Trigger(start_time=NOON + 50), 60, {}, [50], None),
        (Trigger(), 10, {"active": 10}, [], 0),
        (Trigger(), 10, {"last_trigger": 0}, [], None),
        (Trigger(end_time=NOON - 1), 10, {}, [], None),
    ],
)
def test_slots_by_trigger(
    trigger: Trigger, passed: float, given: dict[str, Any], slots: list[float], next_at: float | None
) -> None:
    if given.get("last_trigger") is not None:
        given = given | {"last_trigger": NOON + given["last_trigger"]}

    found = what_is_due(trigger, NOON + passed, **given)

    assert [slot - NOON for slot in found.slots] == slots
    assert found.next_at == (None if next_at is None else NOON + next_at)


@pytest.mark.parametrize(
    ("trigger", "message"),
    [
        (Trigger(cron="61 * * * *"), "cron: second: end of range"),
        (Trigger(interval_seconds=-1), "interval: -1 is less than one second"),
        (Trigger(cron="* * * * *", interval_seconds=1), "exclude each other"),
    ],
)
def test_a_trigger_that_cannot_be_followed_is_refused(trigger: Trigger, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check(trigger)
    with pytest.raises(ValueError, match=message):
        what_is_due(trigger, NOON, is_enabled=False)


triggers = st.one_of(
    st.builds(Trigger, interval_seconds=st.integers(1, 300)),
    st.sampled_from(["*/7 * * * * *", "0 */3 * * * ?", "@every 11s", "5,50 1-58 * * *"]).map(lambda c: Trigger(cron=c)),
)
times = st.lists(st.tuples(st.integers(0, 200), st.integers(0, 12)), max_size=30)


def lived(trigger: Trigger, history: list[tuple[int, int]], no_catchup: bool, limit: int) -> list[float]:
    """The slots that a schedule starts when it is asked after so many seconds, with so many runs active."""
    started: list[float] = []
    now = NOON
    for passed, active in history:
        now += passed
        last = started[-1] if started else None
        found = what_is_due(
            trigger, now, last_trigger=last, active=active, max_concurrency=limit, no_catchup=no_catchup
        )
        assert len(found.slots) <= max(0, clamped(limit) - active)
        assert all(slot <= now for slot in found.slots)
        if found.next_at is not None and active + len(found.slots) < clamped(limit):
            assert found.next_at > now, "nothing waits while there is room"
        started += found.slots
    return started


@given(triggers, times, st.integers(-1, 12))
def test_with_catching_up_no_slot_is_left_out_whenever_it_is_asked(
    trigger: Trigger, history: list[tuple[int, int]], limit: int
) -> None:
    started = lived(trigger, history, no_catchup=False, limit=limit)

    expected: list[float] = []
    while len(expected) < len(started):
        expected += what_is_due(trigger, NOON + 10**9, last_trigger=expected[-1] if expected else None).slots
    assert started == expected[: len(started)]


@given(triggers, times, st.integers(1, 10))
def test_without_catching_up_slots_are_strictly_later_and_one_at_a_time(
    trigger: Trigger, history: list[tuple[int, int]], limit: int
) -> None:
    started = lived(trigger, history, no_catchup=True, limit=limit)

    assert all(one < other for one, other in pairwise(started))
    assert len(started) <= len(history)
