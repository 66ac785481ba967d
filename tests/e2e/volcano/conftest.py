"""Stories of Volcano's kinds: one Windlass with a node for all of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.node.platforms import Platform, a_namespace, platform_with_sandboxes
from tests.e2e.volcano.shell import VolcanoShell


@pytest.fixture(scope="session")
def platform() -> Iterator[Platform]:
    """The Windlass that all stories of a test process share."""
    with platform_with_sandboxes() as platform:
        yield platform


@pytest.fixture
def namespace(platform: Platform) -> Iterator[str]:
    """A fresh namespace, deleted afterwards with all that runs in it."""
    with a_namespace(platform, "volcano-") as name:
        yield name


@pytest.fixture
def kubectl(platform: Platform, namespace: str, tmp_path: Path) -> VolcanoShell:
    return VolcanoShell(platform, namespace, tmp_path)
