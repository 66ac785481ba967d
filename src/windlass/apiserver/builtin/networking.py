"""The group `networking.k8s.io`: Ingresses, their classes, and NetworkPolicies."""

from functools import partial

from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Builtin

_networking = partial(resource, "networking.k8s.io", "v1")

RESOURCES = (
    _networking("IngressClass", "ingressclasses", namespaced=False, strategy=Builtin),
    _networking("Ingress", "ingresses", "ing", namespaced=True, strategy=Builtin, subresources=("status",)),
    _networking("NetworkPolicy", "networkpolicies", "netpol", namespaced=True, strategy=Builtin),
)
