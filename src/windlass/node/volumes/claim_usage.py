"""How much the claims of this node use: measured from time to time, with a Warning event before a volume is full.

Sizes of claims are not enforced, so the event is what a user sees before the disk is full.
"""

import asyncio
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct

from windlass.kube.json import Object, dig
from windlass.kube.quantity import Quantity
from windlass.node.volumes.base import Failed
from windlass.node.volumes.claims import persistent_folder
from windlass.node.volumes.persistent import is_ours
from windlass.node.volumes.usage import measure

INTERVAL_SECONDS = 60.0
MAX_SHARE_OF_TIME = 0.05
"""Large volumes are measured less often, so that measuring takes at most this part of the time."""
NEARLY_FULL = 0.9
REASON = "VolumeNearlyFull"


class ClaimReading(Struct, frozen=True):
    """What a claim uses of its size, in bytes. `available` is what the disk still has, within that size."""

    namespace: str
    claim: str
    used: int
    capacity: int
    available: int

    @property
    def is_nearly_full(self) -> bool:
        return self.capacity > 0 and self.used >= NEARLY_FULL * self.capacity

    @property
    def message(self) -> str:
        share = 100 * self.used // self.capacity
        return f"the volume uses {self.used} of {self.capacity} bytes ({share} %)"


Readings = dict[str, ClaimReading]
"""Readings by the name of the volume."""


def newly_full(before: Readings, after: Readings) -> list[str]:
    """Return the volumes that have become nearly full since the last pass."""
    return [
        name
        for name, reading in after.items()
        if reading.is_nearly_full and not (name in before and before[name].is_nearly_full)
    ]


def read_claim(volume: Object, data: Path) -> ClaimReading | None:
    """Measure a bound volume of ours; None for others, and for one without a folder yet."""
    claim = dig(volume, "spec", "claimRef", "name")
    if not claim or not is_ours(volume):
        return None
    try:
        folder = persistent_folder(data / "volumes", str(dig(volume, "spec", "csi", "volumeHandle")))
        capacity = int(Quantity.parse(str(dig(volume, "spec", "capacity", "storage") or "0")).value())
        disk = os.statvfs(folder)
    except (Failed, OSError, ValueError):
        return None
    used = measure(folder)
    free = min(disk.f_bavail * disk.f_frsize, max(0, capacity - used))
    return ClaimReading(str(dig(volume, "spec", "claimRef", "namespace")), str(claim), used, capacity, free)


async def watch_usage(
    volumes: Iterable[Object], data: Path, readings: Readings, warn: Callable[[Object, str], None]
) -> None:
    """Keep `readings` up to date, and `warn` of a volume (with a message) when it becomes nearly full. Never ends."""
    while True:
        began = time.monotonic()
        by_name = {str(dig(volume, "metadata", "name")): volume for volume in volumes}
        measured = {name: await asyncio.to_thread(read_claim, volume, data) for name, volume in by_name.items()}
        current = {name: reading for name, reading in measured.items() if reading is not None}
        for name in newly_full(readings, current):
            warn(by_name[name], current[name].message)
        readings.clear()
        readings.update(current)
        await asyncio.sleep(max(INTERVAL_SECONDS, (time.monotonic() - began) / MAX_SHARE_OF_TIME))


_METRICS = (
    ("kubelet_volume_stats_capacity_bytes", "Capacity in bytes of the volume", "capacity"),
    ("kubelet_volume_stats_available_bytes", "Number of available bytes in the volume", "available"),
    ("kubelet_volume_stats_used_bytes", "Number of used bytes in the volume", "used"),
)


def metrics(readings: Iterable[ClaimReading]) -> list[str]:
    """Return kubelet's metrics of volumes, as lines of Prometheus' text format."""
    known = sorted(readings, key=lambda reading: (reading.namespace, reading.claim))
    lines = list[str]()
    for name, help_text, field in _METRICS:
        lines += [f"# HELP {name} [ALPHA] {help_text}", f"# TYPE {name} gauge"]
        lines += [
            f'{name}{{namespace="{each.namespace}",persistentvolumeclaim="{each.claim}"}} {getattr(each, field)}'
            for each in known
        ]
    return lines


def pod_volumes(pod: Object, readings: Iterable[ClaimReading]) -> list[Object]:
    """Return the `volume` entries of a pod in /stats/summary: its claims."""
    namespace, name = dig(pod, "metadata", "namespace"), dig(pod, "metadata", "name")
    by_claim = {each.claim: each for each in readings if each.namespace == namespace}
    found: list[Object] = []
    for volume in dig(pod, "spec", "volumes") or []:
        claim = dig(volume, "persistentVolumeClaim", "claimName")
        if "ephemeral" in volume:
            claim = f"{name}-{volume['name']}"
        reading = by_claim.get(str(claim))
        if reading is not None:
            found.append(
                {
                    "name": volume["name"],
                    "pvcRef": {"name": reading.claim, "namespace": reading.namespace},
                    "usedBytes": reading.used,
                    "capacityBytes": reading.capacity,
                    "availableBytes": reading.available,
                }
            )
    return found
