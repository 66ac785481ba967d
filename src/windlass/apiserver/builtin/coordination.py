"""The group `coordination.k8s.io`: Leases."""

from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Plain

RESOURCES = (resource("coordination.k8s.io", "v1", "Lease", "leases", namespaced=True, strategy=Plain),)
