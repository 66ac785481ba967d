"""A Service is of the object that controls it, not of every object that has its name."""

from typing import Any

import msgspec
import pytest

from windlass.apis.access import Access
from windlass.apis.core_v1 import Service
from windlass.gateway.proxy.entrances.lookup import entrance_of
from windlass.gateway.proxy.entrances.state import conflict_of

NOTEBOOK = Access("update", "kubeflow.org", "notebooks", "ml", "lab")
BOARD = Access("get", "tensorboard.kubeflow.org", "tensorboards", "ml", "lab")
UNKNOWN = Access("get", "serving.kserve.io", "inferenceservices", "ml", "lab")
VIEWER = Access("update", "kubeflow.org", "pvcviewers", "ml", "lab")


def a_service(api_version: str = "", kind: str = "", name: str = "lab", controller: bool = True) -> Service:
    owner: dict[str, Any] = {
        "apiVersion": api_version,
        "kind": kind,
        "name": name,
        "uid": "1",
        "controller": controller,
    }
    return msgspec.convert({"metadata": {"name": "lab", "ownerReferences": [owner] if kind else []}}, Service)


@pytest.mark.parametrize(
    ("service", "access", "why"),
    [
        (a_service("kubeflow.org/v1", "Notebook"), NOTEBOOK, ""),
        (a_service("kubeflow.org/v1beta1", "Notebook"), NOTEBOOK, ""),
        (a_service("tensorboard.kubeflow.org/v1alpha1", "Tensorboard"), BOARD, ""),
        (a_service("tensorboard.kubeflow.org/v1alpha1", "Tensorboard"), NOTEBOOK, "belongs to Tensorboard lab"),
        (a_service("kubeflow.org/v1", "Notebook"), BOARD, "belongs to Notebook lab"),
        (a_service("kubeflow.org/v1", "Notebook", "other"), NOTEBOOK, "belongs to Notebook other"),
        (a_service("evil.example/v1", "Notebook"), NOTEBOOK, "belongs to Notebook lab"),
        (a_service("kubeflow.org/v1", "Notebook", controller=False), NOTEBOOK, "does not belong to this Notebook"),
        (a_service(), NOTEBOOK, "does not belong to this Notebook"),
        (None, NOTEBOOK, ""),
        (a_service(), None, ""),
        (a_service("kubeflow.org/v1alpha1", "PVCViewer"), VIEWER, ""),
        (a_service("kubeflow.org/v1alpha1", "PVCViewer", "other"), VIEWER, "belongs to PVCViewer other"),
        (a_service("kubeflow.org/v1", "Notebook"), VIEWER, "belongs to Notebook lab"),
        (a_service(), VIEWER, "does not belong to this PVCViewer"),
        (a_service(), UNKNOWN, ""),
    ],
)
def test_whose_a_service_is(service: Service | None, access: Access | None, why: str) -> None:
    found = conflict_of(service, access)

    assert (why in found) if why else found == ""
    assert not found or found.startswith("NameConflict: ")


@pytest.mark.parametrize(("access", "name"), [(NOTEBOOK, "lab"), (BOARD, "lab"), (VIEWER, "pvcviewer-lab")])
def test_which_service_an_object_wants(access: Access, name: str) -> None:
    entrance = entrance_of(access)

    assert entrance is not None
    assert entrance.service_name(access.name) == name
