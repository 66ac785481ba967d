"""scheduling.k8s.io/v1: pod priority."""

from windlass.kube.kind import kind
from windlass.kube.meta import Object


@kind("scheduling.k8s.io/v1", plural="priorityclasses", short=("pc",), namespaced=False, status=False)
class PriorityClass(Object):
    """A PriorityClass: a named priority."""

    value: int = 0
    global_default: bool = False
    preemption_policy: str = ""
