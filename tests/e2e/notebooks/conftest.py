"""Stories of notebooks, boards and viewers: one Windlass with gateway and node for all of them."""

import itertools
from collections.abc import Callable, Iterator

import pytest

from tests.e2e.notebooks.desk import Desk
from tests.e2e.training.images import kept_images, puller
from tests.gateway.browser import a_person, signed_in
from tests.gateway.platform import Platform

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    running = Platform(tmp_path_factory.mktemp("notebooks"), ["--images-dir", str(kept_images())])
    running.up()
    try:
        node = running.api.get("/api/v1/nodes")["items"][0]
        if not node["status"]["nodeInfo"]["containerRuntimeVersion"].startswith("windlass-sandbox:"):
            pytest.skip("user namespaces are refused here, so that pods are plain processes")
        yield running
    finally:
        running.down()


@pytest.fixture(scope="session")
def pulled(platform: Platform) -> Callable[[str], None]:
    """Have an image's environment built, so that no test waits for that; skip where it cannot be had."""
    return puller(platform, kept_images())


@pytest.fixture
def desk(platform: Platform) -> Iterator[Desk]:
    """A signed-in person who may edit a namespace of their own."""
    number = next(_numbers)
    person = a_person(platform, f"ada{number}@example.com")
    desk = Desk(platform, f"ada{number}", signed_in(platform, person))
    desk.furnish(person.email)
    yield desk
    desk.clear()
