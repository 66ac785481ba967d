"""A Windlass for the tests of one module, as root and as an ordinary user."""

from collections.abc import Iterator

import pytest

from tests.e2e.node_hard.platform import Platform, platform
from tests.e2e.ordinary_user import WHO, skip_unless_possible


@pytest.fixture(scope="module", params=WHO)
def who(request: pytest.FixtureRequest) -> str:
    skip_unless_possible(request.param)
    return request.param


@pytest.fixture(scope="module")
def windlass(who: str) -> Iterator[Platform]:
    """Shared by the tests of a module: pods have names of their own."""
    with platform(who) as made:
        yield made
