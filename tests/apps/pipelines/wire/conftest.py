"""A running platform without a node, and two people with a profile each."""

from collections.abc import Iterator

import pytest

from tests.apps.pipelines.wire.people import PipelinesUser, pipelines_user
from tests.gateway.browser import a_person
from tests.gateway.platform import Platform


@pytest.fixture(scope="session")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    running = Platform(tmp_path_factory.mktemp("pipelines"), ["--no-node"])
    running.up()
    yield running
    running.down()


@pytest.fixture(scope="session")
def anna(platform: Platform) -> PipelinesUser:
    return pipelines_user(platform, a_person(platform, "anna@example.com"), "anna")


@pytest.fixture(scope="session")
def bert(platform: Platform) -> PipelinesUser:
    return pipelines_user(platform, a_person(platform, "bert@example.com"), "bert")
