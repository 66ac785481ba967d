"""What a Service and one of its pods make together: is the pod behind it, at which ports, under which host name.

Endpoints and EndpointSlices say the same in two forms; both take it from here.
"""

from collections.abc import Iterable, Iterator

from windlass.apis.core_v1 import Json, Pod, Service, ServicePort
from windlass.kube.conditions import find

HEADLESS = "service.kubernetes.io/headless"
LAST_CHANGE = "endpoints.kubernetes.io/last-change-trigger-time"
HEADLESS_IP = "None"


def is_selecting(service: Service) -> bool:
    """A Service without a selector has its addresses written by someone else."""
    return bool(service.spec.selector) and service.spec.type != "ExternalName"


def selector_of(service: Service) -> dict[str, str]:
    return service.spec.selector


def is_headless(service: Service) -> bool:
    return service.spec.cluster_ip == HEADLESS_IP


def addresses_of(pod: Pod, family: str) -> list[str]:
    """The pod's addresses of one family, "IPv4" or "IPv6"."""
    given = [entry.ip for entry in pod.status.pod_ips if entry.ip] or [pod.status.pod_ip]
    return [ip for ip in given if ip and ((":" in ip) == (family == "IPv6"))]


def can_be_reached(pod: Pod, *, terminating_too: bool) -> bool:
    if pod.status.phase in ("Failed", "Succeeded"):
        return False
    if not pod.status.pod_ip and not pod.status.pod_ips:
        return False
    return terminating_too or pod.metadata.deletion_timestamp is None


def ports_of(service: Service, pod: Pod) -> list[Json]:
    """The Service's ports as this pod has them; a named target port that it lacks is left out."""
    ports: list[Json] = []
    for port in service.spec.ports:
        number = target_of(port, pod)
        if number is None:
            continue
        entry: Json = {"name": port.name, "port": number, "protocol": port.protocol or "TCP"}
        if port.app_protocol is not None:
            entry["appProtocol"] = port.app_protocol
        ports.append(entry)
    return ports


def target_of(port: ServicePort, pod: Pod) -> int | None:
    """The number that a target port means in this pod: names are its containers' and sidecars'."""
    target = port.target_port
    if not isinstance(target, str):
        return target or port.port
    wanted = (target, port.protocol or "TCP")
    return next((number for *named, number in _named_ports(pod) if tuple(named) == wanted), None)


def _named_ports(pod: Pod) -> Iterator[tuple[str, str, int]]:
    sidecars = (container for container in pod.spec.init_containers if container.restart_policy == "Always")
    for container in (*pod.spec.containers, *sidecars):
        for port in container.ports:
            yield port.name, port.protocol or "TCP", port.container_port


def hostname_for(service: Service, pod: Pod) -> str:
    """The pod's own name under the Service's, if it has asked for one."""
    return pod.spec.hostname if pod.spec.subdomain == service.metadata.name else ""


def reference_to(pod: Pod) -> Json:
    metadata = pod.metadata
    return {"kind": "Pod", "namespace": metadata.namespace, "name": metadata.name, "uid": metadata.uid}


def last_change(service: Service, pods: Iterable[Pod]) -> str:
    """When the newest of what is behind the Service became so; times of the API sort as text."""
    moments = [service.metadata.creation_timestamp or ""]
    for pod in pods:
        ready = find(pod.status.conditions, "Ready")
        moments.append((ready.last_transition_time if ready is not None else None) or "")
    return max(moments)


def labels_for(service: Service, reserved: frozenset[str], added: dict[str, str]) -> dict[str, str]:
    """The Service's labels, and those by which its parts are found."""
    labels = {name: value for name, value in service.metadata.labels.items() if name not in reserved}
    if is_headless(service):
        labels[HEADLESS] = ""
    return {**labels, **added}
