"""Allocates GPUs: each container gets devices of its own and sees no others."""

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from msgspec import Struct, field, json

from windlass.apis.wellknown import AMD_GPU, NVIDIA_GPU
from windlass.kube.json import Object, dig_object
from windlass.kube.quantity import Quantity

VISIBLE = {NVIDIA_GPU: "CUDA_VISIBLE_DEVICES", AMD_GPU: "ROCR_VISIBLE_DEVICES"}
"""The environment variable that limits a framework to its devices."""


class InsufficientDevices(Exception):
    """More devices are requested than are free; the pod is rejected with this message."""


class Allocation(Struct, frozen=True):
    """The devices of one container, by resource. Later containers of the pod may reuse an init container's."""

    uid: str
    container: str
    devices: dict[str, tuple[int, ...]]
    reusable: bool = field(default=False, name="lends")


class Devices:
    """Allocates each device to one container of one pod at a time.

    Pods outlive the agent, so allocations are kept in a file, if one is given.
    """

    def __init__(self, counts: Mapping[str, int], path: Path | None = None) -> None:
        self._counts, self._path = dict(counts), path
        self._held: list[Allocation] = []
        if path is not None and path.exists():
            self._held = json.decode(path.read_bytes(), type=list[Allocation])

    @property
    def exist(self) -> bool:
        """Whether this machine has devices that must be hidden from containers that did not request them."""
        return any(self._counts.get(name) for name in VISIBLE)

    def allocate(self, uid: str, container: Object, *, reusable: bool = False) -> dict[str, tuple[int, ...]]:
        """Return the devices of a container by resource; repeated calls return the same devices.

        `reusable`: the container is an init container, which has ended when the next container of its pod starts.
        """
        name, wanted = str(container["name"]), self._wanted(container)
        for each in self._held:
            if (each.uid, each.container) == (uid, name):
                return each.devices
        given = {resource: self._free(uid, resource, count) for resource, count in wanted.items()}
        if given:
            self._keep([*self._held, Allocation(uid, name, given, reusable)])
        return given

    def release(self, uid: str) -> None:
        self._keep([each for each in self._held if each.uid != uid])

    def keep_only(self, uids: Collection[str]) -> None:
        """Release the devices of all other pods."""
        self._keep([each for each in self._held if each.uid in uids])

    def _wanted(self, container: Object) -> dict[str, int]:
        limits = dig_object(container, "resources", "limits")
        asked = {name: Quantity.parse(limits[name]).value() for name in self._counts if name in limits}
        return {name: count for name, count in asked.items() if count > 0}

    def _free(self, uid: str, name: str, wanted: int) -> tuple[int, ...]:
        own = [each for each in self._held if each.reusable and each.uid == uid]
        lent, used = _indices(own, name), _indices([each for each in self._held if each not in own], name)
        unused = (index for index in range(self._counts[name]) if index not in used)
        free = sorted(unused, key=lambda index: index not in lent)
        if len(free) < wanted:
            raise InsufficientDevices(f"{wanted} {name} requested, {len(free)} of {self._counts[name]} free")
        return tuple(sorted(free[:wanted]))

    def _keep(self, held: list[Allocation]) -> None:
        if held == self._held:
            return
        if self._path is not None:
            fresh = self._path.with_suffix(".new")
            fresh.write_bytes(json.encode(held))
            os.replace(fresh, self._path)  # noqa: PTH105 - the one that says that it replaces
        self._held = held


def _indices(held: list[Allocation], name: str) -> set[int]:
    return {index for each in held for index in each.devices.get(name, ())}


def device_environment(given: Mapping[str, tuple[int, ...]]) -> dict[str, str]:
    """Return the variables that show a container its devices.

    None without devices, since Paddle takes an empty variable for a GPU.
    """
    return {VISIBLE[name]: ",".join(map(str, indices)) for name, indices in given.items() if name in VISIBLE}


def exclusive_device_environment(given: Mapping[str, tuple[int, ...]]) -> dict[str, str]:
    """Return the variables that show a container its devices and hide all others.

    For runtimes that do not hide device files.
    """
    return {**dict.fromkeys(VISIBLE.values(), ""), **device_environment(given)}


def device_files(given: Mapping[str, tuple[int, ...]], present: list[str]) -> tuple[str, ...]:
    """Return those of the `present` device files that a container with these devices needs."""
    wanted: set[str] = set()
    if NVIDIA_GPU in given:
        wanted |= {f"/dev/nvidia{index}" for index in given[NVIDIA_GPU]}
        wanted |= {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/nvidia-modeset"}
    if AMD_GPU in given:
        wanted |= {f"/dev/dri/renderD{128 + index}" for index in given[AMD_GPU]} | {"/dev/kfd"}
    return tuple(path for path in present if path in wanted)
