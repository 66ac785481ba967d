"""The phases of a claim and of its viewer, and what counts as its user."""

from typing import Any

import msgspec
import pytest

from windlass.apis.batch_v1 import Job
from windlass.apis.core_v1 import Event, PersistentVolumeClaim, Pod
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.tensorboards.kinds import Tensorboard
from windlass.apps.volumes.kinds import PVCViewer
from windlass.apps.volumes.web.consumers import uses
from windlass.apps.volumes.web.rows import claim_status, row, viewer_phase
from windlass.gateway.proxy.entrances.state import EntranceState
from windlass.kube.kind import KINDS, Kind

Object = dict[str, Any]
CREATED, DELETED = {"creationTimestamp": "2026-01-01T11:00:00Z"}, {"deletionTimestamp": "2026-01-01T11:00:00Z"}
VOLUMES = {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}


def a_claim(phase: str = "Pending", **metadata: str) -> PersistentVolumeClaim:
    spec = {"resources": {"requests": {"storage": "1Gi"}}, "accessModes": ["ReadWriteOnce"], "storageClassName": "c"}
    return msgspec.convert(
        {"metadata": {"name": "data", **CREATED, **metadata}, "spec": spec, "status": {"phase": phase}},
        PersistentVolumeClaim,
    )


def an_event(reason: str, at: str = "2026-01-01T11:01:00Z", kind: str = "Normal") -> Event:
    return msgspec.convert({"reason": reason, "type": kind, "lastTimestamp": at, "message": reason}, Event)


@pytest.mark.parametrize(
    ("claim", "events", "phase"),
    [
        (a_claim(**DELETED), [], "terminating"),
        (a_claim("Bound"), [an_event("ProvisioningFailed", kind="Warning")], "ready"),
        (a_claim(), [], "waiting"),
        (a_claim(), [an_event("WaitForFirstConsumer")], "unavailable"),
        (a_claim(), [an_event("Provisioning")], "waiting"),
        (a_claim(), [an_event("ExternalProvisioning")], "waiting"),
        (a_claim(), [an_event("FailedBinding")], "warning"),
        (a_claim(), [an_event("ProvisioningFailed", kind="Warning")], "warning"),
        (a_claim(), [an_event("ProvisioningSucceeded")], "ready"),
        (
            a_claim(),
            [an_event("WaitForFirstConsumer"), an_event("Provisioning", "2026-01-01T11:02:00Z")],
            "waiting",
        ),
        (a_claim(), [an_event("FailedBinding", "2026-01-01T10:00:00Z")], "waiting"),
    ],
)
def test_the_phases_of_a_claim(claim: PersistentVolumeClaim, events: list[Event], phase: str) -> None:
    assert claim_status(claim, events)["phase"] == phase


@pytest.mark.parametrize(
    ("viewer", "phase"),
    [
        (None, "uninitialized"),
        ({"metadata": DELETED}, "terminating"),
        ({"status": {"ready": True}}, "ready"),
        ({}, "waiting"),
    ],
)
def test_the_phases_of_a_viewer(viewer: Object | None, phase: str) -> None:
    made = None if viewer is None else msgspec.convert({"spec": {"pvc": "data"}, **viewer}, PVCViewer)

    assert viewer_phase(made) == phase


def test_a_viewer_whose_service_belongs_to_something_else_warns() -> None:
    viewer = msgspec.convert({"spec": {"pvc": "data"}, "status": {"ready": True}}, PVCViewer)
    conflict = EntranceState("NameConflict: Service pvcviewer-data belongs to Notebook pvcviewer-data")

    assert viewer_phase(viewer, conflict) == "warning"
    assert row(a_claim(), [], [], viewer, conflict)["viewer"]["status"] == "warning"


def test_a_viewer_that_the_proxy_does_not_enter_is_not_ready() -> None:
    ready = msgspec.convert(
        {
            "metadata": {"name": "data"},
            "spec": {"pvc": "data", "networking": {"targetPort": 8080}},
            "status": {"ready": True},
        },
        PVCViewer,
    )

    assert viewer_phase(ready, EntranceState(has_address=False)) == "waiting"
    assert viewer_phase(ready) == "ready"


def test_a_row_shows_what_was_requested_until_there_is_a_volume() -> None:
    cells = row(a_claim(), [], ["lab"], None)

    assert (cells["capacity"], cells["modes"], cells["class"]) == ("1Gi", ["ReadWriteOnce"], "c")
    assert cells["notebooks"] == ["lab"]
    assert cells["viewer"] == {"status": "uninitialized", "url": None}


def pod(phase: str = "Running", **labels: str) -> Object:
    return {"metadata": {"labels": labels}, "spec": VOLUMES, "status": {"phase": phase}}


@pytest.mark.parametrize(
    ("kind", "obj", "used"),
    [
        (Pod, pod(), True),
        (Pod, pod("Succeeded"), False),
        (Pod, pod("Failed"), False),
        (Pod, pod(**{"app.kubernetes.io/part-of": "pvc-viewer"}), False),
        (Pod, pod(**{"app.kubernetes.io/name": "helm-chart"}), True),
        (Pod, {"spec": {"volumes": [{"persistentVolumeClaim": {"claimName": "other"}}]}}, False),
        (
            Notebook,
            {"metadata": {"annotations": {"kubeflow-resource-stopped": "x"}}, "spec": {"template": {"spec": VOLUMES}}},
            True,
        ),
        (Tensorboard, {"spec": {"logspath": "pvc://data/run"}}, True),
        (Tensorboard, {"spec": {"logspath": "pvc://data-2/run"}}, False),
        (Job, {"spec": {"template": {"spec": VOLUMES}}}, True),
        (
            Job,
            {
                "spec": {"template": {"spec": VOLUMES}},
                "status": {"conditions": [{"type": "Complete", "status": "True"}]},
            },
            False,
        ),
    ],
)
def test_what_uses_a_claim(kind: type, obj: Object, used: bool) -> None:
    assert uses(KINDS.of(kind), obj, "data") is used


SERVICES = Kind(group="serving.kserve.io", version="v1beta1", name="InferenceService", plural="inferenceservices")
VOLCANO_JOBS = Kind(group="batch.volcano.sh", version="v1alpha1", name="Job", plural="jobs")


@pytest.mark.parametrize(
    ("kind", "spec", "used"),
    [
        (SERVICES, {"predictor": {"model": {"storageUri": "pvc://data/model"}}}, True),
        (SERVICES, {"predictor": {"sklearn": {"storageUri": "pvc://data"}}}, True),
        (SERVICES, {"predictor": {"model": {"storageUri": "pvc://data-2/model"}}}, False),
        (SERVICES, {"predictor": {"model": {"storageUri": "s3://data/model"}}}, False),
        (SERVICES, {"predictor": {"volumes": VOLUMES["volumes"]}}, True),
        (VOLCANO_JOBS, {"volumes": [{"mountPath": "/data", "volumeClaimName": "data"}]}, True),
        (VOLCANO_JOBS, {"volumes": [{"mountPath": "/data", "volumeClaimName": "other"}]}, False),
        (VOLCANO_JOBS, {"tasks": [{"template": {"spec": VOLUMES}}]}, True),
    ],
)
def test_models_and_jobs_that_name_a_claim_in_their_own_way(kind: Kind, spec: Object, used: bool) -> None:
    assert uses(kind, {"spec": spec}, "data") is used
