"""Stories of TrainJobs: one Windlass with a node for all of them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.node.platforms import Platform, a_namespace, platform_with_sandboxes
from tests.e2e.trainer.jobs import TrainerShell
from tests.e2e.training.images import kept_images, puller


@pytest.fixture(scope="session")
def platform() -> Iterator[Platform]:
    """The Windlass that all stories of a test process share; its node has two slots, whatever that is."""
    with platform_with_sandboxes("--images-dir", str(kept_images()), "--resource", "example.com/slot=2") as platform:
        yield platform


@pytest.fixture(scope="session")
def pulled(platform: Platform) -> Callable[[str], None]:
    """Have an image's environment built, so that no test waits for that; skip where it cannot be had."""
    return puller(platform, kept_images())


@pytest.fixture(scope="module")
def namespace(platform: Platform) -> Iterator[str]:
    """A fresh namespace, deleted afterwards with all that runs in it."""
    with a_namespace(platform, "trainer-") as name:
        yield name


@pytest.fixture
def kubectl(platform: Platform, namespace: str, tmp_path: Path) -> TrainerShell:
    return TrainerShell(platform, namespace, tmp_path)
