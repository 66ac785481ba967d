"""The Service by which pods reach the pipelines API of an embedded gateway, and the gateway's right to its endpoint.

It has no selector: the gateway is no pod, and writes the EndpointSlice itself.
"""

from windlass.apis.family import Provided
from windlass.apis.pipelines.names import API_PORT, API_SERVICE, SYSTEM_NAMESPACE
from windlass.kube.json import Object

ENDPOINT_SLICE = f"{API_SERVICE}-gateway"
GATEWAY_USER = "system:windlass-gateway"
_RBAC = "rbac.authorization.k8s.io"


def provided() -> list[Provided]:
    return [Provided(obj=obj) for obj in (_namespace(), _service(), _role(), _binding())]


def _namespace() -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SYSTEM_NAMESPACE}}


def _service() -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": API_SERVICE, "namespace": SYSTEM_NAMESPACE, "labels": {"app": API_SERVICE}},
        "spec": {"ports": [{"name": "http", "port": API_PORT, "protocol": "TCP", "targetPort": API_PORT}]},
    }


def _role() -> Object:
    rules = [
        {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": ["create"]},
        {
            "apiGroups": ["discovery.k8s.io"],
            "resources": ["endpointslices"],
            "resourceNames": [ENDPOINT_SLICE],
            "verbs": ["get", "patch"],
        },
    ]
    return {"apiVersion": f"{_RBAC}/v1", "kind": "Role", "metadata": _metadata(), "rules": rules}


def _binding() -> Object:
    return {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "RoleBinding",
        "metadata": _metadata(),
        "roleRef": {"apiGroup": _RBAC, "kind": "Role", "name": API_SERVICE},
        "subjects": [{"apiGroup": _RBAC, "kind": "User", "name": GATEWAY_USER}],
    }


def _metadata() -> Object:
    return {"name": API_SERVICE, "namespace": SYSTEM_NAMESPACE}
