"""Why nothing answers at an address, in a sentence that shows no more than the user may see."""

from typing import Any

import msgspec
import pytest

from windlass.apps.notebooks.kinds import Notebook
from windlass.gateway.access.reviews import Access
from windlass.gateway.proxy.not_ready import reason, why_not_ready
from windlass.kube.client import Client
from windlass.kube.testing import NOW, MemoryServer

BOARD = Access("get", "tensorboard.kubeflow.org", "tensorboards", "ml", "runs")


def a_notebook(status: dict[str, Any], **metadata: Any) -> Notebook:
    return msgspec.convert({"metadata": {"name": "lab", **metadata}, "status": status}, Notebook)


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
def test_the_reason_of_a_notebook(notebook: Notebook, why: str) -> None:
    assert reason(notebook) == why


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
