"""Stories of gangs and queues, on a server with a manager and without a node of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.scheduling.cluster import Cluster, Managed, new_cluster
from tests.support import free_port


def _managed(folder: Path, *words: str) -> Iterator[Managed]:
    server = Managed(folder / "data", free_port(), words=words)
    server.data_dir.mkdir(parents=True)
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Managed]:
    """Jobs are no gangs unless they say so."""
    yield from _managed(tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="session")
def together(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Managed]:
    """Every training job is a gang."""
    yield from _managed(tmp_path_factory.mktemp("together"), "--enable-gang-scheduling=true")


@pytest.fixture
def kubectl(plain: Managed, tmp_path: Path) -> Iterator[Cluster]:
    cluster = new_cluster(plain, tmp_path)
    yield cluster
    cluster.clean()


@pytest.fixture
def kubectl_with_gangs(together: Managed, tmp_path: Path) -> Iterator[Cluster]:
    cluster = new_cluster(together, tmp_path)
    yield cluster
    cluster.clean()
