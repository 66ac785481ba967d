"""discovery.k8s.io/v1: who stands behind a Service, in pieces that stay small."""

from windlass.apis.core_v1 import Json
from windlass.kube.kind import kind
from windlass.kube.meta import Object

SERVICE_NAME = "kubernetes.io/service-name"
MANAGED_BY = "endpointslice.kubernetes.io/managed-by"


@kind("discovery.k8s.io/v1", plural="endpointslices", status=False)
class EndpointSlice(Object):
    """Some of the addresses behind a Service, all with the same ports."""

    address_type: str = ""
    endpoints: list[Json] = []
    ports: list[Json] = []
