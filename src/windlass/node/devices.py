"""Which GPU is whose: every pod gets devices of its own, and sees no others."""

from collections.abc import Mapping

from windlass.kube.json import Object, dig_object
from windlass.kube.quantity import Quantity

VISIBLE = {"nvidia.com/gpu": "CUDA_VISIBLE_DEVICES", "amd.com/gpu": "ROCR_VISIBLE_DEVICES"}
"""The variable by which a framework is told its devices."""


class NotEnough(Exception):
    """More is asked for than is free: the pod is refused with this message."""


class Devices:
    """Counts devices by resource, and hands each to one container of one pod at a time."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = dict(counts)
        self._held: dict[tuple[str, str], dict[str, tuple[int, ...]]] = {}

    @property
    def exist(self) -> bool:
        """Whether there is anything that has to be hidden from those who did not ask for it."""
        return any(self._counts.get(name) for name in VISIBLE)

    def give(self, uid: str, container: Object) -> dict[str, tuple[int, ...]]:
        """The devices of a container, by resource; the same ones each time it is asked for it."""
        key = (uid, str(container["name"]))
        if key not in self._held:
            self._held[key] = {name: self._free(name, wanted) for name, wanted in self._wanted(container).items()}
        return self._held[key]

    def take_back(self, uid: str) -> None:
        for key in [key for key in self._held if key[0] == uid]:
            del self._held[key]

    def _wanted(self, container: Object) -> dict[str, int]:
        limits = dig_object(container, "resources", "limits")
        asked = {name: Quantity.parse(limits[name]).value() for name in self._counts if name in limits}
        return {name: count for name, count in asked.items() if count > 0}

    def _free(self, name: str, wanted: int) -> tuple[int, ...]:
        used = {index for held in self._held.values() for index in held.get(name, ())}
        free = [index for index in range(self._counts[name]) if index not in used]
        if len(free) < wanted:
            raise NotEnough(f"{wanted} {name} were asked for, and {len(free)} of {self._counts[name]} are free")
        return tuple(free[:wanted])


def hidden_or_given(given: Mapping[str, tuple[int, ...]]) -> dict[str, str]:
    """The variables that show a container its own devices and hide all others, also where it has none."""
    return {variable: ",".join(map(str, given.get(name, ()))) for name, variable in VISIBLE.items()}


def device_files(given: Mapping[str, tuple[int, ...]], present: list[str]) -> tuple[str, ...]:
    """Of the device files that are `present`, those that a container with these devices needs."""
    wanted: set[str] = set()
    if "nvidia.com/gpu" in given:
        wanted |= {f"/dev/nvidia{index}" for index in given["nvidia.com/gpu"]}
        wanted |= {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/nvidia-modeset"}
    if "amd.com/gpu" in given:
        wanted |= {f"/dev/dri/renderD{128 + index}" for index in given["amd.com/gpu"]} | {"/dev/kfd"}
    return tuple(path for path in present if path in wanted)
