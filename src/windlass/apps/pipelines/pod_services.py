"""The Services by which pods reach an embedded gateway, and the gateway's rights to their endpoints.

They have no selector: the gateway is no pod, and writes the EndpointSlices itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from windlass.apis.app import Provided
from windlass.apis.proxied_identity import API_PORT, API_SERVICE, PROXIED_NAMES, SYSTEM_NAMESPACE
from windlass.apis.wellknown import RBAC_GROUP
from windlass.apps.pipelines.names import (
    GRPC_PORT,
    METADATA_PORT,
    METADATA_SERVICE,
    STORE_PORT,
    STORE_SERVICE,
)
from windlass.kube.json import Object

GATEWAY_USER = "system:windlass-gateway"
PROXY_ROLE = f"{API_SERVICE}-proxy"


@dataclass(frozen=True)
class PodService:
    """A Service of the namespace `kubeflow` whose only endpoint is the gateway, which has one port for all of its."""

    name: str
    ports: Mapping[str, int]
    """By name."""

    @property
    def endpoint_slice(self) -> str:
        """The name of the EndpointSlice."""
        return f"{self.name}-gateway"


PIPELINES_API = PodService(API_SERVICE, {"http": API_PORT, "grpc": GRPC_PORT})
OBJECT_STORE = PodService(STORE_SERVICE, {"http": STORE_PORT})
METADATA_STORE = PodService(METADATA_SERVICE, {"grpc-api": METADATA_PORT})
POD_SERVICES = (PIPELINES_API, OBJECT_STORE, METADATA_STORE)


def provided() -> list[Provided]:
    # Each Service has a Role of its own: a Role that exists from an earlier version is not replaced.
    objects = [make(service) for service in POD_SERVICES for make in (_role, _binding)]
    return [
        Provided(obj=_namespace()),
        *(Provided(obj=_service(service), adds_ports=True) for service in POD_SERVICES),
        *(Provided(obj=obj) for obj in (*objects, _proxy_role(), _proxy_binding())),
    ]


def _namespace() -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SYSTEM_NAMESPACE}}


def _service(service: PodService) -> Object:
    ports = [
        {"name": name, "port": port, "protocol": "TCP", "targetPort": port} for name, port in service.ports.items()
    ]
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {**_metadata(service), "labels": {"app": service.name}},
        "spec": {"ports": ports},
    }


def _role(service: PodService) -> Object:
    rules = [
        {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": ["create"]},
        {
            "apiGroups": ["discovery.k8s.io"],
            "resources": ["endpointslices"],
            "resourceNames": [service.endpoint_slice],
            "verbs": ["get", "patch"],
        },
    ]
    return {"apiVersion": f"{RBAC_GROUP}/v1", "kind": "Role", "metadata": _metadata(service), "rules": rules}


def _binding(service: PodService) -> Object:
    return {
        "apiVersion": f"{RBAC_GROUP}/v1",
        "kind": "RoleBinding",
        "metadata": _metadata(service),
        "roleRef": {"apiGroup": RBAC_GROUP, "kind": "Role", "name": service.name},
        "subjects": [{"apiGroup": RBAC_GROUP, "kind": "User", "name": GATEWAY_USER}],
    }


def _proxy_role() -> Object:
    """To reach the pipelines API through the API server, as `kfp.Client()` does with a kubeconfig."""
    rule: Object = {
        "apiGroups": [""],
        "resources": ["services/proxy"],
        "resourceNames": list(PROXIED_NAMES),
        "verbs": ["get", "create", "update", "patch", "delete"],
    }
    return {"apiVersion": f"{RBAC_GROUP}/v1", "kind": "Role", "metadata": _proxy_metadata(), "rules": [rule]}


def _proxy_binding() -> Object:
    """For all users: the API checks what each of them may do."""
    return {
        "apiVersion": f"{RBAC_GROUP}/v1",
        "kind": "RoleBinding",
        "metadata": _proxy_metadata(),
        "roleRef": {"apiGroup": RBAC_GROUP, "kind": "Role", "name": PROXY_ROLE},
        "subjects": [{"apiGroup": RBAC_GROUP, "kind": "Group", "name": "system:authenticated"}],
    }


def _proxy_metadata() -> Object:
    return {"name": PROXY_ROLE, "namespace": SYSTEM_NAMESPACE}


def _metadata(service: PodService) -> Object:
    return {"name": service.name, "namespace": SYSTEM_NAMESPACE}
