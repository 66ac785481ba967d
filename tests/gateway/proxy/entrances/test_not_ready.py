"""Why nothing answers at an address, in a sentence that shows no more than the user may see."""

from typing import Any

import pytest

from windlass.apis.access import Access
from windlass.gateway.proxy.entrances.not_ready import why_not_ready
from windlass.kube.client import Client
from windlass.kube.testing import NOW, MemoryServer

LAB = Access("update", "kubeflow.org", "notebooks", "ml", "lab")
BOARD = Access("get", "tensorboard.kubeflow.org", "tensorboards", "ml", "runs")


def a_notebook(status: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    made = {"name": "lab", "namespace": "ml", "creationTimestamp": "2026-01-01T00:00:00Z", **metadata}
    return {"apiVersion": "kubeflow.org/v1", "kind": "Notebook", "metadata": made, "status": status}


def a_viewer(*conditions: dict[str, Any]) -> dict[str, Any]:
    metadata = {"name": "files", "namespace": "ml", "creationTimestamp": "2026-01-01T00:00:00Z"}
    status = {"conditions": list(conditions)}
    return {
        "apiVersion": "kubeflow.org/v1alpha1",
        "kind": "PVCViewer",
        "metadata": metadata,
        "spec": {"pvc": "data"},
        "status": status,
    }


@pytest.mark.parametrize(
    ("notebook", "why"),
    [
        (a_notebook({}), "It is starting."),
        (a_notebook({}, deletionTimestamp="2026-01-01T00:00:00Z"), "It is being deleted."),
        (
            a_notebook({}, annotations={"kubeflow-resource-stopped": ""}),
            "It is stopped. Start it to use it again.",
        ),
        (
            a_notebook({"containerState": {"waiting": {"reason": "ErrImagePull", "message": "not here"}}}),
            "ErrImagePull: not here",
        ),
        (
            a_notebook(
                {
                    "containerState": {"running": {"startedAt": "2026-01-01T00:00:00Z"}},
                    "conditions": [{"type": "R", "status": "False", "reason": "ContainersNotReady", "message": "x"}],
                }
            ),
            "It is starting.",
        ),
        (
            a_notebook({"conditions": [{"type": "P", "status": "False", "reason": "Unschedulable", "message": "cpu"}]}),
            "Unschedulable: cpu",
        ),
    ],
)
async def test_the_reason_of_a_notebook(notebook: dict[str, Any], why: str) -> None:
    server = MemoryServer(lambda: NOW)
    server.put(notebook)

    assert await why_not_ready(Client(server), LAB) == why


@pytest.mark.parametrize(
    ("viewer", "why"),
    [
        (a_viewer(), "It is starting."),
        (a_viewer({"type": "Available", "status": "True", "message": "one pod is ready"}), "It is starting."),
        (
            a_viewer(
                {"type": "Available", "status": "False"},
                {"type": "Progressing", "status": "False", "message": "the claim is missing"},
            ),
            "the claim is missing",
        ),
    ],
)
async def test_the_reason_of_a_viewer(viewer: dict[str, Any], why: str) -> None:
    server = MemoryServer(lambda: NOW)
    server.put(viewer)

    assert await why_not_ready(Client(server), Access("update", "kubeflow.org", "pvcviewers", "ml", "files")) == why


@pytest.mark.parametrize("access", [None, Access("get", "", "services", "ml", "lab")])
async def test_a_route_without_an_entrance_says_that_no_pod_is_ready(access: Access | None) -> None:
    assert await why_not_ready(Client(MemoryServer(lambda: NOW)), access) == "No pod behind it is ready."


async def test_a_board_without_its_claim_says_so() -> None:
    server = MemoryServer(lambda: NOW)
    client = Client(server)
    assert await why_not_ready(client, BOARD) == "It does not exist."

    server.put(
        {
            "apiVersion": "tensorboard.kubeflow.org/v1alpha1",
            "kind": "Tensorboard",
            "metadata": {"name": "runs", "namespace": "ml", "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"logspath": "pvc://gone"},
        }
    )
    assert await why_not_ready(client, BOARD) == "It is starting."

    server.put(
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": "runs.1", "namespace": "ml"},
            "involvedObject": {"kind": "Tensorboard", "name": "runs"},
            "type": "Warning",
            "reason": "ClaimNotFound",
            "message": "PersistentVolumeClaim gone does not exist",
            "lastTimestamp": "2026-01-01T00:01:00Z",
        }
    )
    assert await why_not_ready(client, BOARD) == "ClaimNotFound: PersistentVolumeClaim gone does not exist"
