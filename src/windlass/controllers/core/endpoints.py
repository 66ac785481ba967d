"""Service -> its Endpoints, the older form of EndpointSlices that some programs still read.

They belong to no owner, as in Kubernetes, but bear a label that says who wrote them; `LEFTOVERS` removes those whose
Service is gone.
"""

from ipaddress import ip_address

from windlass.apis.core_v1 import Endpoints, Json, Pod, Service
from windlass.controllers.core import service_backends as backends
from windlass.controllers.core.endpoint_slices import families
from windlass.controllers.core.pod_state import is_ready
from windlass.kube.controller import Controller, Key, Observed, Selecting
from windlass.kube.json import encode
from windlass.kube.plan import Apply, Delete, Plan

MAX_ADDRESSES = 1000
MANAGED_BY, MANAGER = "endpoints.kubernetes.io/managed-by", "endpoint-controller"
OVER_CAPACITY, TRUNCATED = "endpoints.kubernetes.io/over-capacity", "truncated"
RESERVED = frozenset((MANAGED_BY, backends.HEADLESS))


def reconcile(service: Service, observed: Observed) -> Plan:
    if not backends.is_selecting(service) or service.metadata.deletion_timestamp is not None:
        return Plan()
    pods = observed.labelled(Pod, service.spec.selector)
    subsets = subsets_of(service, pods)
    annotations = {backends.LAST_CHANGE: backends.last_change(service, pods)}
    if truncate(subsets):
        annotations[OVER_CAPACITY] = TRUNCATED
    metadata: Json = {
        "name": service.metadata.name,
        "namespace": service.metadata.namespace,
        "labels": backends.labels_for(service, RESERVED, {MANAGED_BY: MANAGER}),
        "annotations": annotations,
    }
    return Plan([Apply({"apiVersion": "v1", "kind": "Endpoints", "metadata": metadata, "subsets": subsets})])


def subsets_of(service: Service, pods: list[Pod]) -> list[Json]:
    """Addresses with the same ports together: the ready ones, and those that are not."""
    not_ready_too = service.spec.publish_not_ready_addresses
    subsets: dict[bytes, Json] = {}
    family = families(service)[0]
    for pod in pods:
        addresses = backends.addresses_of(pod, family)
        ports = backends.ports_of(service, pod)
        if not addresses or not backends.can_be_reached(pod, terminating_too=not_ready_too):
            continue
        if not ports and (service.spec.ports or not backends.is_headless(service)):
            continue
        where = "addresses" if not_ready_too or is_ready(pod) else "notReadyAddresses"
        subset = subsets.setdefault(encode(ports), {})
        subset.setdefault(where, []).append(address_of(service, pod, addresses[0]))
        if ports:
            subset["ports"] = ports
    return [in_order(subset) for _, subset in sorted(subsets.items())]


def in_order(subset: Json) -> Json:
    for where in ("addresses", "notReadyAddresses"):
        if where in subset:
            subset[where].sort(key=lambda address: ip_address(address["ip"]))
    return subset


def address_of(service: Service, pod: Pod, ip: str) -> Json:
    address: Json = {"ip": ip, "targetRef": backends.reference_to(pod)}
    if hostname := backends.hostname_for(service, pod):
        address["hostname"] = hostname
    if pod.spec.node_name:
        address["nodeName"] = pod.spec.node_name
    return address


def truncate(subsets: list[Json]) -> bool:
    """Keep the first thousand addresses, ready ones before others; whether there were more."""
    left, cut = MAX_ADDRESSES, False
    for where in ("addresses", "notReadyAddresses"):
        for subset in subsets:
            found = subset.get(where, [])
            cut = cut or len(found) > left
            if found:
                subset[where] = found[:left]
                left -= len(subset[where])
    subsets[:] = [subset for subset in subsets if subset.get("addresses") or subset.get("notReadyAddresses")]
    return cut


def left_over(endpoints: Endpoints, observed: Observed) -> Plan:
    if (
        endpoints.metadata.labels.get(MANAGED_BY) != MANAGER
        or observed.one(Service, endpoints.metadata.name) is not None
    ):
        return Plan()
    return Plan([Delete(endpoints)])


def same_name(service: Service) -> Key:
    return service.metadata.key


def service_of(endpoints: Endpoints) -> Key:
    return endpoints.metadata.key


CONTROLLER = Controller(
    "endpoint-controller",
    Service,
    reconcile,
    watches=[(Pod, Selecting(backends.selector_of)), (Endpoints, service_of)],
    children_owned=False,
)
LEFTOVERS = Controller("endpoint-leftovers", Endpoints, left_over, watches=[(Service, same_name)], children_owned=False)
