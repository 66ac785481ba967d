"""Endpoints that someone else wrote -> EndpointSlices that say the same, for all who read only those.

Only of a Service without a selector: of the others both are written from its pods. The API's own Service has slices
from the server.
"""

from windlass.apis.core_v1 import Endpoints, Json, Service
from windlass.apis.discovery_v1 import MANAGED_BY, SERVICE_NAME, EndpointSlice
from windlass.apis.wellknown import LAST_APPLIED_ANNOTATION
from windlass.controllers.core import endpoints as from_pods
from windlass.controllers.core import service_backends as backends
from windlass.controllers.core.slice_packing import Group, grouped, numbered_names, packed
from windlass.kube.controller import Controller, Observed
from windlass.kube.json import dig_list
from windlass.kube.meta import Key
from windlass.kube.plan import Apply, Delete, Plan

MANAGER = "endpointslicemirroring-controller.k8s.io"
SKIP = "endpointslice.kubernetes.io/skip-mirror"
ELECTION = "control-plane.alpha.kubernetes.io/leader"
THE_API = Key("default", "kubernetes")
NOT_COPIED = frozenset((LAST_APPLIED_ANNOTATION, backends.LAST_CHANGE))


def reconcile(endpoints: Endpoints, observed: Observed) -> Plan:
    ours = [known for known in observed.owned(EndpointSlice) if known.metadata.labels.get(MANAGED_BY) == MANAGER]
    wanted: list[Json] = []
    if endpoints.metadata.deletion_timestamp is None and is_mirrored(endpoints, observed):
        for family in ("IPv4", "IPv6"):
            wanted += mirrors_of(endpoints, family, [known for known in ours if known.address_type == family])
    kept = {piece["metadata"]["name"] for piece in wanted}
    return Plan([*map(Apply, wanted), *(Delete(old) for old in ours if old.metadata.name not in kept)])


def is_mirrored(endpoints: Endpoints, observed: Observed) -> bool:
    metadata = endpoints.metadata
    if metadata.key == THE_API or metadata.labels.get(from_pods.MANAGED_BY) == from_pods.MANAGER:
        return False
    if metadata.labels.get(SKIP) == "true" or ELECTION in metadata.annotations:
        return False
    service = observed.one(Service, metadata.name)
    return service is not None and not service.spec.selector


def mirrors_of(endpoints: Endpoints, family: str, known: list[EndpointSlice]) -> list[Json]:
    groups = _groups(endpoints, family)
    if not groups:
        return []
    metadata = endpoints.metadata
    labels = {**metadata.labels, SERVICE_NAME: metadata.name, MANAGED_BY: MANAGER}
    annotations = {name: value for name, value in metadata.annotations.items() if name not in NOT_COPIED}
    return [
        {
            "apiVersion": "discovery.k8s.io/v1",
            "kind": "EndpointSlice",
            "metadata": {
                "name": piece.name,
                "namespace": metadata.namespace,
                "labels": labels,
                "annotations": annotations,
            },
            "addressType": family,
            "endpoints": piece.endpoints,
            "ports": piece.ports,
        }
        for piece in packed(groups, known, numbered_names(metadata.name, metadata.uid, family))
    ]


def _groups(endpoints: Endpoints, family: str) -> list[Group]:
    found: list[tuple[list[Json], Json]] = []
    for subset in endpoints.subsets:
        ports = [_port(port) for port in dig_list(subset, "ports")]
        for where, ready in (("addresses", True), ("notReadyAddresses", False)):
            for address in dig_list(subset, where):
                if (":" in address["ip"]) == (family == "IPv6"):
                    found.append((ports, _endpoint(address, ready=ready)))
    return grouped(found)


def _port(port: Json) -> Json:
    """With the defaults that a slice's ports get, so that it is found to be the same again."""
    return {**port, "name": port.get("name") or "", "protocol": port.get("protocol") or "TCP"}


def _endpoint(address: Json, *, ready: bool) -> Json:
    endpoint: Json = {"addresses": [address["ip"]], "conditions": {"ready": ready}}
    for part in ("hostname", "nodeName", "targetRef"):
        if address.get(part):
            endpoint[part] = address[part]
    return endpoint


def same_name(service: Service) -> Key:
    return service.metadata.key


CONTROLLER = Controller(
    "endpointslicemirroring-controller", Endpoints, reconcile, owns=[EndpointSlice], watches=[(Service, same_name)]
)
