"""Fixtures of the tests with real namespaces: an API server, and processes in networks of their own."""

from collections.abc import Iterator

import pytest

from tests.node.network.pods import Space, anchor, pod
from tests.support import Windlass, running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windlass]:
    with running(tmp_path_factory.mktemp("w"), manager=True) as windlass:
        yield windlass


@pytest.fixture
def spaces() -> Iterator[list[Space]]:
    """The node's, then three pods'."""
    node = anchor()
    made = [node, pod(node), pod(node), pod(node)]
    yield made
    for each in reversed(made):
        each.close()
