"""Numbers of records: found again by ids, and safe in a browser."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from windlass.apps.pipelines.rows.numbers import BITS, ids_with, number_of


@given(st.uuids())
def test_an_id_is_among_the_ids_with_its_number(id: UUID) -> None:
    first, last = ids_with(number_of(str(id)))

    assert first <= str(id) <= last
    assert 0 <= number_of(str(id)) < 1 << BITS


@given(st.uuids(), st.uuids())
def test_numbers_are_in_the_order_of_ids(one: UUID, other: UUID) -> None:
    numbers = number_of(str(one)), number_of(str(other))

    assert (numbers[0] <= numbers[1]) or str(one) > str(other)


@given(st.one_of(st.integers(max_value=-1), st.integers(min_value=1 << BITS)))
def test_no_id_has_a_number_out_of_range(number: int) -> None:
    assert ids_with(number) == ("ffffffff-ffff-ffff-ffff-ffffffffffff",) * 2


def test_other_ids_have_numbers_too() -> None:
    assert 0 <= number_of("not-a-uuid") < 1 << BITS
    assert number_of("not-a-uuid") != number_of("not-another")
