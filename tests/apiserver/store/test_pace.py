"""When the event loop waits for the disk itself, and when it leaves that to the writer's thread."""

import pytest

from windlass.apiserver.store.pace import FIRST_PAUSE, LONGEST_PAUSE, Pace

QUICK, SLOW = 0.0001, 0.01


def after(*commits: float) -> Pace:
    pace = Pace()
    for seconds in commits:
        pace.observe(seconds, now=100.0)
    return pace


@pytest.mark.parametrize(
    ("commits", "quick"),
    [
        ([], True),
        ([QUICK] * 1000, True),
        ([0.00055] * 1000, True),
        ([0.0007] * 1000, False),
        ([*[QUICK] * 100, SLOW, *[QUICK] * 100], True),
        ([QUICK, 3.0, QUICK], True),  # one stall, however long
        ([SLOW] * 5, False),
        ([*[QUICK] * 10_000, *[SLOW] * 5], False),
        ([QUICK, SLOW, SLOW] * 10, False),
    ],
)
def test_a_disk_is_quick_if_it_mostly_is(commits: list[float], quick: bool) -> None:
    assert after(*commits).is_quick(now=100.0) == quick


def test_a_slow_disk_is_tried_again_after_pauses_that_grow_to_a_minute() -> None:
    pace, now, pauses = after(*[SLOW] * 5), 100.0, list[float]()
    for _ in range(9):
        began = now
        while not pace.is_quick(now):
            now += 0.25
        pauses.append(now - began)
        pace.observe(SLOW, now)

    assert pauses == [FIRST_PAUSE, 2, 4, 8, 16, 32, LONGEST_PAUSE, LONGEST_PAUSE, LONGEST_PAUSE]


def test_a_disk_that_became_quick_is_used_from_the_first_try_on() -> None:
    pace, now = after(*[SLOW] * 5), 100.0 + FIRST_PAUSE
    for _ in range(100):
        assert pace.is_quick(now)
        pace.observe(QUICK, now)
        now += 0.1
    while pace.is_quick(now):
        pace.observe(SLOW, now)

    assert not pace.is_quick(now)
    assert pace.is_quick(now + FIRST_PAUSE), "the pause is as short as the first one again"
