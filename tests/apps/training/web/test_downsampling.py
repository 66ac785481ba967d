"""Thinning out curves."""

from hypothesis import given
from hypothesis import strategies as st

from windlass.apps.training.web.learning.downsampling import chosen_points


@given(st.lists(st.floats(-1e9, 1e9), max_size=200), st.integers(1, 50))
def test_points_stay_in_order_within_the_limit_and_keep_both_ends(values: list[float], wanted: int) -> None:
    chosen = chosen_points([float(at) for at in range(len(values))], values, wanted)

    assert chosen == sorted(set(chosen))
    assert len(chosen) == min(len(values), wanted) or wanted < 3
    assert not values or chosen[0] == 0
    assert wanted < 3 or not values or chosen[-1] == len(values) - 1


def test_a_peak_stays() -> None:
    values = [0.0] * 1000
    values[517] = 100.0

    assert 517 in chosen_points([float(at) for at in range(1000)], values, 20)
