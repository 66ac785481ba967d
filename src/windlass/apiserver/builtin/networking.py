"""The group `networking.k8s.io`: Ingresses, their classes, and NetworkPolicies."""

from functools import lru_cache, partial
from ipaddress import ip_network

from windlass.apis.wellknown import NETWORKING_GROUP
from windlass.apiserver.builtin.container_fields import PROTOCOLS
from windlass.apiserver.builtin.fields import (
    Causes,
    check_each,
    check_immutable,
    check_label_selector,
    check_port,
    check_port_or_name,
    check_subdomain,
    is_ip,
    unsupported,
)
from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Builtin
from windlass.kube import names
from windlass.kube.errors import Cause, forbidden, invalid, required
from windlass.kube.json import Object, dig, dig_list, dig_object

_CLASS_ANNOTATION = "kubernetes.io/ingress.class"
_PATH_TYPES = ("Exact", "ImplementationSpecific", "Prefix")


class Ingresses(Builtin):
    initial_status = {"loadBalancer": {}}

    def validate(self, obj: Object) -> list[Cause]:
        spec: Object = obj.get("spec") or {}
        causes: Causes = []
        rules, backend = dig_list(spec, "rules"), spec.get("defaultBackend")
        if not rules and backend is None:
            causes.append(invalid("spec", None, "either `defaultBackend` or `rules` must be specified"))
        for index, tls in enumerate(dig_list(spec, "tls")):
            for number, host in enumerate(dig_list(tls, "hosts")):
                _check_host(f"spec.tls[{index}].hosts[{number}]", host, causes)
        for index, rule in enumerate(rules):
            _check_rule(f"spec.rules[{index}]", rule, causes)
        if backend is not None:
            _check_backend("spec.defaultBackend", backend, causes)
        if spec.get("ingressClassName"):
            check_subdomain("spec.ingressClassName", spec["ingressClassName"], causes)
        return causes

    def warnings(self, obj: Object) -> list[str]:
        if _CLASS_ANNOTATION in dig_object(obj, "metadata", "annotations"):
            return [f"annotation \"{_CLASS_ANNOTATION}\" is deprecated, please use 'spec.ingressClassName' instead"]
        return []


def _check_host(field: str, host: str, causes: Causes) -> None:
    problems = names.wildcard_subdomain_errors(host) if "*" in host else names.dns_subdomain_errors(host)
    check_each(field, host, problems, causes)


def _check_rule(path: str, rule: Object, causes: Causes) -> None:
    host = rule.get("host")
    if host:
        if is_ip(host):
            causes.append(invalid(f"{path}.host", host, "must be a DNS name, not an IP address"))
        else:
            _check_host(f"{path}.host", host, causes)
    http = rule.get("http")
    if http is None:
        return
    paths = dig_list(http, "paths")
    if not paths:
        causes.append(required(f"{path}.http.paths"))
    for index, item in enumerate(paths):
        _check_path(f"{path}.http.paths[{index}]", item, causes)


def _check_path(path: str, item: Object, causes: Causes) -> None:
    kind, where = item.get("pathType"), item.get("path", "")
    if not kind:
        causes.append(required(f"{path}.pathType", "pathType must be specified"))
    elif kind not in _PATH_TYPES:
        causes.append(unsupported(f"{path}.pathType", kind, _PATH_TYPES))
    elif kind in ("Exact", "Prefix"):
        if not where.startswith("/"):
            causes.append(invalid(f"{path}.path", where, "must be an absolute path"))
        for part in ("//", "/./", "/../", "%2f", "%2F"):
            if part in where:
                causes.append(invalid(f"{path}.path", where, f"must not contain '{part}'"))
        for end in ("/..", "/."):
            if where.endswith(end):
                causes.append(invalid(f"{path}.path", where, f"cannot end with '{end}'"))
    elif where and not where.startswith("/"):
        causes.append(invalid(f"{path}.path", where, "must be an absolute path"))
    _check_backend(f"{path}.backend", dig_object(item, "backend"), causes)


def _check_backend(path: str, backend: Object, causes: Causes) -> None:
    service, other = backend.get("service"), backend.get("resource")
    if service is not None and other is not None:
        causes.append(invalid(path, "", "cannot set both resource and service backends"))
    elif other is not None:
        for field in ("kind", "name"):
            if not other.get(field):
                causes.append(required(f"{path}.resource.{field}"))
    elif service is None:
        causes.append(required(path, "port name or number is required"))
    else:
        _check_service(path, service, causes)


def _check_service(path: str, service: Object, causes: Causes) -> None:
    name = service.get("name")
    if not name:
        causes.append(required(f"{path}.service.name"))
    else:
        check_each(f"{path}.service.name", name, names.dns1035_label_errors(name), causes)
    port = dig_object(service, "port")
    if port.get("name") and port.get("number"):
        causes.append(invalid(path, "", "cannot set both port name & port number"))
    elif port.get("name"):
        check_port_or_name(f"{path}.service.port.name", port["name"], causes)
    elif port.get("number"):
        check_port(f"{path}.service.port.number", port["number"], causes)
    else:
        causes.append(required(path, "port name or number is required"))


class IngressClasses(Builtin):
    def default(self, obj: Object) -> None:
        parameters = dig(obj, "spec", "parameters")
        if parameters is not None:
            parameters.setdefault("scope", "Cluster")

    def validate(self, obj: Object) -> list[Cause]:
        if dig(obj, "spec", "controller"):
            return []
        return [required("spec.controller")]

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        causes: Causes = []
        check_immutable("spec.controller", dig(new, "spec", "controller"), dig(old, "spec", "controller"), causes)
        return causes


class NetworkPolicies(Builtin):
    def default(self, obj: Object) -> None:
        spec: Object = obj.setdefault("spec", {})
        for direction in ("ingress", "egress"):
            for rule in dig_list(spec, direction):
                for port in dig_list(rule, "ports"):
                    port.setdefault("protocol", "TCP")
        spec.setdefault("podSelector", {})
        if not spec.get("policyTypes"):
            spec["policyTypes"] = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]

    def validate(self, obj: Object) -> list[Cause]:
        spec: Object = obj.get("spec") or {}
        causes: Causes = []
        check_label_selector("spec.podSelector", spec.get("podSelector"), causes)
        for direction, peers in (("ingress", "from"), ("egress", "to")):
            for index, rule in enumerate(dig_list(spec, direction)):
                path = f"spec.{direction}[{index}]"
                for number, port in enumerate(dig_list(rule, "ports")):
                    _check_policy_port(f"{path}.ports[{number}]", port, causes)
                for number, peer in enumerate(dig_list(rule, peers)):
                    _check_peer(f"{path}.{peers}[{number}]", peer, causes)
        types = dig_list(spec, "policyTypes")
        if len(types) > 2:
            causes.append(invalid("spec.policyTypes", types, "may not specify more than two policyTypes"))
        for index, kind in enumerate(types):
            if kind not in ("Ingress", "Egress"):
                causes.append(unsupported(f"spec.policyTypes[{index}]", kind, ("Ingress", "Egress")))
        return causes


def _check_policy_port(path: str, port: Object, causes: Causes) -> None:
    protocol = port.get("protocol")
    if protocol is not None and protocol not in PROTOCOLS:
        causes.append(unsupported(f"{path}.protocol", protocol, PROTOCOLS))
    number, end = port.get("port"), port.get("endPort")
    if number is not None:
        check_port_or_name(f"{path}.port", number, causes)
    if end is None:
        return
    if number is None:
        causes.append(invalid(f"{path}.endPort", end, "may not be specified when `port` is not specified"))
    elif isinstance(number, str):
        causes.append(invalid(f"{path}.endPort", end, "may not be specified when `port` is non-numeric"))
    elif end < number:
        causes.append(invalid(f"{path}.endPort", end, "must be greater than or equal to `port`"))


def _check_peer(path: str, peer: Object, causes: Causes) -> None:
    block = peer.get("ipBlock")
    selects = "podSelector" in peer or "namespaceSelector" in peer
    if block is not None:
        if selects:
            causes.append(forbidden(path, "may not specify both ipBlock and another peer"))
        cidr = block.get("cidr")
        if not cidr:
            causes.append(required(f"{path}.ipBlock.cidr"))
        elif not _is_cidr(cidr):
            why = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
            causes.append(invalid(f"{path}.ipBlock.cidr", cidr, why))
    elif not selects:
        causes.append(required(path, "must specify a peer"))
    check_label_selector(f"{path}.podSelector", peer.get("podSelector"), causes)
    check_label_selector(f"{path}.namespaceSelector", peer.get("namespaceSelector"), causes)


@lru_cache(maxsize=1024)
def _is_cidr(text: str) -> bool:
    try:
        ip_network(text, strict=False)
    except ValueError:
        return False
    return "/" in text


_networking = partial(resource, NETWORKING_GROUP, "v1")

RESOURCES = (
    _networking("IngressClass", "ingressclasses", namespaced=False, strategy=IngressClasses),
    _networking("Ingress", "ingresses", "ing", namespaced=True, strategy=Ingresses, subresources=("status",)),
    _networking("NetworkPolicy", "networkpolicies", "netpol", namespaced=True, strategy=NetworkPolicies),
)
