"""The endpoints of Services: EndpointSlices (`discovery.k8s.io`), and the older Endpoints of the core group."""

from ipaddress import ip_address, ip_network

from windlass.apiserver.builtin.container_fields import PROTOCOLS
from windlass.apiserver.builtin.fields import (
    Causes,
    check_dns_label,
    check_each,
    check_enum,
    check_immutable,
    check_ip,
    check_port,
    is_ip,
    unsupported,
)
from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Builtin, Plain
from windlass.kube import names
from windlass.kube.errors import Cause, duplicate, invalid, required, too_many
from windlass.kube.json import Object, dig_list

_LINK_LOCAL_MULTICAST = {4: ip_network("224.0.0.0/24"), 6: ip_network("ff02::/16")}
_ADDRESS_TYPES = ("FQDN", "IPv4", "IPv6")


class EndpointSlices(Builtin):
    # Everything but metadata is its spec.
    generation_fields = None

    def default(self, obj: Object) -> None:
        for port in dig_list(obj, "ports"):
            port.setdefault("name", "")
            port.setdefault("protocol", "TCP")

    def validate(self, obj: Object) -> list[Cause]:
        causes: Causes = []
        kind = obj.get("addressType", "")
        if kind not in _ADDRESS_TYPES:
            causes.append(unsupported("addressType", kind, _ADDRESS_TYPES) if kind else required("addressType"))
        for index, endpoint in enumerate(dig_list(obj, "endpoints")):
            self._check_endpoint(f"endpoints[{index}]", kind, endpoint, causes)
        seen: set[str] = set()
        for index, port in enumerate(dig_list(obj, "ports")):
            name = port.get("name") or ""
            if name in seen:
                causes.append(duplicate(f"ports[{index}].name", name))
            seen.add(name)
            if name:
                check_dns_label(f"ports[{index}].name", name, causes)
            protocol = port.get("protocol", "")
            check_enum(f"ports[{index}].protocol", protocol, PROTOCOLS, causes)
        return causes

    def _check_endpoint(self, path: str, kind: str, endpoint: Object, causes: Causes) -> None:
        addresses = dig_list(endpoint, "addresses")
        if not addresses:
            causes.append(required(f"{path}.addresses", "must contain at least 1 address"))
        elif len(addresses) > 100:
            causes.append(too_many(f"{path}.addresses", len(addresses), 100))
        for index, address in enumerate(addresses):
            field = f"{path}.addresses[{index}]"
            if kind == "FQDN":
                check_each(field, address, names.dns_subdomain_errors(address), causes)
            else:
                check_endpoint_ip(field, address, causes)

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        causes: Causes = []
        check_immutable("addressType", new.get("addressType"), old.get("addressType"), causes)
        return causes


class Endpoints(Plain):
    allows_create_on_update = True

    def default(self, obj: Object) -> None:
        for subset in dig_list(obj, "subsets"):
            for port in dig_list(subset, "ports"):
                if not port.get("protocol"):
                    port["protocol"] = "TCP"

    def validate(self, obj: Object) -> list[Cause]:
        causes: Causes = []
        for index, subset in enumerate(dig_list(obj, "subsets")):
            path = f"subsets[{index}]"
            if not subset.get("addresses") and not subset.get("notReadyAddresses"):
                causes.append(required(path, "must specify `addresses` or `notReadyAddresses`"))
            for field in ("addresses", "notReadyAddresses"):
                for number, address in enumerate(dig_list(subset, field)):
                    check_endpoint_ip(f"{path}.{field}[{number}].ip", address.get("ip", ""), causes)
            ports = dig_list(subset, "ports")
            for number, port in enumerate(ports):
                self._check_port(f"{path}.ports[{number}]", port, len(ports) > 1, causes)
        return causes

    def _check_port(self, path: str, port: Object, needs_name: bool, causes: Causes) -> None:
        if port.get("name"):
            check_dns_label(f"{path}.name", port["name"], causes)
        elif needs_name:
            causes.append(required(f"{path}.name"))
        check_port(f"{path}.port", port.get("port", 0), causes)
        check_enum(f"{path}.protocol", port.get("protocol", ""), PROTOCOLS, causes)


def check_endpoint_ip(field: str, value: str, causes: Causes) -> None:
    """No address that means the machine which connects to it, such as those of a cloud's metadata.

    Kubernetes refuses loopback addresses too; pods that are plain processes have such addresses here.
    """
    if not is_ip(value):
        check_ip(field, value, causes)
        return
    address = ip_address(value)
    if address.is_unspecified:
        causes.append(invalid(field, value, "may not be unspecified (0.0.0.0 or ::)"))
    elif address.is_link_local:
        causes.append(invalid(field, value, "may not be in the link-local range (169.254.0.0/16, fe80::/10)"))
    elif address in _LINK_LOCAL_MULTICAST[address.version]:
        message = "may not be in the link-local multicast range (224.0.0.0/24, ff02::/16)"
        causes.append(invalid(field, value, message))


RESOURCES = (
    resource("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", namespaced=True, strategy=EndpointSlices),
)
