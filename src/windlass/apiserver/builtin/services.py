"""Services. The server allocates cluster IPs and node ports; an update keeps the allocated ones."""

from windlass.apiserver.builtin.container_fields import PROTOCOLS
from windlass.apiserver.builtin.fields import (
    Causes,
    check_dns_label,
    check_each,
    check_enum,
    check_ip,
    check_label_key,
    check_labels,
    check_port,
    check_port_or_name,
    check_subdomain,
    unsupported,
)
from windlass.apiserver.builtin.strategy import Plain
from windlass.kube import names
from windlass.kube.errors import Cause, duplicate, forbidden, invalid, required
from windlass.kube.json import Object, dig, dig_list

NODE_PORTS = range(30000, 32768)
_TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_WITH_NODE_PORTS = ("NodePort", "LoadBalancer")
_POLICIES = ("Cluster", "Local")
_ALLOCATED = ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")


class Services(Plain):
    returns_deleted = True
    allows_create_on_update = True
    initial_status = {"loadBalancer": {}}

    def default(self, obj: Object) -> None:
        spec: Object = obj.setdefault("spec", {})
        if not spec.get("type"):
            spec["type"] = "ClusterIP"
        kind = spec["type"]
        _default_affinity(spec)
        for port in spec.get("ports") or ():
            if not port.get("protocol"):
                port["protocol"] = "TCP"
            if port.get("targetPort") in (None, 0, ""):
                port["targetPort"] = port.get("port", 0)
        if kind in _WITH_NODE_PORTS and not spec.get("externalTrafficPolicy"):
            spec["externalTrafficPolicy"] = "Cluster"
        if kind != "ExternalName" and not spec.get("internalTrafficPolicy"):
            spec["internalTrafficPolicy"] = "Cluster"
        if kind == "LoadBalancer":
            spec.setdefault("allocateLoadBalancerNodePorts", True)

    def prepare_update(self, new: Object, old: Object) -> None:
        super().prepare_update(new, old)
        spec: Object = new.get("spec") or {}
        was: Object = old.get("spec") or {}
        if _needs_address(spec) and _needs_address(was):
            _follow_the_primary_address(spec, was)
            for field in _ALLOCATED:
                if not spec.get(field) and was.get(field):
                    spec[field] = was[field]
        if spec.get("type") in _WITH_NODE_PORTS and was.get("type") in _WITH_NODE_PORTS:
            _keep_node_ports(spec, was)
        _drop_what_the_old_type_left(spec, was)

    def validate(self, obj: Object) -> list[Cause]:
        spec: Object = obj.get("spec") or {}
        causes: Causes = []
        kind, headless = spec.get("type", ""), spec.get("clusterIP") == "None"
        if not spec.get("ports") and not headless and kind != "ExternalName":
            causes.append(required("spec.ports"))
        if headless and kind in _WITH_NODE_PORTS:
            why = f"may not be set to 'None' for {kind} services"
            causes.append(invalid("spec.clusterIPs[0]", "None", why))
        if kind == "ExternalName":
            _check_external_name(spec, causes)
        _check_ports(spec, causes)
        check_labels("spec.selector", spec.get("selector") or {}, causes)
        check_enum("spec.sessionAffinity", spec.get("sessionAffinity", ""), ("ClientIP", "None"), causes)
        check_enum("spec.type", kind, _TYPES, causes)
        _check_addresses(spec, causes)
        _check_traffic(spec, kind, causes)
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        spec: Object = new.get("spec") or {}
        was: Object = old.get("spec") or {}
        causes: Causes = []
        if not (_needs_address(spec) and _needs_address(was)):
            return causes
        now, then = _primary(spec), _primary(was)
        if then and now != then:
            why = "may not change once set" if now else "primary clusterIP can not be unset"
            causes.append(invalid("spec.clusterIPs[0]", spec.get("clusterIPs") or [now], why))
        return causes

    def validate_name(self, name: str) -> list[str]:
        return names.dns1035_label_errors(name)

    def selectable_fields(self, obj: Object) -> dict[str, str]:
        spec: Object = obj.get("spec") or {}
        return {"spec.clusterIP": spec.get("clusterIP", ""), "spec.type": spec.get("type", "")}


def _default_affinity(spec: Object) -> None:
    if not spec.get("sessionAffinity"):
        spec["sessionAffinity"] = "None"
    if spec["sessionAffinity"] == "None":
        spec.pop("sessionAffinityConfig", None)
    elif (
        spec["sessionAffinity"] == "ClientIP"
        and dig(spec, "sessionAffinityConfig", "clientIP", "timeoutSeconds") is None
    ):
        spec["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": 10800}}


def _needs_address(spec: Object) -> bool:
    return spec.get("type") != "ExternalName"


def _primary(spec: Object) -> str:
    addresses = dig_list(spec, "clusterIPs")
    return spec.get("clusterIP") or (addresses[0] if addresses else "")


def _follow_the_primary_address(spec: Object, was: Object) -> None:
    """Update `clusterIPs` for a client that changes only `clusterIP`."""
    address = spec.get("clusterIP")
    if address and address != was.get("clusterIP") and spec.get("clusterIPs") in (None, [], was.get("clusterIPs")):
        spec["clusterIPs"] = [address]


def _keep_node_ports(spec: Object, was: Object) -> None:
    taken = {port.get("nodePort") for port in spec.get("ports") or ()}
    before = {(port.get("protocol"), port.get("port")): port.get("nodePort") for port in was.get("ports") or ()}
    for port in spec.get("ports") or ():
        kept = before.get((port.get("protocol"), port.get("port")))
        if not port.get("nodePort") and kept and kept not in taken:
            port["nodePort"] = kept
    if not spec.get("healthCheckNodePort") and was.get("healthCheckNodePort"):
        spec["healthCheckNodePort"] = was["healthCheckNodePort"]


def _drop_what_the_old_type_left(spec: Object, was: Object) -> None:
    """Clear fields of the old type when the type changes, unless the client changed them as well."""
    if spec.get("type") == was.get("type"):
        return
    if not _needs_address(spec):
        for field in _ALLOCATED:
            if spec.get(field) == was.get(field):
                spec.pop(field, None)
        spec.pop("internalTrafficPolicy", None)
    if spec.get("type") not in _WITH_NODE_PORTS:
        before = {port.get("nodePort") for port in was.get("ports") or ()}
        for port in spec.get("ports") or ():
            if port.get("nodePort") in before:
                port.pop("nodePort", None)
        spec.pop("externalTrafficPolicy", None)
    if spec.get("type") != "LoadBalancer":
        for field in ("allocateLoadBalancerNodePorts", "loadBalancerClass", "healthCheckNodePort"):
            if spec.get(field) == was.get(field):
                spec.pop(field, None)


def _check_external_name(spec: Object, causes: Causes) -> None:
    if spec.get("clusterIP") or spec.get("clusterIPs"):
        causes.append(forbidden("spec.clusterIPs", "may not be set when type is 'ExternalName'"))
    name = spec.get("externalName")
    if not name:
        causes.append(required("spec.externalName"))
    else:
        check_subdomain("spec.externalName", name.removesuffix("."), causes)


def _check_ports(spec: Object, causes: Causes) -> None:
    ports = dig_list(spec, "ports")
    names_seen: set[str] = set()
    numbers_seen: set[tuple[str, int]] = set()
    node_ports_seen: set[tuple[str, int]] = set()
    for index, port in enumerate(ports):
        path = f"spec.ports[{index}]"
        name = port.get("name")
        if name:
            check_dns_label(f"{path}.name", name, causes)
            if name in names_seen:
                causes.append(duplicate(f"{path}.name", name))
            names_seen.add(name)
        elif len(ports) > 1:
            causes.append(required(f"{path}.name"))
        protocol, number = port.get("protocol", ""), port.get("port", 0)
        check_port(f"{path}.port", number, causes)
        check_enum(f"{path}.protocol", protocol, PROTOCOLS, causes)
        check_port_or_name(f"{path}.targetPort", port.get("targetPort"), causes)
        if port.get("appProtocol"):
            check_label_key(f"{path}.appProtocol", port["appProtocol"], causes)
        if (protocol, number) in numbers_seen:
            causes.append(duplicate(path, {"port": number, "protocol": protocol}))
        numbers_seen.add((protocol, number))
        if port.get("nodePort"):
            _check_node_port(path, port, spec.get("type", ""), node_ports_seen, causes)


def _check_node_port(path: str, port: Object, kind: str, used: set[tuple[str, int]], causes: Causes) -> None:
    node_port, protocol = port["nodePort"], port.get("protocol", "")
    if kind not in _WITH_NODE_PORTS:
        causes.append(forbidden(f"{path}.nodePort", "may not be used when `type` is 'ClusterIP'"))
    elif node_port not in NODE_PORTS:
        why = (
            "provided port is not in the valid range. The range of valid ports is "
            f"{NODE_PORTS.start}-{NODE_PORTS.stop - 1}"
        )
        causes.append(invalid(f"{path}.nodePort", node_port, why))
    elif (protocol, node_port) in used:
        causes.append(duplicate(f"{path}.nodePort", node_port))
    used.add((protocol, node_port))


def _check_addresses(spec: Object, causes: Causes) -> None:
    address = spec.get("clusterIP")
    if address and address != "None" and spec.get("type") != "ExternalName":
        check_ip("spec.clusterIPs[0]", address, causes)
    for index, external in enumerate(spec.get("externalIPs") or ()):
        check_ip(f"spec.externalIPs[{index}]", external, causes)
    policy = spec.get("ipFamilyPolicy")
    if policy is not None:
        check_enum("spec.ipFamilyPolicy", policy, ("SingleStack", "PreferDualStack", "RequireDualStack"), causes)
    for index, family in enumerate(spec.get("ipFamilies") or ()):
        if family not in ("IPv4", "IPv6"):
            causes.append(unsupported(f"spec.ipFamilies[{index}]", family, ("IPv4", "IPv6")))


def _check_traffic(spec: Object, kind: str, causes: Causes) -> None:
    external = spec.get("externalTrafficPolicy")
    if external:
        if kind not in _WITH_NODE_PORTS and not spec.get("externalIPs"):
            why = "may only be set for externally-accessible services"
            causes.append(invalid("spec.externalTrafficPolicy", external, why))
        elif external not in _POLICIES:
            causes.append(unsupported("spec.externalTrafficPolicy", external, _POLICIES))
    internal = spec.get("internalTrafficPolicy")
    if internal and internal not in _POLICIES:
        causes.append(unsupported("spec.internalTrafficPolicy", internal, _POLICIES))
    if spec.get("loadBalancerSourceRanges") and kind != "LoadBalancer":
        why = "may only be used when `type` is 'LoadBalancer'"
        causes.append(forbidden("spec.loadBalancerSourceRanges", why))
    if spec.get("loadBalancerClass") and kind != "LoadBalancer":
        why = "may only be used when `type` is 'LoadBalancer'"
        causes.append(forbidden("spec.loadBalancerClass", why))
    timeout = dig(spec, "sessionAffinityConfig", "clientIP", "timeoutSeconds")
    if timeout is not None and not 0 < timeout <= 86400:
        field = "spec.sessionAffinityConfig.clientIP.timeoutSeconds"
        check_each(field, timeout, ("must be greater than 0 and less than 86400",), causes)
