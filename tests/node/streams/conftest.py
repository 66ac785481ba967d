"""One API server and one node for the streams' tests."""

from collections.abc import Iterator

import pytest

from tests.node.streams.node_thread import NodeThread
from tests.support import Windlass, running


@pytest.fixture(scope="session")
def streams_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windlass]:
    with running(tmp_path_factory.mktemp("streams")) as windlass:
        yield windlass


@pytest.fixture(scope="session")
def node(streams_server: Windlass, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeThread]:
    found = NodeThread(streams_server, tmp_path_factory.mktemp("pods"), rotate_at=64 << 10)
    yield found
    found.stop()
