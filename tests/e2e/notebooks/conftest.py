"""Stories of notebooks, boards and viewers: one Windlass with gateway and node for all of them."""

from collections.abc import Callable, Iterator

import pytest

from tests.e2e.notebooks.desk import Desk, desk_of_a_person, platform_with_sandbox
from tests.e2e.training.images import kept_images, puller
from tests.gateway.platform import Platform


@pytest.fixture(scope="session")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    with platform_with_sandbox(tmp_path_factory.mktemp("notebooks"), "--demo") as running:
        yield running


@pytest.fixture(scope="session")
def pulled(platform: Platform) -> Callable[[str], None]:
    """Have an image's environment built, so that no test waits for that; skip where it cannot be had."""
    return puller(platform, kept_images())


@pytest.fixture
def desk(platform: Platform) -> Iterator[Desk]:
    """A signed-in person who may edit a namespace of their own."""
    with desk_of_a_person(platform) as desk:
        yield desk
