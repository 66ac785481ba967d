"""The columns of services, endpoints, slices, ingresses, network policies and addresses."""

from collections.abc import Iterator
from datetime import datetime

from windlass.apiserver.tables.cells import AGE, NAME, at, labels_text, selector_text, shown, text, wide, with_more
from windlass.kube.json import Object, dig, dig_list, dig_object


def _balancer_addresses(obj: Object) -> list[str]:
    """Addresses, or else host names, of a load balancer."""
    points = dig_list(obj, "status", "loadBalancer", "ingress")
    return sorted({point.get("ip") or point.get("hostname") for point in points} - {None, ""})


def _cluster_ip(service: Object, now: datetime) -> str:
    addresses = dig_list(service, "spec", "clusterIPs")
    return (addresses[0] if addresses else dig(service, "spec", "clusterIP")) or "<none>"


def _external_ip(service: Object, now: datetime) -> str:
    fixed = dig_list(service, "spec", "externalIPs")
    match dig(service, "spec", "type"):
        case "ClusterIP" | "NodePort":
            return ",".join(fixed) or "<none>"
        case "LoadBalancer":
            return ",".join([*_balancer_addresses(service), *fixed]) or "<pending>"
        case "ExternalName":
            return dig(service, "spec", "externalName") or ""
        case _:
            return "<unknown>"


def _service_ports(service: Object, now: datetime) -> str:
    texts: list[str] = []
    for port in dig_list(service, "spec", "ports"):
        node_port = port.get("nodePort")
        number = f"{port.get('port')}:{node_port}" if node_port else port.get("port")
        texts.append(f"{number}/{port.get('protocol', 'TCP')}")
    return ",".join(texts) or "<none>"


SERVICE = (
    NAME,
    text("Type", at("spec", "type"), "The type of the service."),
    text("Cluster-IP", _cluster_ip, "The address inside the cluster."),
    text("External-IP", _external_ip, "The addresses outside of the cluster."),
    text("Port(s)", _service_ports, "The ports of the service."),
    AGE,
    wide("Selector", lambda obj, now: labels_text(dig(obj, "spec", "selector")), "The label selector of the pods."),
)


def _host_port(address: str, port: int) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def _subset_addresses(endpoints: Object) -> Iterator[str]:
    for subset in dig_list(endpoints, "subsets"):
        addresses = [address.get("ip", "") for address in dig_list(subset, "addresses")]
        ports = dig_list(subset, "ports")
        if not ports:  # a headless service may have none
            yield from addresses
        for port in ports:
            yield from (_host_port(address, port.get("port", 0)) for address in addresses)


def _endpoints(endpoints: Object, now: datetime) -> str:
    if not dig_list(endpoints, "subsets"):
        return "<none>"
    return with_more(_subset_addresses(endpoints), 3, empty="")


ENDPOINTS = (NAME, text("Endpoints", _endpoints, "The endpoints of the service."), AGE)


def _slice_ports(slice_: Object, now: datetime) -> str:
    ports = dig_list(slice_, "ports")
    return with_more((str(port.get("port") or port.get("name") or "*") for port in ports), 3)


def _slice_endpoints(slice_: Object, now: datetime) -> str:
    endpoints = dig_list(slice_, "endpoints")
    return with_more((address for endpoint in endpoints for address in dig_list(endpoint, "addresses")), 3)


ENDPOINT_SLICE = (
    NAME,
    text("AddressType", at("addressType"), "The address type: IPv4, IPv6 or FQDN."),
    text("Ports", _slice_ports, "The ports of each endpoint."),
    text("Endpoints", _slice_endpoints, "The addresses of the endpoints."),
    AGE,
)


def _hosts(ingress: Object, now: datetime) -> str:
    rules = dig_list(ingress, "spec", "rules")
    hosts = [rule["host"] for rule in rules if rule.get("host")]
    if len(hosts) >= 3 and len(rules) > 3:
        return f"{','.join(hosts[:3])} + {len(rules) - 3} more..."
    return ",".join(hosts) or "*"


INGRESS = (
    NAME,
    text("Class", shown("spec", "ingressClassName", default="<none>"), "The IngressClass."),
    text("Hosts", _hosts, "Hosts that incoming requests are matched against before the ingress rule"),
    text("Address", lambda obj, now: ",".join(_balancer_addresses(obj)), "The address of the load balancer."),
    text("Ports", lambda obj, now: "80, 443" if dig(obj, "spec", "tls") else "80", "The ports of the ingress."),
    AGE,
)


def _class_parameters(ingress_class: Object, now: datetime) -> str:
    parameters = dig_object(ingress_class, "spec", "parameters")
    if not parameters:
        return "<none>"
    group = f".{parameters['apiGroup']}" if parameters.get("apiGroup") is not None else ""
    return f"{parameters.get('kind', '')}{group}/{parameters.get('name', '')}"


INGRESS_CLASS = (
    NAME,
    text("Controller", at("spec", "controller"), "Controller that is responsible for handling this class"),
    text("Parameters", _class_parameters, "A reference to a resource with additional parameters"),
    AGE,
)
NETWORK_POLICY = (
    NAME,
    text(
        "Pod-Selector",
        lambda obj, now: selector_text(dig_object(obj, "spec", "podSelector")) or "<none>",
        "The label selector of the pods.",
    ),
    AGE,
)


def _parent(address: Object, now: datetime) -> str:
    parent = dig_object(address, "spec", "parentRef")
    if not parent:
        return "<none>"
    resource, group = parent.get("resource", ""), parent.get("group", "")
    where = f"{resource}.{group}" if group else resource
    return "/".join(part for part in (where.lower(), parent.get("namespace"), parent.get("name")) if part)


IP_ADDRESS = (NAME, text("ParentRef", _parent, "The object that holds the address."))
SERVICE_CIDR = (NAME, text("CIDRs", lambda obj, now: ",".join(dig_list(obj, "spec", "cidrs"))), AGE)
