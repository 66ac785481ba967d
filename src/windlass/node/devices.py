"""Which GPU is whose: every pod gets devices of its own, and sees no others."""

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from msgspec import Struct, json

from windlass.kube.json import Object, dig_object
from windlass.kube.quantity import Quantity

VISIBLE = {"nvidia.com/gpu": "CUDA_VISIBLE_DEVICES", "amd.com/gpu": "ROCR_VISIBLE_DEVICES"}
"""The variable by which a framework is told its devices."""


class NotEnough(Exception):
    """More is asked for than is free: the pod is refused with this message."""


class Held(Struct, frozen=True):
    """The devices of one container, by resource. An init container's are free for its pod's next ones (`lends`)."""

    uid: str
    container: str
    devices: dict[str, tuple[int, ...]]
    lends: bool = False


class Devices:
    """Counts devices by resource, and hands each to one container of one pod at a time.

    Pods outlive the agent, so what they hold is kept in a file, if one is given.
    """

    def __init__(self, counts: Mapping[str, int], path: Path | None = None) -> None:
        self._counts, self._path = dict(counts), path
        self._held: list[Held] = []
        if path is not None and path.exists():
            self._held = json.decode(path.read_bytes(), type=list[Held])

    @property
    def exist(self) -> bool:
        """Whether there is anything that has to be hidden from those who did not ask for it."""
        return any(self._counts.get(name) for name in VISIBLE)

    def give(self, uid: str, container: Object, *, lends: bool = False) -> dict[str, tuple[int, ...]]:
        """The devices of a container, by resource; the same ones each time it is asked for it.

        `lends`: it is an init container, which has ended when the next container of its pod begins.
        """
        name, wanted = str(container["name"]), self._wanted(container)
        for each in self._held:
            if (each.uid, each.container) == (uid, name):
                return each.devices
        given = {resource: self._free(uid, resource, count) for resource, count in wanted.items()}
        if given:
            self._keep([*self._held, Held(uid, name, given, lends)])
        return given

    def take_back(self, uid: str) -> None:
        self._keep([each for each in self._held if each.uid != uid])

    def keep_only(self, uids: Collection[str]) -> None:
        """Take back what pods hold that are not there any more."""
        self._keep([each for each in self._held if each.uid in uids])

    def _wanted(self, container: Object) -> dict[str, int]:
        limits = dig_object(container, "resources", "limits")
        asked = {name: Quantity.parse(limits[name]).value() for name in self._counts if name in limits}
        return {name: count for name, count in asked.items() if count > 0}

    def _free(self, uid: str, name: str, wanted: int) -> tuple[int, ...]:
        own = [each for each in self._held if each.lends and each.uid == uid]
        lent, used = _indices(own, name), _indices([each for each in self._held if each not in own], name)
        unused = (index for index in range(self._counts[name]) if index not in used)
        free = sorted(unused, key=lambda index: index not in lent)
        if len(free) < wanted:
            raise NotEnough(f"{wanted} {name} were asked for, and {len(free)} of {self._counts[name]} are free")
        return tuple(sorted(free[:wanted]))

    def _keep(self, held: list[Held]) -> None:
        if held == self._held:
            return
        if self._path is not None:
            fresh = self._path.with_suffix(".new")
            fresh.write_bytes(json.encode(held))
            os.replace(fresh, self._path)  # noqa: PTH105 - the one that says that it replaces
        self._held = held


def _indices(held: list[Held], name: str) -> set[int]:
    return {index for each in held for index in each.devices.get(name, ())}


def shown(given: Mapping[str, tuple[int, ...]]) -> dict[str, str]:
    """The variables that show a container its own devices. None without any: Paddle takes an empty one for a GPU."""
    return {VISIBLE[name]: ",".join(map(str, indices)) for name, indices in given.items() if name in VISIBLE}


def shown_or_hidden(given: Mapping[str, tuple[int, ...]]) -> dict[str, str]:
    """The same, and those that hide all others, from a container that could reach them."""
    return {**dict.fromkeys(VISIBLE.values(), ""), **shown(given)}


def device_files(given: Mapping[str, tuple[int, ...]], present: list[str]) -> tuple[str, ...]:
    """Of the device files that are `present`, those that a container with these devices needs."""
    wanted: set[str] = set()
    if "nvidia.com/gpu" in given:
        wanted |= {f"/dev/nvidia{index}" for index in given["nvidia.com/gpu"]}
        wanted |= {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/nvidia-modeset"}
    if "amd.com/gpu" in given:
        wanted |= {f"/dev/dri/renderD{128 + index}" for index in given["amd.com/gpu"]} | {"/dev/kfd"}
    return tuple(path for path in present if path in wanted)
