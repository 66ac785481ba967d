from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis.strategies import integers

from windlass.apiserver.tables.cells import human_duration, since

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
MINUTE, HOUR, DAY, YEAR = 60, 3600, 86400, 86400 * 365


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-2, "<invalid>"),
        (-1, "0s"),
        (-0.5, "0s"),
        (0, "0s"),
        (5.9, "5s"),
        (119, "119s"),
        (120, "2m"),
        (150, "2m30s"),
        (10 * MINUTE - 1, "9m59s"),
        (10 * MINUTE + 30, "10m"),
        (3 * HOUR - 1, "179m"),
        (3 * HOUR, "3h"),
        (3 * HOUR + 15 * MINUTE, "3h15m"),
        (8 * HOUR + 15 * MINUTE, "8h"),
        (47 * HOUR, "47h"),
        (48 * HOUR, "2d"),
        (4 * DAY + 5 * HOUR, "4d5h"),
        (8 * DAY + 5 * HOUR, "8d"),
        (2 * YEAR - 1, "729d"),
        (2 * YEAR + 10 * DAY, "2y10d"),
        (3 * YEAR, "3y"),
        (9 * YEAR + 10 * DAY, "9y"),
    ],
)
def test_a_duration_is_told_in_at_most_two_units(seconds: float, text: str) -> None:
    assert human_duration(seconds) == text


@given(integers(min_value=0, max_value=100 * YEAR))
def test_a_duration_never_takes_more_room_than_a_column_has(seconds: int) -> None:
    assert len(human_duration(seconds)) <= 6


def test_an_age_is_counted_to_the_moment_given() -> None:
    assert since("2026-03-01T11:59:55Z", NOW) == "5s"
    assert since("2026-03-01T11:59:55.000000Z", NOW + timedelta(hours=4)) == "4h"


def test_no_time_has_no_age_and_a_bad_one_is_called_invalid() -> None:
    assert since(None, NOW) == "<unknown>"
    assert since("yesterday", NOW) == "<invalid>"
