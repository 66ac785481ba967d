"""The group `discovery.k8s.io`: EndpointSlices."""

from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Plain

RESOURCES = (resource("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", namespaced=True, strategy=Plain),)
