"""Addresses of the ready pods behind a Service."""

import asyncio
import socket
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from windlass.apis.core_v1 import Service, ServicePort
from windlass.apis.discovery_v1 import SERVICE_NAME, EndpointSlice
from windlass.gateway.proxy.routing.routes import Backend
from windlass.gateway.proxy.upstream import Address, BackendFailed
from windlass.kube import pod_network
from windlass.kube.cache import Store
from windlass.kube.json import dig
from windlass.kube.meta import Key

CONNECT_TIMEOUT_SECONDS = 10.0
HTTP2_PROTOCOLS = frozenset({"kubernetes.io/h2c", "h2c", "grpc", "http2"})
HTTP2_NAMES = ("grpc", "http2", "h2c")

ProtocolT = TypeVar("ProtocolT", bound=asyncio.Protocol)


class Backends:
    """What informers know of Services and their endpoints."""

    def __init__(self, services: Store[Service], slices: Store[EndpointSlice]) -> None:
        self._services, self._slices = services, slices
        self._next = 0

    def service(self, backend: Backend) -> Service | None:
        return self._services.get(Key(backend.namespace, backend.service))

    def address(self, backend: Backend) -> Address | None:
        """One of the ready addresses in turn; None where there is none."""
        addresses = self._addresses(backend)
        if not addresses:
            return None
        self._next += 1
        return addresses[self._next % len(addresses)]

    def has_address(self, backend: Backend) -> bool:
        """Whether some address is ready."""
        return bool(self._addresses(backend))

    def _addresses(self, backend: Backend) -> list[Address]:
        slices = self._slices.labelled(backend.namespace, {SERVICE_NAME: backend.service})
        return ready_addresses(self.service(backend), slices, backend.port)

    def pods(self, backend: Backend) -> list[Key]:
        """The pods whose addresses are ready, as far as their slices name them."""
        slices = self._slices.labelled(backend.namespace, {SERVICE_NAME: backend.service})
        named = (
            str(dig(endpoint, "targetRef", "name"))
            for endpoints in slices
            for endpoint in endpoints.endpoints
            if _is_ready(endpoint) and dig(endpoint, "targetRef", "kind") == "Pod"
        )
        return [Key(backend.namespace, name) for name in dict.fromkeys(named)]

    def selector(self, backend: Backend) -> dict[str, str]:
        """Labels that all pods of the Service have."""
        service = self.service(backend)
        return dict(service.spec.selector or {}) if service is not None else {}

    def speaks_http2(self, backend: Backend) -> bool:
        """Whether the port of the Service says so, by its protocol or its name."""
        service = self.service(backend)
        port = _port(service, backend.port) if service is not None else None
        return port is not None and is_http2_port(port)

    def port_number(self, backend: Backend) -> int:
        """The Service's port as a number; 0 for a name that it does not have."""
        if isinstance(backend.port, int):
            return backend.port
        service = self.service(backend)
        port = _port(service, backend.port) if service is not None else None
        return port.port if port is not None else 0

    def has_service(self, backend: Backend) -> bool:
        return self.service(backend) is not None


def is_http2_port(port: ServicePort) -> bool:
    """By `appProtocol`, else by the start of the name, as Istio reads it. gRPC-Web is HTTP/1.1."""
    if port.app_protocol:
        return port.app_protocol in HTTP2_PROTOCOLS
    return port.name.startswith(HTTP2_NAMES) and not port.name.startswith("grpc-web")


def ready_addresses(service: Service | None, slices: Iterable[EndpointSlice], wanted: int | str) -> list[Address]:
    """The pods that are ready for a port of the Service, by the port's name in the slices."""
    if service is None:
        return []
    service_port = _port(service, wanted)
    if service_port is None:
        return []
    name = service_port.name
    return [
        (address, port)
        for endpoints in slices
        for port in _ports(endpoints, name)
        for endpoint in endpoints.endpoints
        if _is_ready(endpoint)
        for address in endpoint.get("addresses") or ()
    ]


def _port(service: Service, wanted: int | str) -> ServicePort | None:
    """The port of a number or a name."""
    return next((port for port in service.spec.ports if wanted in (port.port, port.name)), None)


def _ports(endpoints: EndpointSlice, name: str) -> list[int]:
    return [port["port"] for port in endpoints.ports if (port.get("name") or "") == name and port.get("port")]


def _is_ready(endpoint: dict[str, Any]) -> bool:
    return dig(endpoint, "conditions", "ready") is not False


async def dial(address: Address, pods_socket: Path | None, protocol: Callable[[], ProtocolT]) -> ProtocolT:
    """Connect to a pod: through the node agent where pods have a network of their own. Raises BackendFailed."""
    loop = asyncio.get_running_loop()
    host, port = address
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_SECONDS):
            if pods_socket is not None and pod_network.is_inside(host):
                connected = await pod_network.dial(pods_socket, host, port)
                connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                _, upstream = await loop.create_connection(protocol, sock=connected)
            else:
                _, upstream = await loop.create_connection(protocol, host, port)
    except OSError as error:
        raise BackendFailed(f"cannot connect to {host} port {port}: {error}") from error
    return upstream
