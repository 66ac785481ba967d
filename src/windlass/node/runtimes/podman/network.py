"""The network of pods that podman or docker run: the engine's bridge, relays and DNS on its gateway.

The engine assigns the pods' addresses. A Service has no address of its own there: its name resolves to its pods, and
its variables lead to a relay on the gateway, on a port that stays the Service's.
"""

import socket
from pathlib import Path

import aiohttp

from windlass.kube.client import Client
from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.node.network.dns import Dns
from windlass.node.network.dns_names import Names
from windlass.node.network.host_names import host_resolver
from windlass.node.network.plan import API, DNS, DOMAIN
from windlass.node.network.resolv import hosts, resolv_conf
from windlass.node.network.services import Endpoint, endpoints
from windlass.node.runtimes.podman import answers, bodies
from windlass.node.runtimes.podman.engine import Engine, Refused
from windlass.node.runtimes.process import table
from windlass.node.runtimes.process.loopback_addresses import Backends, ListenAddress, protocol_of, relayed
from windlass.node.runtimes.process.network import LoopbackNetwork, by_service, key_of, listen

NODE_ADDRESS = "127.0.0.1"
API_NAME = "kubernetes.default.svc"
_FIRST_PORT = 20000
_NETWORKS = ("podman", "bridge")
_NONE = (None, "", "None")
LIMITS = (
    "names of Services resolve to their pods: a port that differs from the targetPort is only reachable by "
    "FOO_SERVICE_HOST and FOO_SERVICE_PORT",
    "NetworkPolicies and hostPorts have no effect",
)
_ROOTLESS = (
    "the engine is rootless: its pods are not reachable from here, so network probes, port-forward and Services "
    "do not work"
)


class Ports:
    """Assigns ports of the gateway to Services; an assignment is permanent and kept in the table."""

    def __init__(self, known: table.Table) -> None:
        self._given = {
            (address, int(port)): number
            for address, place in known.services.items()
            for port, number in place.ports.items()
        }

    def of(self, address: str, port: int) -> int:
        if (address, port) not in self._given:
            taken = set(self._given.values())
            self._given[address, port] = next(n for n in range(_FIRST_PORT, 65536) if n not in taken)
        return self._given[address, port]


class PodmanNetwork(LoopbackNetwork):
    limits = LIMITS

    def __init__(self, client: Client, data: Path, engine: Engine, *, server: tuple[str, int]) -> None:
        super().__init__(client, data, server=server)
        self._engine, self._gateway = engine, ""
        self._ports = Ports(table.read(data))
        self._ips: dict[str, str] = {}
        self._names = Names()
        self._dns = Dns(self._names)
        self._has_dns = False

    async def start(self) -> None:
        self._gateway = await self._find_gateway()
        if self._engine.rootless:
            self._stuck["rootless"] = [_ROOTLESS]
        try:
            address = ListenAddress(self._gateway, 53)
            await self._dns.start(listen(address, socket.SOCK_DGRAM), listen(address))
            self._has_dns = True
        except OSError as error:
            self._stuck["dns"] = [f"names of Services do not resolve: {self._gateway}:53: {error.strerror}"]
        await super().start()

    async def stop(self, *, pods: bool = False) -> None:
        await self._dns.stop()
        await super().stop(pods=pods)

    async def _find_gateway(self) -> str:
        """Return the address of the engine's gateway. Raises OSError."""
        for name in _NETWORKS:
            try:
                network = await self._engine.get(f"/networks/{name}")
            except Refused:
                continue
            for each in dig_list(network, "IPAM", "Config"):
                if each.get("Gateway") and ":" not in each["Gateway"]:
                    return str(each["Gateway"])
        raise OSError(f"the engine has no network called {' or '.join(_NETWORKS)} with a gateway")

    async def attach(self, uid: str, pid: int) -> str:
        """Return the address that the engine has given the pod. Raises OSError."""
        del pid
        try:
            inspected = await self._engine.get(f"/containers/{bodies.pod_name(uid)}/json")
        except (Refused, aiohttp.ClientError) as error:
            raise OSError(f"the engine does not report the address of pod {uid}: {error}") from error
        address = answers.address(inspected)
        if not address:
            raise OSError(f"the engine assigned no address to pod {uid}")
        self._ips[uid] = address
        return address

    async def detach(self, uid: str) -> None:
        self._ips.pop(uid, None)

    async def _dial_within(self, host: str, port: int, within: float) -> socket.socket:
        if host.startswith("10.96.") and host != API:
            host, port = self._gateway, self._ports.of(host, port)
        return await super()._dial_within(host, port, within)

    def resolv_conf(self, pod: Object) -> str:
        text = resolv_conf(pod, host_resolver())
        return text.replace(DNS, self._gateway) if self._has_dns else super().resolv_conf(pod)

    def hosts(self, pod: Object, ip: str) -> str:
        return f"{hosts(pod, ip)}{self._gateway}\t{API_NAME} {API_NAME}.{DOMAIN}\n"

    def _addresses_of_pods(self) -> dict[str, str]:
        return dict(self._ips)

    def _backends_of(self, service: Object, slices: list[Object]) -> dict[ListenAddress, Backends]:
        address = str(dig(service, "spec", "clusterIP") or "")
        if address in _NONE or dig(service, "spec", "type") == "ExternalName":
            return {}
        found: dict[ListenAddress, Backends] = {}
        for port in relayed(service):
            protocol = protocol_of(port)
            ends = endpoints(slices, port, protocol) if address != API else [Endpoint(*self._server)]
            backends = Backends(tuple(ends), dig(service, "spec", "sessionAffinity") == "ClientIP")
            found[ListenAddress(self._gateway, self._ports.of(address, int(port["port"])), protocol)] = backends
            if port.get("nodePort"):
                found[ListenAddress(NODE_ADDRESS, int(port["nodePort"]), protocol)] = backends
        return found

    def _service_location(self, service: Object) -> table.Place | None:
        address = str(dig(service, "spec", "clusterIP") or "")
        if address in _NONE:
            return None
        ports = {str(port["port"]): self._ports.of(address, int(port["port"])) for port in relayed(service)}
        return table.Place(API_NAME if address == API else self._gateway, ports)

    def _apply(self) -> None:
        super()._apply()
        self._names.services = {key_of(each): _named(each, self._gateway) for each in self._services}
        self._names.slices = by_service(self._slices)
        self._names.namespaces = {key_of(each)[0] for each in self._services}
        self._names.refresh_reverse()


def _named(service: Object, gateway: str) -> Object:
    """Return the Service as DNS should resolve it: to its pods; the API to its relay."""
    spec = dig_object(service, "spec")
    return {**service, "spec": {**spec, "clusterIP": gateway if spec.get("clusterIP") == API else "None"}}
