"""Allocation of cluster IPs and node ports to Services.

The allocations are those of the stored Services, updated by writes and rebuilt at every start, so a crash can neither
leak nor duplicate an address.
"""

from ipaddress import IPv4Network, ip_address
from random import randrange
from typing import Any

from windlass.apiserver.resources import Resource
from windlass.kube.errors import Cause, Invalid, invalid
from windlass.kube.json import Object, dig_list, dig_object

SERVICE_NETWORK = IPv4Network("10.96.0.0/16")
KUBERNETES_SERVICE_IP = "10.96.0.1"
NODE_PORTS = range(30000, 32768)
_SERVICES = "/services"


class Allocators:
    """Addresses and ports in use. Used on the server's event loop only."""

    def __init__(self) -> None:
        self._addresses: set[str] = set()
        self._ports: set[int] = set()

    def load(self, services: Any) -> None:
        """Record the allocations of the stored Services."""
        for service in services:
            addresses, ports = held(service)
            self._addresses |= addresses
            self._ports |= ports

    def allocate(self, resource: Resource, new: Object, old: Object | None) -> None:
        """Allocate what a Service lacks, refuse what another holds, and release what it no longer uses."""
        if resource.store_key != _SERVICES:
            return
        before_addresses, before_ports = held(old) if old is not None else (set[str](), set[int]())
        self._take_wanted(new, before_addresses, before_ports)
        self._fill_address(new)
        self._fill_ports(new)
        addresses, ports = held(new)
        self._addresses = (self._addresses - before_addresses) | addresses
        self._ports = (self._ports - before_ports) | ports

    def release(self, resource: Resource, obj: Object) -> None:
        if resource.store_key == _SERVICES:
            addresses, ports = held(obj)
            self._addresses -= addresses
            self._ports -= ports

    def _take_wanted(self, new: Object, own_addresses: set[str], own_ports: set[int]) -> None:
        addresses, _ = held(new)
        causes: list[Cause] = []
        for address in sorted(addresses - own_addresses):
            if ip_address(address) not in SERVICE_NETWORK:
                why = f"failed to allocate IP {address}: the provided IP ({address}) is not in the valid range. The range of valid IPs is {SERVICE_NETWORK}"  # noqa: E501 - Kubernetes' sentence
                causes.append(invalid("spec.clusterIPs", [address], why))
            elif address in self._addresses:
                why = f"failed to allocate IP {address}: provided IP is already allocated"
                causes.append(invalid("spec.clusterIPs", [address], why))
        for index, port in enumerate(dig_list(new, "spec", "ports")):
            number = port.get("nodePort")
            if number and number not in own_ports and number in self._ports:
                causes.append(invalid(f"spec.ports[{index}].nodePort", number, "provided port is already allocated"))
        if causes:
            raise Invalid.of("Service", "", new["metadata"]["name"], causes)

    def _fill_address(self, service: Object) -> None:
        spec = dig_object(service, "spec")
        if spec.get("type") == "ExternalName":
            for name in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"):
                spec.pop(name, None)
            return
        address = spec.get("clusterIP") or self._free_address()
        spec["clusterIP"] = address
        spec["clusterIPs"] = [address]
        spec.setdefault("ipFamilies", ["IPv4"])
        spec.setdefault("ipFamilyPolicy", "SingleStack")

    def _free_address(self) -> str:
        size = SERVICE_NETWORK.num_addresses
        start = randrange(1, size - 1)
        for step in range(size - 2):
            offset = 1 + (start + step - 1) % (size - 2)
            address = str(SERVICE_NETWORK.network_address + offset)
            if address not in self._addresses and address != KUBERNETES_SERVICE_IP:
                return address
        raise Invalid.of(
            "Service", "", "", [invalid("spec.clusterIP", "", "failed to allocate a serviceIP: range is full")]
        )

    def _fill_ports(self, service: Object) -> None:
        spec = dig_object(service, "spec")
        if spec.get("type") not in ("NodePort", "LoadBalancer") or spec.get("allocateLoadBalancerNodePorts") is False:
            return
        taken: set[int] = set(self._ports)
        for port in dig_list(spec, "ports"):
            if not port.get("nodePort"):
                port["nodePort"] = self._free_port(taken)
            taken.add(port["nodePort"])

    def _free_port(self, taken: set[int]) -> int:
        start = randrange(len(NODE_PORTS))
        for step in range(len(NODE_PORTS)):
            port = NODE_PORTS[(start + step) % len(NODE_PORTS)]
            if port not in taken:
                return port
        raise Invalid.of("Service", "", "", [invalid("spec.ports", 0, "failed to allocate a nodePort: range is full")])


def held(service: Object) -> tuple[set[str], set[int]]:
    """Return the addresses and node ports of a Service."""
    spec = dig_object(service, "spec")
    address = spec.get("clusterIP")
    addresses = {address} if address and address != "None" and spec.get("type") != "ExternalName" else set[str]()
    ports = {port["nodePort"] for port in dig_list(spec, "ports") if port.get("nodePort")}
    return addresses, ports
