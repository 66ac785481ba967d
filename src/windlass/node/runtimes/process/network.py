"""The network of plain processes: a loopback address per pod, and relays to Services.

Nothing isolates pods. Names do not resolve, since /etc/resolv.conf is the machine's; the variables of Services lead to
addresses that work (`table.py`).
"""

import asyncio
import contextlib
import logging
import random
import socket
from pathlib import Path
from typing import Any

from windlass.apis.wellknown import SERVICE_NAME_LABEL
from windlass.kube.cache import Store
from windlass.kube.client import Client
from windlass.kube.informer import Informers
from windlass.kube.json import Object, dig
from windlass.kube.kind import Kind
from windlass.node.network.addresses import Addresses
from windlass.node.network.datagrams import DatagramRelay
from windlass.node.network.host_ports import KINDS, relay
from windlass.node.network.plan import API
from windlass.node.network.pod_socket import PodSocket
from windlass.node.network.relay import Connect, Relay, connect_to
from windlass.node.network.resolv import hosts
from windlass.node.runtimes.process import loopback_addresses, table
from windlass.node.runtimes.process.loopback_addresses import Backends, ListenAddress

log = logging.getLogger(__name__)

NODE_ADDRESS = "127.0.0.1"
SERVICE = Kind(group="", version="v1", name="Service", plural="services")
SLICE = Kind(group="discovery.k8s.io", version="v1", name="EndpointSlice", plural="endpointslices")
LIMITS = (
    "pods are plain processes: they see this machine's files and processes, and mounts marked readOnly can be written",
    "two pods cannot listen on the same port of 0.0.0.0; each can on its own address, status.podIP",
    "names of Services and pods do not resolve in pods; FOO_SERVICE_HOST and FOO_SERVICE_PORT lead to Services",
    "NetworkPolicies, and hostPorts other than the containerPort, have no effect",
)
_TOGETHER = 0.02  # seconds during which changes are collected
_INFORMERS_TIMEOUT = 30.0
_IP_FREEBIND = 15


class LoopbackNetwork:
    """`windlass.node.pods.context.PodNetwork` on 127.0.0.0/8. `server` is the address of the API server."""

    limits = LIMITS

    def __init__(self, client: Client, data: Path, *, server: tuple[str, int]) -> None:
        self._client, self._data, self._server = client, data, server
        self._informers = Informers(client)
        self._services = self._informers.store(SERVICE)
        self._slices = self._informers.store(SLICE)
        self._addresses = Addresses(data / "node" / "network.json")
        self._pod_socket = PodSocket(data / "run" / "pods.sock", self._dial_within, _blank)
        self._backends: dict[ListenAddress, Backends] = {}
        self._relays: dict[ListenAddress, Relay | DatagramRelay] = {}
        self._tasks: list[asyncio.Task[Any]] = []
        self._dirty = asyncio.Event()
        self._rounds: list[asyncio.Future[None]] = []
        self._stuck: dict[str, list[str]] = {}

    @property
    def problems(self) -> list[str]:
        return [*self.limits, *(each for some in self._stuck.values() for each in some)]

    async def start(self) -> None:
        for store in (self._services, self._slices):
            store.subscribe(_Handler(self._dirty))
        self._tasks.append(asyncio.create_task(self._inform(), name="the network's informers"))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_INFORMERS_TIMEOUT):
                for store in (self._services, self._slices):
                    await store.synced.wait()
        self._tasks.append(asyncio.create_task(self._keep(), name="the network's relays"))
        await self._pod_socket.open()
        await self.settled()

    async def _inform(self) -> None:
        async with asyncio.TaskGroup() as group:
            self._informers.start(group)

    async def stop(self, *, pods: bool = False) -> None:
        del pods  # pods do not depend on it
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._pod_socket.close()
        for each in self._relays.values():
            each.close()

    # Pods

    async def attach(self, uid: str, pid: int) -> str:
        """Lease the pod an address of its own; nothing forces the pod to use it."""
        del pid
        address = loopback_addresses.pod_address(self._addresses.lease(uid))
        self._write_table()
        return address

    async def detach(self, uid: str) -> None:
        self._addresses.release(uid)

    async def dial(self, ip: str, port: int) -> socket.socket:
        return await self._dial_within(ip, port, 10.0)

    async def dial_local(self, ip: str, pid: int, port: int) -> socket.socket:
        """Connect to the pod's address: pods have no loopback of their own."""
        del pid
        return await self.dial(ip, port)

    async def _dial_within(self, host: str, port: int, within: float) -> socket.socket:
        if host == API:
            host, port = self._server
        elif host.startswith("10.96."):
            host, port = loopback_addresses.service_address(host), loopback_addresses.service_port(port)
        async with asyncio.timeout(within):
            return await connect_to(host, port)()

    def resolv_conf(self, pod: Object) -> str:
        """Return the machine's own file; pods cannot have another."""
        del pod
        try:
            return Path("/etc/resolv.conf").read_text()
        except OSError:
            return ""

    def hosts(self, pod: Object, ip: str) -> str:
        """Build a hosts file that programs do not read by default; WINDLASS_HOSTS names it."""
        lines = loopback_addresses.host_lines(self._services, str(dig(pod, "metadata", "namespace")))
        return hosts(pod, ip) + "".join(f"{line}\n" for line in lines)

    # Services

    async def settled(self) -> None:
        """Wait until the relays match what the caches hold now."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._rounds.append(future)
        self._dirty.set()
        await future

    async def _keep(self) -> None:
        while True:
            await self._dirty.wait()
            if not self._rounds:
                await asyncio.sleep(_TOGETHER)
            self._dirty.clear()
            waiting, self._rounds = self._rounds, []
            try:
                self._apply()
            except Exception:  # waiters of this round must not wait for ever
                log.exception("cannot update the relays of Services")
            for future in waiting:
                if not future.done():
                    future.set_result(None)

    def _apply(self) -> None:
        pieces = by_service(self._slices)
        before, self._backends = self._backends, {}
        self._stuck["spec"] = []
        for service in self._services:
            with self._client.faults.contain("pod network", service, SERVICE):
                self._backends |= self._backends_of(service, pieces.get(key_of(service), []))
                self._stuck["spec"] += loopback_addresses.problems(service)
        self._stuck["ports"] = []
        for address in [each for each in self._relays if each not in self._backends]:
            self._relays.pop(address).close()
        for address, backends in self._backends.items():
            found = self._relays.get(address)
            if found is None:
                self._open(address)
            elif isinstance(found, DatagramRelay) and not set(before.get(address, backends).endpoints) <= set(
                backends.endpoints
            ):
                found.forget()  # no client should stay with a removed endpoint
        self._write_table()

    def _backends_of(self, service: Object, slices: list[Object]) -> dict[ListenAddress, Backends]:
        return loopback_addresses.backends_of(service, slices)

    def _service_location(self, service: Object) -> table.Place | None:
        return loopback_addresses.place(service, self._server)

    def _open(self, address: ListenAddress) -> None:
        try:
            listener = listen(address, KINDS[address.protocol])
        except OSError as error:
            self._stuck["ports"].append(f"{address} cannot be opened: {error.strerror}")
            return
        self._relays[address] = relay(listener, self._connect(address), str(address))

    def _connect(self, address: ListenAddress) -> Connect:
        async def connect() -> socket.socket:
            backends = self._backends.get(address)
            if backends is None or not backends.endpoints:
                raise ConnectionRefusedError(111, "no endpoint is ready")
            chosen = backends.endpoints[0] if backends.sticky else random.choice(backends.endpoints)
            return await connect_to(chosen.address, chosen.port, KINDS[address.protocol])()

        return connect

    def _write_table(self) -> None:
        services: dict[str, table.Place] = {}
        for service in self._services:
            with self._client.faults.contain("pod network", service, SERVICE):
                place = self._service_location(service)
                if place is not None:
                    services[str(dig(service, "spec", "clusterIP"))] = place
        table.write(self._data, table.Table(services, self._addresses_of_pods()))

    def _addresses_of_pods(self) -> dict[str, str]:
        return {uid: loopback_addresses.pod_address(leased) for uid, leased in self._addresses.leases.by_uid.items()}


class _Handler:
    def __init__(self, dirty: asyncio.Event) -> None:
        self._dirty = dirty

    def added(self, obj: Object, /) -> None:
        self._dirty.set()

    def changed(self, old: Object, new: Object, /) -> None:
        self._dirty.set()

    def deleted(self, obj: Object, /) -> None:
        self._dirty.set()


def key_of(obj: Object) -> tuple[str, str]:
    return str(dig(obj, "metadata", "namespace")), str(dig(obj, "metadata", "name"))


def by_service(slices: Store[Object]) -> dict[tuple[str, str], list[Object]]:
    found: dict[tuple[str, str], list[Object]] = {}
    for piece in slices:
        owner = str(dig(piece, "metadata", "labels", SERVICE_NAME_LABEL))
        found.setdefault((key_of(piece)[0], owner), []).append(piece)
    return found


def listen(address: ListenAddress, kind: socket.SocketKind = socket.SOCK_STREAM) -> socket.socket:
    """Listen on an address that may be assigned later. Raises OSError."""
    listener = socket.socket(socket.AF_INET, kind)
    try:
        if kind == socket.SOCK_STREAM:  # with SO_REUSEADDR two datagram sockets could share the address
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_IP, _IP_FREEBIND, 1)
        listener.bind((address.address, address.port))
        if kind == socket.SOCK_STREAM:
            listener.listen(128)
    except OSError:
        listener.close()
        raise
    listener.setblocking(False)
    return listener


async def _blank() -> socket.socket:
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM)
