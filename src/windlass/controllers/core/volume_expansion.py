"""A bound claim that asks for more than it has: its volume grows first, then the claim's status follows."""

from windlass.apis.core_v1 import PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimStatus
from windlass.apis.local_volumes import DRIVERS
from windlass.apis.storage_v1 import StorageClass
from windlass.controllers.core.volume_matching import asked, capacity
from windlass.kube.json import dig, dig_list
from windlass.kube.plan import Event, Patch, Plan
from windlass.kube.quantity import Quantity


def expanded(claim: PersistentVolumeClaim, volume: PersistentVolume, by: StorageClass | None) -> Plan | None:
    """The next step of an expansion; None when there is none to make."""
    has, wants = Quantity.parse(claim.status.capacity.get("storage", "0")), asked(claim)
    if claim.status.phase != "Bound" or wants <= has or by is None or not by.allow_volume_expansion:
        return None
    if dig(volume.spec, "csi", "driver") not in DRIVERS:
        waiting = "waiting for an external controller to expand this PVC"
        return Plan(events=[Event(reason="ExternalExpanding", message=waiting)])
    if capacity(volume) < wants:
        note = Event(reason="Resizing", message=f"External resizer is resizing volume {volume.metadata.name}")
        return Plan([Patch(volume, {"spec": {"capacity": {"storage": str(wants)}}})], events=[note])
    status = PersistentVolumeClaimStatus(
        phase="Bound",
        access_modes=dig_list(volume.spec, "accessModes"),
        capacity={**claim.status.capacity, "storage": str(wants)},
        conditions=claim.status.conditions,
    )
    return Plan(status=status, events=[Event(reason="VolumeResizeSuccessful", message="Resize volume succeeded")])
