"""One running platform for all tests of the gateway in a process."""

from collections.abc import Iterator

import pytest

from tests.gateway.platform import Platform


@pytest.fixture(scope="session")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """Server, manager and gateway, without a node. Shared: make users and namespaces of your own."""
    flags, environment = ["--no-node", "--registration-flow"], {"WINDLASS_INGRESS_TOKENS": "true"}
    running = Platform(tmp_path_factory.mktemp("gateway"), flags, environment=environment)
    running.up()
    yield running
    running.down()
