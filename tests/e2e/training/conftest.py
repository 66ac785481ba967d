"""Stories of training: one Windlass with a node for all of them, and environments that outlive it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.node.platforms import Platform, a_namespace, platform_with_sandboxes
from tests.e2e.training.images import kept_images, puller
from tests.e2e.training.jobs import JobShell


@pytest.fixture(scope="session")
def images_dir() -> Path:
    """Where environments stay between runs."""
    return kept_images()


@pytest.fixture(scope="session")
def platform(images_dir: Path) -> Iterator[Platform]:
    """The Windlass that all stories of a test process share; its node says that it has a GPU."""
    with platform_with_sandboxes("--images-dir", str(images_dir), "--resource", "nvidia.com/gpu=1") as platform:
        yield platform


@pytest.fixture(scope="session")
def pulled(platform: Platform, images_dir: Path) -> Callable[[str], None]:
    """Have an image's environment built, so that no test waits for that; skip where it cannot be had."""
    return puller(platform, images_dir)


@pytest.fixture
def namespace(platform: Platform) -> Iterator[str]:
    """A fresh namespace, deleted afterwards with all that runs in it."""
    with a_namespace(platform, "training-") as name:
        yield name


@pytest.fixture
def kubectl(platform: Platform, namespace: str, tmp_path: Path) -> JobShell:
    return JobShell(platform, namespace, tmp_path)
