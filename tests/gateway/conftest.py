"""The running platforms that tests of the gateway in a process share."""

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


UNHEEDED = {
    "APP_DISABLE_AUTH": "true",
    "BACKEND_MODE": "dev",
    "DEV": "true",
    "DISABLE_AUTH": "true",
    "KUBEFLOW_USERID_HEADER": "x-user",
    "USERID_HEADER": "x-user",
}
"""Variables by which Katib's UI and the web apps turn authentication off."""


@pytest.fixture(scope="session")
def lone_platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """As a person starts it on a laptop, with the first user alone. Leave no other user behind."""
    running = Platform(tmp_path_factory.mktemp("alone"), ["--no-node"], environment=UNHEEDED)
    running.up()
    yield running
    running.down()
