"""Service -> its EndpointSlices: the pods that its selector finds, with their addresses, ports and readiness."""

from windlass.apis.core_v1 import Json, Node, Pod, Service
from windlass.apis.discovery_v1 import MANAGED_BY, SERVICE_NAME, EndpointSlice
from windlass.controllers.core import service_backends as backends
from windlass.controllers.core.pod_state import is_ready
from windlass.controllers.core.slice_packing import Group, Piece, grouped, numbered_names, packed
from windlass.kube.controller import Controller, Key, Observed, Selecting
from windlass.kube.plan import Apply, Delete, Plan

MANAGER = "endpointslice-controller.k8s.io"
ZONE = "topology.kubernetes.io/zone"
RESERVED = frozenset((SERVICE_NAME, MANAGED_BY, backends.HEADLESS))


def reconcile(service: Service, observed: Observed) -> Plan:
    if not backends.is_selecting(service) or service.metadata.deletion_timestamp is not None:
        return Plan()
    pods = observed.labelled(Pod, service.spec.selector)
    ours = [known for known in observed.owned(EndpointSlice) if known.metadata.labels.get(MANAGED_BY) == MANAGER]
    changed = backends.last_change(service, pods)
    wanted: list[Json] = []
    for family in families(service):
        known = [piece for piece in ours if piece.address_type == family]
        names = numbered_names(service.metadata.name, service.metadata.uid, family)
        pieces = packed(endpoints_of(service, pods, family, observed), known, names)
        wanted += [slice_of(service, piece, family, changed) for piece in pieces]
    kept = {piece["metadata"]["name"] for piece in wanted}
    return Plan([*map(Apply, wanted), *(Delete(old) for old in ours if old.metadata.name not in kept)])


def families(service: Service) -> list[str]:
    """The address types of its slices. A headless one without a say has both, where its pods do."""
    return service.spec.ip_families or (["IPv6"] if ":" in service.spec.cluster_ip else ["IPv4"])


def endpoints_of(service: Service, pods: list[Pod], family: str, observed: Observed) -> list[Group]:
    reachable = [
        pod for pod in pods if backends.can_be_reached(pod, terminating_too=True) and backends.addresses_of(pod, family)
    ]
    return grouped((backends.ports_of(service, pod), endpoint_of(service, pod, family, observed)) for pod in reachable)


def endpoint_of(service: Service, pod: Pod, family: str, observed: Observed) -> Json:
    serving, terminating = is_ready(pod), pod.metadata.deletion_timestamp is not None
    ready = service.spec.publish_not_ready_addresses or (serving and not terminating)
    endpoint: Json = {
        "addresses": backends.addresses_of(pod, family),
        "conditions": {"ready": ready, "serving": serving, "terminating": terminating},
        "targetRef": backends.reference_to(pod),
    }
    if hostname := backends.hostname_for(service, pod):
        endpoint["hostname"] = hostname
    if pod.spec.node_name:
        endpoint["nodeName"] = pod.spec.node_name
        node = observed.one(Node, pod.spec.node_name)
        if node is not None and (zone := node.metadata.labels.get(ZONE)):
            endpoint["zone"] = zone
    return endpoint


def slice_of(service: Service, piece: Piece, family: str, changed: str) -> Json:
    added = {SERVICE_NAME: service.metadata.name, MANAGED_BY: MANAGER}
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "name": piece.name,
            "namespace": service.metadata.namespace,
            "labels": backends.labels_for(service, RESERVED, added),
            "annotations": {backends.LAST_CHANGE: changed},
        },
        "addressType": family,
        "endpoints": piece.endpoints,
        "ports": piece.ports,
    }


def nobody(node: Node) -> tuple[Key, ...]:
    """Zones are read when a pod changes; a node's own changes concern no Service."""
    return ()


CONTROLLER = Controller(
    "endpointslice-controller",
    Service,
    reconcile,
    owns=[EndpointSlice],
    watches=[(Pod, Selecting(backends.selector_of)), (Node, nobody)],
)
