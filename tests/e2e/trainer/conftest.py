"""Stories of TrainJobs: one Windlass with a node for all of them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.node.conftest import new_namespace
from tests.e2e.node.platforms import Platform, Platforms
from tests.e2e.trainer.jobs import TrainerShell
from tests.e2e.training.conftest import USER
from tests.e2e.training.images import kept_images, puller


@pytest.fixture(scope="session")
def platform() -> Iterator[Platform]:
    """The Windlass that all stories of a test process share; its node has two slots, whatever that is."""
    platforms = Platforms(flags=("--images-dir", str(kept_images()), "--resource", "example.com/slot=2"))
    try:
        platform = platforms.of(USER)
        if not platform.runtime().startswith("windlass-sandbox:"):
            pytest.skip("user namespaces are refused here, so that pods are plain processes")
        yield platform
    finally:
        platforms.stop()


@pytest.fixture(scope="session")
def pulled(platform: Platform) -> Callable[[str], None]:
    """Have an image's environment built, so that no test waits for that; skip where it cannot be had."""
    return puller(platform, kept_images())


@pytest.fixture(scope="module")
def namespace(platform: Platform) -> Iterator[str]:
    """A fresh namespace, deleted afterwards with all that runs in it."""
    name = new_namespace(platform, "trainer-")
    yield name
    platform.request("DELETE", f"/api/v1/namespaces/{name}")


@pytest.fixture
def kubectl(platform: Platform, namespace: str, tmp_path: Path) -> TrainerShell:
    return TrainerShell(platform, namespace, tmp_path)
