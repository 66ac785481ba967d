"""One row of the volumes table. Pure."""

from collections.abc import Sequence

from windlass.apis.core_v1 import Event, PersistentVolumeClaim
from windlass.apps.volumes.kinds import PVCViewer
from windlass.gateway.proxy.entrances.state import OPEN, EntranceState
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
    entrance: EntranceState = OPEN,
) -> Object:
    """`notebooks` mount the claim, whether they run or not; `entrance` is the viewer's."""
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
            "status": viewer_phase(viewer, entrance),
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


def viewer_phase(viewer: PVCViewer | None, entrance: EntranceState = OPEN) -> Phase:
    if viewer is None:
        return "uninitialized"
    if viewer.metadata.deletion_timestamp is not None:
        return "terminating"
    if entrance.conflict:
        return "warning"
    is_open = entrance.has_address or viewer.spec.networking.target_port is None
    return "ready" if viewer.status.ready and is_open else "waiting"
