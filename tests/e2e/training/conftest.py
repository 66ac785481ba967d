"""Stories of training: one Windlass with a node for all of them, and environments that outlive it."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.node.conftest import new_namespace
from tests.e2e.node.platforms import Platform, Platforms
from tests.e2e.training.images import kept_images, puller
from tests.e2e.training.jobs import JobShell

USER = "root" if os.geteuid() == 0 else "ordinary user"


@pytest.fixture(scope="session")
def images_dir() -> Path:
    """Where environments stay between runs."""
    return kept_images()


@pytest.fixture(scope="session")
def platform(images_dir: Path) -> Iterator[Platform]:
    """The Windlass that all stories of a test process share; its node says that it has a GPU."""
    platforms = Platforms(flags=("--images-dir", str(images_dir), "--resource", "nvidia.com/gpu=1"))
    try:
        platform = platforms.of(USER)
        if not platform.runtime().startswith("windlass-sandbox:"):
            pytest.skip("user namespaces are refused here, so that pods are plain processes")
        yield platform
    finally:
        platforms.stop()


@pytest.fixture(scope="session")
def pulled(platform: Platform, images_dir: Path) -> Callable[[str], None]:
    """Have an image's environment built, so that no test waits for that; skip where it cannot be had."""
    return puller(platform, images_dir)


@pytest.fixture
def namespace(platform: Platform) -> Iterator[str]:
    """A fresh namespace, deleted afterwards with all that runs in it."""
    name = new_namespace(platform, "training-")
    yield name
    platform.request("DELETE", f"/api/v1/namespaces/{name}")


@pytest.fixture
def kubectl(platform: Platform, namespace: str, tmp_path: Path) -> JobShell:
    return JobShell(platform, namespace, tmp_path)
