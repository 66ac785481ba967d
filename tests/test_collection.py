"""Every process of a test run collects the same tests in the same order, as xdist insists."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.conftest import pytest_generate_tests


def generate(*cases: Any) -> None:
    definition = SimpleNamespace(nodeid="a", iter_markers=lambda _: [pytest.mark.parametrize("case", *cases).mark])
    pytest_generate_tests(cast(Any, SimpleNamespace(definition=definition)))


@pytest.mark.parametrize("cases", [[1, 2], (1, 2), {1: 2}, range(2)])
def test_cases_that_have_an_order_pass(cases: Any) -> None:
    generate(cases)


@pytest.mark.parametrize("cases", [[{1, 2}], [frozenset({1, 2})]])
def test_cases_in_a_set_are_refused(cases: Any) -> None:
    with pytest.raises(pytest.fail.Exception, match="cases in a set have another order in each process"):
        generate(*cases)
