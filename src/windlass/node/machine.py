"""The machine's resources (processors, memory, disk, GPUs) and the contents of a Node's `nodeInfo`."""

import os
import platform
import re
import socket
from pathlib import Path

from msgspec import Struct

from windlass import __version__
from windlass.apis.wellknown import AMD_GPU, NVIDIA_GPU
from windlass.kube.json import Object

GPU_FOLDERS = {
    NVIDIA_GPU: Path("/proc/driver/nvidia/gpus"),
    AMD_GPU: Path("/sys/class/kfd/kfd/topology/nodes"),
}
_RESERVED_MEMORY = 512 * 2**20
"""Reserved for Windlass' own processes and for the machine's user; not allocatable to pods."""


class Capacity(Struct, frozen=True):
    """Capacity of the whole machine. `extended` are resources by name, such as nvidia.com/gpu."""

    cpu: int
    memory: int
    disk: int
    pods: int
    extended: dict[str, int] = {}

    def capacity(self) -> Object:
        return self._as_resources(self.memory, self.disk)

    def allocatable(self) -> Object:
        return self._as_resources(max(self.memory - _RESERVED_MEMORY, self.memory // 2), self.disk * 9 // 10)

    def _as_resources(self, memory: int, disk: int) -> Object:
        return {
            "cpu": str(self.cpu),
            "memory": f"{memory // 1024}Ki",
            "ephemeral-storage": f"{disk // 1024}Ki",
            "hugepages-1Gi": "0",
            "hugepages-2Mi": "0",
            "pods": str(self.pods),
            **{name: str(count) for name, count in self.extended.items()},
        }


def node_name() -> str:
    """Return the machine's host name as a valid node name."""
    return as_node_name(socket.gethostname())


def as_node_name(text: str) -> str:
    """Convert text to letters, digits and dashes between dots, short enough for a label's value."""
    cleaned = re.sub(r"[^a-z0-9.-]", "-", text.lower())[:63]
    return ".".join(part for part in (each.strip("-") for each in cleaned.split(".")) if part) or "localhost"


def measure(folder: Path, *, pods: int, extended: dict[str, int]) -> Capacity:
    """Measure the machine, with the disk of `folder`; `extended` overrides what is detected."""
    disk = os.statvfs(folder)
    return Capacity(
        cpu=len(os.sched_getaffinity(0)),
        memory=_total_memory(),
        disk=disk.f_frsize * disk.f_blocks,
        pods=pods,
        extended={**find_gpus(), **extended},
    )


def find_gpus() -> dict[str, int]:
    """Detect GPUs that a driver on this machine exposes, by the resource name that pods request."""
    found = {
        NVIDIA_GPU: _count(GPU_FOLDERS[NVIDIA_GPU]),
        AMD_GPU: sum(_is_amd_gpu(node) for node in _entries(GPU_FOLDERS[AMD_GPU])),
    }
    return {name: count for name, count in found.items() if count}


def _is_amd_gpu(node: Path) -> bool:
    """Whether a KFD topology node is a GPU: processors have no SIMDs."""
    try:
        properties = (node / "properties").read_text()
    except OSError:
        return False
    found = re.search(r"^simd_count (\d+)", properties, re.MULTILINE)
    return found is not None and int(found[1]) > 0


def _entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _count(folder: Path) -> int:
    return len(_entries(folder))


def _total_memory() -> int:
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return pages * size


def boot_id() -> str:
    return _line("/proc/sys/kernel/random/boot_id")


def node_info(runtime: str) -> Object:
    """`status.nodeInfo`."""
    machine = _line("/etc/machine-id") or boot_id().replace("-", "")
    version = f"v{__version__}+windlass"
    return {
        "architecture": {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine()),
        "bootID": boot_id(),
        "containerRuntimeVersion": f"windlass-{runtime}://{__version__}",
        "kernelVersion": platform.release(),
        "kubeProxyVersion": version,
        "kubeletVersion": version,
        "machineID": machine,
        "operatingSystem": "linux",
        "osImage": _os_image(),
        "systemUUID": machine,
    }


def _os_image() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    except OSError:
        return "Linux"


def _line(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""
