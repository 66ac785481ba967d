"""Stories of pods that run, told as root and as an ordinary user."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.node.platforms import Platform, Platforms, a_namespace, skip_without_sandboxes
from tests.e2e.node.pods import PodShell
from tests.e2e.ordinary_user import WHO, skip_unless_possible


@pytest.fixture(scope="session")
def platforms() -> Iterator[Platforms]:
    """One platform for each user, shared by all stories of a test process."""
    all_of_them = Platforms()
    yield all_of_them
    all_of_them.stop()


@pytest.fixture(params=WHO)
def user(request: pytest.FixtureRequest) -> str:
    skip_unless_possible(request.param)
    return request.param


@pytest.fixture
def platform(platforms: Platforms, user: str) -> Platform:
    platform = platforms.of(user)
    skip_without_sandboxes(platform)
    return platform


@pytest.fixture
def namespace(platform: Platform) -> Iterator[str]:
    with a_namespace(platform) as name:
        yield name


@pytest.fixture
def kubectl(platform: Platform, namespace: str, tmp_path: Path) -> PodShell:
    return PodShell(platform, namespace, tmp_path)
