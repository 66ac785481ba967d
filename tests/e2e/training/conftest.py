"""Stories of training: one Windlass with a node for all of them, and environments that outlive it."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.node.conftest import new_namespace
from tests.e2e.node.platforms import Platform, Platforms
from tests.e2e.training.jobs import JobShell

USER = "root" if os.geteuid() == 0 else "ordinary user"
IMAGES_DIR = "WINDLASS_IMAGES_DIR"
LONGEST_BUILD = 800
"""Seconds; a framework with all that it needs is a gigabyte or more."""


@pytest.fixture(scope="session")
def images_dir() -> Path:
    """Where environments stay between runs: frameworks are large, and building one takes minutes."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get(IMAGES_DIR) or cache / "windlass" / "test-images")


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
    built: set[str] = set()

    def pull(image: str) -> None:
        if image in built:
            return
        argv = [sys.executable, "-m", "windlass", "images", "pull", image]
        argv += ["--data-dir", str(platform.data_dir), "--images-dir", str(images_dir)]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=LONGEST_BUILD, check=False)
        if done.returncode:
            pytest.skip(f"the environment of {image} cannot be built here: {done.stderr[-500:]}")
        built.add(image)

    return pull


@pytest.fixture
def namespace(platform: Platform) -> Iterator[str]:
    """A fresh namespace, deleted afterwards with all that runs in it."""
    name = new_namespace(platform, "training-")
    yield name
    platform.request("DELETE", f"/api/v1/namespaces/{name}")


@pytest.fixture
def kubectl(platform: Platform, namespace: str, tmp_path: Path) -> JobShell:
    return JobShell(platform, namespace, tmp_path)
