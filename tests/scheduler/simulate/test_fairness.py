"""What queues should have."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.scheduler.simulate.fairness import fair_shares, shares_of

CAPACITY = np.array([100.0, 200.0, 0.0])


@pytest.mark.parametrize(
    ("demand", "weights", "fair"),
    [
        pytest.param([[100, 0, 0], [100, 0, 0]], [1, 3], [0.25, 0.75], id="all want everything: by weight"),
        pytest.param([[10, 0, 0], [100, 0, 0]], [1, 1], [0.1, 0.9], id="what one does not want the other has"),
        pytest.param([[10, 0, 0], [20, 0, 0]], [1, 3], [0.1, 0.2], id="all have what they want"),
        pytest.param([[100, 0, 0], [0, 200, 0]], [1, 1], [1.0, 1.0], id="they want different things"),
        pytest.param([[100, 100, 0], [50, 200, 0]], [1, 1], [2 / 3, 2 / 3], id="dominant shares are made equal"),
        pytest.param([[0, 0, 0], [100, 0, 0]], [1, 1], [0.0, 1.0], id="one wants nothing"),
    ],
)
def test_dominant_shares_grow_together_until_something_is_out(
    demand: list[list[float]], weights: list[float], fair: list[float]
) -> None:
    found = fair_shares(np.array(demand, dtype=float), np.array(weights, dtype=float), CAPACITY)

    assert found == pytest.approx(fair)


amounts = st.lists(st.floats(0, 300), min_size=3, max_size=3)


@given(st.lists(amounts, min_size=1, max_size=5), st.data())
def test_nobody_has_more_than_wanted_and_no_more_is_given_than_there_is(demand: list[list[float]], data) -> None:
    wanted = np.array(demand)
    wanted[:, 2] = 0
    weights = np.array(data.draw(st.lists(st.integers(1, 9), min_size=len(demand), max_size=len(demand))), dtype=float)

    found = fair_shares(wanted, weights, CAPACITY)

    most = shares_of(wanted, CAPACITY)
    assert (found <= most + 1e-6).all()
    with np.errstate(divide="ignore", invalid="ignore"):
        given_ = np.where(most[:, None] > 1e-9, wanted * (found / most)[:, None], 0)
    assert (given_.sum(axis=0) <= CAPACITY + 1e-3).all()
