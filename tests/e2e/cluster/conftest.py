"""A server, a node and Kubernetes' own controllers as a cluster, on which Windlass is installed by its manifests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.cluster.installed import Cluster
from tests.e2e.node.platforms import a_namespace
from tests.e2e.training.jobs import JobShell


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture
def namespace(cluster: Cluster) -> Iterator[str]:
    with a_namespace(cluster.platform, "cluster-") as name:
        yield name


@pytest.fixture
def kubectl(cluster: Cluster, namespace: str, tmp_path: Path) -> JobShell:
    return JobShell(cluster.platform, namespace, tmp_path)
