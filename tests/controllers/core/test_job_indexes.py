import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.controllers.core.job_indexes import format_indexes, parse_indexes


@pytest.mark.parametrize(
    ("indexes", "text"),
    [
        (set[int](), ""),
        ({3}, "3"),
        ({3, 4}, "3,4"),
        ({3, 4, 5}, "3-5"),
        ({0, 2, 3, 4, 7, 8}, "0,2-4,7,8"),
    ],
)
def test_three_in_a_row_become_a_range(indexes: set[int], text: str) -> None:
    assert format_indexes(indexes) == text


@given(st.sets(st.integers(0, 60)))
def test_what_is_written_is_read_again(indexes: set[int]) -> None:
    assert parse_indexes(format_indexes(indexes), 61) == indexes


def test_indexes_that_the_job_no_longer_has_are_left_out() -> None:
    assert parse_indexes("0-5,8", 3) == {0, 1, 2}


@pytest.mark.parametrize("text", ["x", "1-x", "-", ",,"])
def test_what_is_no_number_is_skipped(text: str) -> None:
    assert parse_indexes(text, 10) == set()
