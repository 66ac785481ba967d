"""One row of the volumes table. Pure."""

from collections.abc import Sequence

from windlass.apis.core_v1 import Event, PersistentVolumeClaim
from windlass.apis.kubeflow_v1alpha1 import PVCViewer
from windlass.gateway.webapps.event_times import newest_event
from windlass.gateway.webapps.phases import Phase, status
from windlass.kube.json import Object

WAITS_FOR_CONSUMER = "WaitForFirstConsumer"
PROVISIONING = ("Provisioning", "ExternalProvisioning")


def row(
    claim: PersistentVolumeClaim,
    events: Sequence[Event],
    notebooks: Sequence[str],
    viewer: PVCViewer | None,
    viewer_conflict: str = "",
) -> Object:
    """`notebooks` mount the claim, whether they run or not; `viewer_conflict`: why the viewer cannot be reached."""
    requested = claim.spec.resources.requests.get("storage", "")
    return {
        "name": claim.metadata.name,
        "namespace": claim.metadata.namespace,
        "status": claim_status(claim, events),
        "age": claim.metadata.creation_timestamp,
        "capacity": claim.status.capacity.get("storage") or requested,
        "modes": claim.spec.access_modes,
        "class": claim.spec.storage_class_name,
        "notebooks": list(notebooks),
        "viewer": {
            "status": viewer_phase(viewer, viewer_conflict),
            "url": viewer.status.url if viewer is not None else None,
        },
    }


def claim_status(claim: PersistentVolumeClaim, events: Sequence[Event]) -> Object:
    if claim.metadata.deletion_timestamp is not None:
        return status("terminating", "Deleting")
    if claim.status.phase == "Bound":
        return status("ready", "Bound")
    event = newest_event(events, claim.metadata.creation_timestamp)
    if event is None:
        return status("waiting", "Provisioning")
    if event.reason == WAITS_FOR_CONSUMER:
        text = "The volume is made when it is used first: attach it to a notebook or open a viewer"
        return status("unavailable", text, event.reason)
    if event.reason in PROVISIONING:
        return status("waiting", event.message, event.reason)
    if event.reason == "FailedBinding" or event.type == "Warning":
        return status("warning", event.message, event.reason)
    return status("ready", event.message, event.reason)


def viewer_phase(viewer: PVCViewer | None, conflict: str = "") -> Phase:
    if viewer is None:
        return "uninitialized"
    if viewer.metadata.deletion_timestamp is not None:
        return "terminating"
    if conflict:
        return "warning"
    return "ready" if viewer.status.ready else "waiting"
