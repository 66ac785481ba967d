"""discovery.k8s.io/v1: the endpoints of Services, in slices of limited size."""

from windlass.apis.core_v1 import Json
from windlass.apis.wellknown import SERVICE_NAME_LABEL
from windlass.kube.kind import kind
from windlass.kube.meta import Object

SERVICE_NAME = SERVICE_NAME_LABEL
MANAGED_BY = "endpointslice.kubernetes.io/managed-by"


@kind("discovery.k8s.io/v1", plural="endpointslices", status=False)
class EndpointSlice(Object):
    """An EndpointSlice: some of the addresses behind a Service, all with the same ports."""

    address_type: str = ""
    endpoints: list[Json] = []
    ports: list[Json] = []
