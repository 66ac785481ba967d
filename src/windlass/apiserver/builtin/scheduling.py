"""The groups `scheduling.k8s.io` (PriorityClass) and `node.k8s.io` (RuntimeClass): how pods are placed and run."""

from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Plain

RESOURCES = (
    resource("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", "pc", namespaced=False, strategy=Plain),
    resource("node.k8s.io", "v1", "RuntimeClass", "runtimeclasses", namespaced=False, strategy=Plain),
)
