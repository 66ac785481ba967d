"""Stories of pods that run, told as root and as an ordinary user."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.node.platforms import Platform, Platforms
from tests.e2e.node.pods import PodShell
from tests.e2e.ordinary_user import WHO, skip_unless_possible
from tests.support import eventually


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
    if not platform.runtime().startswith("windlass-sandbox:"):
        pytest.skip("user namespaces are refused here, so that pods are plain processes")
    return platform


@pytest.fixture
def namespace(platform: Platform) -> Iterator[str]:
    """A fresh namespace, deleted afterwards with all that runs in it."""
    name = new_namespace(platform)
    yield name
    platform.request("DELETE", f"/api/v1/namespaces/{name}")


@pytest.fixture
def kubectl(platform: Platform, namespace: str, tmp_path: Path) -> PodShell:
    return PodShell(platform, namespace, tmp_path)


def new_namespace(platform: Platform, generate_name: str = "story-") -> str:
    made = platform.create(
        "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"generateName": generate_name}}
    )
    name = made["metadata"]["name"]
    account = f"/api/v1/namespaces/{name}/serviceaccounts/default"
    eventually(lambda: platform.request("GET", account).status == 200, 120, f"the service account of {name}")
    return name
