from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.kube.meta import parse_time
from windlass.kube.moments import LONGEST, moment_after, span

TIMES = st.datetimes(timezones=st.just(UTC))


@given(st.integers(-(2**63), 2**63 - 1))
def test_a_span_of_any_64_bit_number_is_bounded_and_exact_within_the_bounds(seconds: int) -> None:
    found = span(seconds)

    assert abs(found) <= LONGEST
    assert abs(seconds) > LONGEST.total_seconds() or found == timedelta(seconds=seconds)


@given(TIMES, st.integers(-(2**63), 2**63 - 1))
def test_a_moment_after_any_time_by_any_number_exists_and_keeps_the_order(start: datetime, seconds: int) -> None:
    found = moment_after(start, seconds)

    assert (found >= start) if seconds >= 0 else (found <= start)


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+12:00", "9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00Z"])
def test_times_at_the_ends_of_the_calendar_can_be_read(text: str) -> None:
    assert parse_time(text).tzinfo is UTC
