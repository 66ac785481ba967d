"""Addresses of Services and pods on the loopback. Pure.

A pod's address 10.244.x.y is 127.1.x.y, a Service's 10.96.x.y is 127.96.x.y. A Service's port has another number there:
a pod that listens on all addresses occupies its port on every loopback address.
"""

from collections.abc import Iterable
from typing import NamedTuple

from windlass.kube.json import Object, dig, dig_list
from windlass.node.network.plan import API, DOMAIN
from windlass.node.network.services import Endpoint, endpoints
from windlass.node.runtimes.process.table import Place

_MOVED = 20000
_RELAYED = ("TCP", "UDP")
_NONE = (None, "", "None")


class ListenAddress(NamedTuple):
    """The address on which a Service port listens."""

    address: str
    port: int
    protocol: str = "TCP"

    def __str__(self) -> str:
        return f"{self.address}:{self.port}" + ("" if self.protocol == "TCP" else f"/{self.protocol}")


class Backends(NamedTuple):
    """The endpoints of a Service port; `sticky`: always the same endpoint."""

    endpoints: tuple[Endpoint, ...]
    sticky: bool = False


def pod_address(leased: str) -> str:
    return "127.1." + leased.split(".", 2)[2]


def service_address(cluster_ip: str) -> str:
    return "127.96." + cluster_ip.split(".", 2)[2]


def service_port(port: int) -> int:
    return port + _MOVED if port + _MOVED < 65536 else port - _MOVED


def backends_of(service: Object, slices: Iterable[Object]) -> dict[ListenAddress, Backends]:
    """Return where the ports of one Service listen, nodePorts included, and their endpoints."""
    address, slices = dig(service, "spec", "clusterIP"), list(slices)
    if address in _NONE or address == API or dig(service, "spec", "type") == "ExternalName":
        return {}
    sticky = dig(service, "spec", "sessionAffinity") == "ClientIP"
    found: dict[ListenAddress, Backends] = {}
    for port in relayed(service):
        protocol = protocol_of(port)
        backends = Backends(tuple(endpoints(slices, port, protocol)), sticky)
        found[ListenAddress(service_address(str(address)), service_port(int(port["port"])), protocol)] = backends
        if port.get("nodePort"):
            found[ListenAddress("127.0.0.1", int(port["nodePort"]), protocol)] = backends
    return found


def protocol_of(port: Object) -> str:
    return str(port.get("protocol") or "TCP")


def relayed(service: Object) -> list[Object]:
    """Return the ports of a Service that are supported here."""
    return [port for port in dig_list(service, "spec", "ports") if protocol_of(port) in _RELAYED]


def place(service: Object, server: tuple[str, int]) -> Place | None:
    """Return where pods reach a Service, if it has an address; the API server is reached directly."""
    address = dig(service, "spec", "clusterIP")
    if address in _NONE:
        return None
    if address == API:
        return Place(server[0], {str(port["port"]): server[1] for port in relayed(service)})
    ports = {str(port["port"]): service_port(int(port["port"])) for port in relayed(service)}
    return Place(service_address(str(address)), ports)


def problems(service: Object) -> list[str]:
    """Return what of a Service is not supported here."""
    name = f"{dig(service, 'metadata', 'namespace')}/{dig(service, 'metadata', 'name')}"
    if name == "kube-system/kube-dns" or dig(service, "spec", "clusterIP") in _NONE:
        return []
    others = [port for port in dig_list(service, "spec", "ports") if protocol_of(port) not in _RELAYED]
    found: list[str] = []
    for port in others:
        what = f"protocol {port.get('protocol')} is not supported by the process runtime"
        found.append(f"Service {name} port {port.get('port')}: {what}")
    return found


def host_lines(services: Iterable[Object], namespace: str) -> list[str]:
    """Return lines of a hosts file: the names of the Services that have an address."""
    lines: list[str] = []
    for service in services:
        address = dig(service, "spec", "clusterIP")
        if address in _NONE or address == API:
            continue
        home, name = str(dig(service, "metadata", "namespace")), str(dig(service, "metadata", "name"))
        names = [f"{name}.{home}.svc.{DOMAIN}", f"{name}.{home}.svc", f"{name}.{home}"]
        own = [name] if home == namespace else []
        lines.append("\t".join([service_address(str(address)), *names, *own]))
    return sorted(lines)
