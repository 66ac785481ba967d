"""Fixtures of the conformance tests."""

from collections.abc import Iterator

import pytest

from tests.conformance.client import Caller
from tests.support import Windlass


@pytest.fixture(scope="session")
def administrator(server: Windlass) -> Iterator[Caller]:
    caller = Caller(server)
    yield caller
    caller.close()
