"""Stories of pipelines: one Windlass with gateway and node for all of them."""

from collections.abc import Iterator

import pytest

from tests.e2e.notebooks.desk import Desk, desk_of_a_profile, platform_with_sandbox
from tests.e2e.pipelines.sdk import Kfp
from tests.gateway.platform import Platform


@pytest.fixture(scope="session")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    with platform_with_sandbox(tmp_path_factory.mktemp("pipelines")) as running:
        yield running


@pytest.fixture(scope="session")
def desk(platform: Platform) -> Iterator[Desk]:
    """A person with a profile, whose namespace all stories share."""
    with desk_of_a_profile(platform) as desk:
        yield desk


@pytest.fixture(scope="session")
def kfp(desk: Desk) -> Kfp:
    return Kfp.of(desk)
