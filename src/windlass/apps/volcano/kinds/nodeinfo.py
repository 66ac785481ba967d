"""nodeinfo.volcano.sh/v1alpha1: the CPU and memory topology of a node. The scheduler does not use it."""

from typing import Annotated, TypeAlias

from windlass.kube.kind import kind
from windlass.kube.meta import Meta, Object, Struct, field

GROUP_VERSION = "nodeinfo.volcano.sh/v1alpha1"

_Index: TypeAlias = Annotated[int, Meta(ge=0)]


class ResourceInfo(Struct):
    allocatable: str = ""
    capacity: int = 0


class CpuInfo(Struct):
    numa: _Index = 0
    socket: _Index = 0
    core: _Index = 0


class GpuInfo(Struct):
    numa: _Index = 0
    bus_id: str = field(name="busID", default="")
    device_model: str = ""


class NumatopologySpec(Struct):
    policies: dict[str, str] = {}
    res_reserved: dict[str, str] = {}
    numares: dict[str, ResourceInfo] = {}
    cpu_detail: dict[str, CpuInfo] = {}
    gpu_detail: dict[str, GpuInfo] = {}


@kind(GROUP_VERSION, plural="numatopologies", short=("numatopo",), namespaced=False, status=False)
class Numatopology(Object):
    """NUMA nodes, CPUs and devices of the node with this name."""

    spec: NumatopologySpec = NumatopologySpec()
