"""Stories of Argo Workflows: one Windlass with a node for all of them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.node.platforms import Platform, a_namespace, platform_with_sandboxes
from tests.e2e.node.pods import Object, PodShell

ENDS = ("Succeeded", "Failed", "Error")


@dataclass
class WorkflowShell(PodShell):
    """A terminal in whose namespace Workflows are at work."""

    def path(self, path: str) -> str:
        if path.startswith(("workflows", "cronworkflows")):
            return f"/apis/argoproj.io/v1alpha1/namespaces/{self.namespace}/{path}"
        return super().path(path)

    def submit(self, workflow: Object) -> str:
        """Create a Workflow; its name."""
        workflow["metadata"].pop("namespace", None)
        return self("create -o name -f -", json.dumps(workflow)).strip().rpartition("/")[2]

    def ended(self, name: str, phase: str = "Succeeded", within: float = 120.0) -> Object:
        """Wait until a Workflow is over, which must be with this phase."""
        found = self.until(f"workflows/{name}", lambda each: each.get("status", {}).get("phase") in ENDS, within)
        nodes = {node["name"]: (node["phase"], node.get("message", "")) for node in found["status"]["nodes"].values()}
        assert found["status"]["phase"] == phase, nodes
        return found

    def node(self, workflow: Object, display: str) -> Object:
        return next(node for node in workflow["status"]["nodes"].values() if node["displayName"] == display)

    def log_of(self, workflow: Object, display: str) -> str:
        node_id = self.node(workflow, display)["id"]
        (pod,) = (
            pod
            for pod in self.pods(f"workflows.argoproj.io/workflow={workflow['metadata']['name']}")
            if pod["metadata"]["annotations"]["workflows.argoproj.io/node-id"] == node_id
        )
        return self.server.request("GET", self.path(f"pods/{pod['metadata']['name']}/log")).body.decode()


@pytest.fixture(scope="session")
def platform() -> Iterator[Platform]:
    """The Windlass that all stories of a test process share."""
    with platform_with_sandboxes() as platform:
        yield platform


@pytest.fixture
def kubectl(platform: Platform, tmp_path: Path) -> Iterator[WorkflowShell]:
    """In a fresh namespace, deleted afterwards with all that runs in it."""
    with a_namespace(platform, "workflow-") as name:
        yield WorkflowShell(platform, name, tmp_path)
