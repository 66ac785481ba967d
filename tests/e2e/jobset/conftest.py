"""Stories of JobSets: one Windlass with a node for all of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.node.platforms import Platform, a_namespace, platform_with_sandboxes
from tests.e2e.node.pods import Object, PodShell, condition

JOBSETS = "apis/jobset.x-k8s.io/v1alpha2"


@dataclass
class JobSetShell(PodShell):
    """A terminal in whose namespace JobSets are at work."""

    def path(self, path: str) -> str:
        if path.startswith("jobsets"):
            return f"/{JOBSETS}/namespaces/{self.namespace}/{path}"
        return super().path(path)

    def of(self, jobset: str) -> dict[str, Object]:
        """Its pods that are not going, by their hostname."""
        listed = self.pods(f"jobset.sigs.k8s.io/jobset-name={jobset}")
        return {pod["spec"]["hostname"]: pod for pod in listed if "deletionTimestamp" not in pod["metadata"]}

    def reaches(self, jobset: str, type: str, status: str = "True") -> Object:
        return self.until(f"jobsets/{jobset}", lambda found: condition(found, type) == status)


@pytest.fixture(scope="session")
def platform() -> Iterator[Platform]:
    """The Windlass that all stories of a test process share."""
    with platform_with_sandboxes() as platform:
        yield platform


@pytest.fixture
def kubectl(platform: Platform, tmp_path: Path) -> Iterator[JobSetShell]:
    """In a fresh namespace, deleted afterwards with all that runs in it."""
    with a_namespace(platform, "jobset-") as name:
        yield JobSetShell(platform, name, tmp_path)
