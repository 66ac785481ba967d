"""Service of type LoadBalancer -> an address in its status: this machine's loopback, where its node ports listen.

One of another class (`loadBalancerClass`), or with another's address, is left to the controller that serves it; one
without node ports gets nothing, since nothing would answer.
"""

import msgspec

from windlass.apis.core_v1 import Json, Service, ServiceStatus
from windlass.kube.controller import Controller, Observed
from windlass.kube.plan import Event, Plan

ADDRESS = "127.0.0.1"
INGRESS: list[Json] = [{"ip": ADDRESS, "ipMode": "Proxy"}]  # what goes there comes to the node port, as it is


def reconcile(service: Service, observed: Observed) -> Plan:
    has, wants = _has_ours(service), _wants_ours(service)
    if has == wants:
        return Plan()
    if not wants:
        return _plan(service, {}, "DeletedLoadBalancer", "Deleted load balancer")
    return _plan(service, {"ingress": INGRESS}, "EnsuredLoadBalancer", "Ensured load balancer")


def _plan(service: Service, load_balancer: Json, reason: str, message: str) -> Plan:
    status: ServiceStatus = msgspec.structs.replace(service.status, load_balancer=load_balancer)
    return Plan(status=status, events=[Event(reason=reason, message=message)])


def _ingress(service: Service) -> list[Json]:
    return (service.status.load_balancer or {}).get("ingress") or []


def _has_ours(service: Service) -> bool:
    return _ingress(service) == INGRESS


def _wants_ours(service: Service) -> bool:
    spec = service.spec
    if spec.type != "LoadBalancer" or spec.load_balancer_class or service.metadata.deletion_timestamp is not None:
        return False
    is_free = not _ingress(service) or _has_ours(service)
    return is_free and any(port.node_port for port in spec.ports)


CONTROLLER = Controller("service-lb-controller", Service, reconcile)
