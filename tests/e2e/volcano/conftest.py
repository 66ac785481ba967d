"""Stories of Volcano's kinds: one Windlass with a node for all of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.node.conftest import new_namespace
from tests.e2e.node.platforms import Platform, Platforms
from tests.e2e.training.conftest import USER
from tests.e2e.volcano.shell import VolcanoShell


@pytest.fixture(scope="session")
def platform() -> Iterator[Platform]:
    """The Windlass that all stories of a test process share."""
    platforms = Platforms()
    try:
        platform = platforms.of(USER)
        if not platform.runtime().startswith("windlass-sandbox:"):
            pytest.skip("user namespaces are refused here, so that pods are plain processes")
        yield platform
    finally:
        platforms.stop()


@pytest.fixture
def namespace(platform: Platform) -> Iterator[str]:
    """A fresh namespace, deleted afterwards with all that runs in it."""
    name = new_namespace(platform, "volcano-")
    yield name
    platform.request("DELETE", f"/api/v1/namespaces/{name}")


@pytest.fixture
def kubectl(platform: Platform, namespace: str, tmp_path: Path) -> VolcanoShell:
    return VolcanoShell(platform, namespace, tmp_path)
