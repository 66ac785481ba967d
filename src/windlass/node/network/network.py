"""The pods' network as the agent uses it: start, attach, detach, dial, and the resolver files of pods."""

import asyncio
import contextlib
import hashlib
import logging
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from windlass.apis.wellknown import NETWORKING_GROUP, SERVICE_NAME_LABEL
from windlass.kube import errors
from windlass.kube.cache import Store
from windlass.kube.client import Client
from windlass.kube.faults import Attempt
from windlass.kube.informer import Informers
from windlass.kube.json import Object, dig, dig_object
from windlass.kube.kind import Kind
from windlass.node.network import nft, services
from windlass.node.network.addresses import Addresses
from windlass.node.network.dns import Dns
from windlass.node.network.dns_names import Names
from windlass.node.network.helper_client import HelperClient
from windlass.node.network.host_names import HostResolver, host_resolver
from windlass.node.network.host_ports import HostPorts
from windlass.node.network.plan import API, DNS, NODE, PODS, UPLINK
from windlass.node.network.pod_socket import PodSocket
from windlass.node.network.policies import Member, compile_policies, member
from windlass.node.network.relay import Relay, connect_to
from windlass.node.network.resolv import hosts, resolv_conf
from windlass.node.network.ruleset import Ruleset, difference
from windlass.node.network.services import Compiled, ForwardedPort, compile_host_ports, compile_service
from windlass.node.network.stale import FlowKeeper
from windlass.node.network.uplink import NoUplink, Uplink

log = logging.getLogger(__name__)

SERVICE = Kind(group="", version="v1", name="Service", plural="services")
POD = Kind(group="", version="v1", name="Pod", plural="pods")
NAMESPACE = Kind(group="", version="v1", name="Namespace", plural="namespaces", namespaced=False)
SLICE = Kind(group="discovery.k8s.io", version="v1", name="EndpointSlice", plural="endpointslices")
POLICY = Kind(group=NETWORKING_GROUP, version="v1", name="NetworkPolicy", plural="networkpolicies")

NODE_ADDRESS, POD_CIDR = NODE, str(PODS)
_TABLE = "windlass"
_TOGETHER = 0.02  # seconds that changes gather for
_INFORMERS_TIMEOUT = 30.0
_SYNC_TIMEOUT = 2.0
_ENDED = ("Succeeded", "Failed")


def kube_dns() -> Object:
    """Return the Service by which manifests find the cluster's DNS; the node itself answers at its address."""
    labels = {"k8s-app": "kube-dns", "kubernetes.io/cluster-service": "true", "kubernetes.io/name": "CoreDNS"}
    ports = [
        {"name": "dns", "port": 53, "protocol": "UDP", "targetPort": 53},
        {"name": "dns-tcp", "port": 53, "protocol": "TCP", "targetPort": 53},
    ]
    meta = {"name": "kube-dns", "namespace": "kube-system", "labels": labels}
    return {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": {"clusterIP": DNS, "ports": ports}}


class Network:
    """The network of one node. `problems` are shown on the Node and in `windlass status`."""

    def __init__(
        self,
        client: Client,
        data_dir: Path,
        *,
        server: tuple[str, int],
        node_name: str = "",
        informers: Informers | None = None,
        uplink: bool = True,
        host: HostResolver | None = None,
        loopback: bool = True,
        metadata: bool = False,
    ) -> None:
        self._client, self._data_dir = client, data_dir
        self._node_name = node_name or socket.gethostname().lower()
        self._api = server
        self._informers, self._own_informers = informers or Informers(client), informers is None
        self._wants_uplink, self._loopback, self._host = uplink, loopback, host
        self._metadata = metadata
        self._addresses = Addresses(data_dir / "node" / "network.json")
        self._inside: HelperClient | None = None
        self._names = Names()
        self._dns = Dns(self._names, host)
        self._pod_socket = PodSocket(data_dir / "run" / "pods.sock", self._dial_within, self._blank)
        self._uplink: Uplink | None = None
        self._tasks: list[asyncio.Task[Any]] = []
        self._dirty = asyncio.Event()
        self._ports = HostPorts(self._dial_kind, retry=self._dirty.set)
        self._api_relay: Relay | None = None
        self._applied: Ruleset | None = None
        self._flows = FlowKeeper()
        self._compiled: dict[tuple[str, str], tuple[Any, Compiled]] = {}
        self._rounds: list[asyncio.Future[None]] = []
        self._stuck: dict[str, list[str]] = {}
        self._out: tuple[str, ...] = ()

    @property
    def inside(self) -> HelperClient | None:
        return self._inside

    @property
    def problems(self) -> list[str]:
        return [each for some in self._stuck.values() for each in some]

    # Starting and stopping

    async def start(self, anchor_pid: int) -> None:
        """Set up the network of that process' namespace, or take over an existing one."""
        self._inside = HelperClient(anchor_pid)
        await self._inside.start()
        await self._inside.call("setup")
        await self._go_out()
        handlers = {SERVICE: _Handler, SLICE: _Handler, POD: _PodHandler, POLICY: _Handler, NAMESPACE: _Handler}
        stores = [self._store(kind) for kind in handlers]
        for store, handler in zip(stores, handlers.values(), strict=True):
            store.subscribe(handler(self._dirty.set))
        if self._own_informers:
            self._tasks.append(asyncio.create_task(self._inform(), name="the network's informers"))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_INFORMERS_TIMEOUT):
                await self._publish()
                for store in stores:
                    await store.synced.wait()
        self._tasks.append(asyncio.create_task(self._keep(stores), name="the network's rules"))
        await self._serve()
        await self.settled()

    async def _inform(self) -> None:
        async with asyncio.TaskGroup() as group:
            self._informers.start(group)

    async def _publish(self) -> None:
        """Create the Service kube-dns if it does not exist; users' changes to it stay."""
        try:
            await self._client.create(kube_dns(), kind=SERVICE, namespace="kube-system")
        except errors.AlreadyExists:
            return
        except errors.ApiError as error:
            log.warning("cannot create the Service kube-dns error=%s", error)

    async def _go_out(self) -> None:
        assert self._inside is not None
        if not self._wants_uplink:
            return
        self._uplink = Uplink(self._data_dir, self._inside)
        try:
            await self._uplink.start()
        except NoUplink as error:
            log.warning("%s", error)
            self._stuck["uplink"] = [str(error)]
        else:
            self._out = (UPLINK,)

    async def _serve(self) -> None:
        assert self._inside is not None
        udp = await self._inside.listen(DNS, 53, socket.SOCK_DGRAM)
        await self._dns.start(udp, await self._inside.listen(DNS, 53))
        self._api_relay = Relay(await self._inside.listen(API, 443), connect_to(*self._api), "api")
        try:
            await self._pod_socket.open()
        except OSError as error:
            self._stuck["pods.sock"] = [f"other processes cannot reach pods: cannot create pods.sock: {error}"]

    async def stop(self, *, pods: bool = False) -> None:
        """Stop what runs in the agent and, with `pods`, the uplink. Links disappear with their pods."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._pod_socket.close()
        await self._dns.stop()
        self._ports.close()
        if self._api_relay is not None:
            self._api_relay.close()
        if pods and self._uplink is not None:
            await self._uplink.stop()
        if self._inside is not None:
            await self._inside.stop()

    # Pods

    async def attach(self, uid: str, pid: int) -> str:
        """Attach a pod and return its address once its policies are in force. Idempotent."""
        assert self._inside is not None
        address = self._addresses.lease(uid)
        await self._inside.call("attach", pid, _link(uid), address)
        pods = self._store(POD)
        if len(self._store(POLICY)):
            await pods.until(lambda: bool(pods.filed("uid", uid)), _SYNC_TIMEOUT)
            await self.settled()
        else:
            self._dirty.set()
        return address

    async def detach(self, uid: str) -> None:
        assert self._inside is not None
        if uid in self._addresses.leases.by_uid:
            await self._inside.call("detach", _link(uid))
            self._addresses.release(uid)
            self._dirty.set()

    async def dial(self, ip: str, port: int) -> socket.socket:
        """Connect from the node to a pod or a Service."""
        assert self._inside is not None
        return await self._inside.dial(ip, port)

    async def dial_local(self, ip: str, pid: int, port: int) -> socket.socket:
        """Connect to a port of a pod, even if it listens only on its loopback address; `pid` is in its network."""
        del ip
        assert self._inside is not None
        return await self._inside.dial_local(pid, port)

    async def _dial_within(self, host: str, port: int, within: float) -> socket.socket:
        assert self._inside is not None
        return await self._inside.dial(host, port, within)

    async def _dial_kind(self, host: str, port: int, kind: socket.SocketKind) -> socket.socket:
        assert self._inside is not None
        return await self._inside.dial(host, port, kind=kind)

    async def _blank(self) -> socket.socket:
        assert self._inside is not None
        return await self._inside.new_socket()

    def resolv_conf(self, pod: Object) -> str:
        return resolv_conf(pod, self._host or host_resolver())

    def hosts(self, pod: Object, ip: str) -> str:
        return hosts(pod, ip)

    # Rules

    async def settled(self) -> None:
        """Wait until the rules match what the caches hold now."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._rounds.append(future)
        self._dirty.set()
        await future

    def _store(self, kind: Kind) -> Store[Object]:
        store = self._informers.store(kind)
        if kind is POD:
            store.add_index("uid", lambda pod: (str(dig(pod, "metadata", "uid")),))
        if kind is SLICE:
            store.add_index("service", _service_of)
        return store

    async def _keep(self, stores: list[Store[Object]]) -> None:
        for store in stores:
            await store.synced.wait()
        while True:
            await self._dirty.wait()
            if not self._rounds:
                await asyncio.sleep(_TOGETHER)
            self._dirty.clear()
            waiting, self._rounds = self._rounds, []
            try:
                await self._apply()
            except Exception as error:
                is_known = isinstance(error, OSError)
                log.error("cannot apply the nftables rules of the pods' network error=%s", error, exc_info=not is_known)
                self._stuck["rules"] = [f"cannot apply the nftables rules of the pods' network: {error}"]
                self._applied = None
                asyncio.get_running_loop().call_later(1.0, self._dirty.set)
            else:
                self._stuck.pop("rules", None)
            for future in waiting:
                if not future.done():
                    future.set_result(None)

    async def _apply(self) -> None:
        assert self._inside is not None
        self._name()
        wanted, ports = self.compile()
        if self._applied is None:
            messages = nft.replace_table(_TABLE, wanted)
        else:
            messages = nft.change_table(_TABLE, difference(self._applied, wanted))
        if messages:
            await self._inside.filter(messages)
        self._applied = wanted
        await self._flows.follow(wanted, self._inside)
        if self._loopback:
            self._ports.update(ports)
            self._stuck["ports"] = self._ports.problems

    def compile(self) -> tuple[Ruleset, set[ForwardedPort]]:
        """Compile the desired rules, and the machine's ports that are forwarded to pods."""
        rules, problems, ports = services.base(self._out, metadata=self._metadata), list[str](), set[ForwardedPort]()
        pods, members, host_ports = self._addressed(), list[Member](), list[Compiled]()
        for pod, address in pods:
            with self._contain(POD, pod):
                host_ports.append(compile_host_ports([(pod, address)]))
                if not dig(pod, "spec", "hostNetwork"):
                    members.append(member(pod, address))
        for compiled in (*self._services(), *host_ports):
            rules.add(compiled.rules)
            problems += compiled.problems
            ports.update(compiled.forwarded)
        found, more = self._policies(members)
        rules.add(found)
        self._stuck["spec"] = [*problems, *more]
        return rules, ports

    def _policies(self, members: list[Member]) -> tuple[Ruleset, list[str]]:
        namespaces = {str(n["metadata"]["name"]): dig_object(n, "metadata", "labels") for n in self._store(NAMESPACE)}
        return compile_policies(self._store(POLICY), members, namespaces, lambda policy: self._contain(POLICY, policy))

    def _contain(self, kind: Kind, obj: Object) -> Attempt:
        """Return a context that contains exceptions over an object, which then has no rules until it changes."""
        return self._client.faults.contain("pod network", obj, kind)

    def _services(self) -> list[Compiled]:
        """Return each Service's rules; unchanged Services reuse their previous result."""
        fresh: dict[tuple[str, str], tuple[Any, Compiled]] = {}
        slices = self._store(SLICE)
        for service in self._store(SERVICE):
            key = (str(service["metadata"]["namespace"]), str(service["metadata"]["name"]))
            pieces = slices.filed("service", "/".join(key))
            seen = (
                dig(service, "metadata", "resourceVersion"),
                [dig(p, "metadata", "resourceVersion") for p in pieces],
            )
            known = self._compiled.get(key)
            if known is None or known[0] != seen:
                known = (seen, Compiled(Ruleset()))
                with self._contain(SERVICE, service):
                    known = (seen, compile_service(service, pieces, self._node_name))
            fresh[key] = known
        self._compiled = fresh
        return [compiled for _, compiled in fresh.values()]

    def _addressed(self) -> list[tuple[Object, str]]:
        """Return the pods that have an address here and have not ended."""
        found: list[tuple[Object, str]] = []
        leased = self._addresses.leases.by_uid
        for pod in self._store(POD):
            if dig(pod, "status", "phase") in _ENDED:
                continue
            address = leased.get(str(dig(pod, "metadata", "uid"))) or dig(pod, "status", "podIP")
            if address and ":" not in address:
                found.append((pod, str(address)))
        return found

    def _name(self) -> None:
        names, slices = self._names, dict[tuple[str, str], list[Object]]()
        for piece in self._store(SLICE):
            owner = str(dig(piece, "metadata", "labels", SERVICE_NAME_LABEL))
            slices.setdefault((str(dig(piece, "metadata", "namespace")), owner), []).append(piece)
        names.services = {(s["metadata"]["namespace"], s["metadata"]["name"]): s for s in self._store(SERVICE)}
        names.slices = slices
        names.namespaces = {str(n["metadata"]["name"]) for n in self._store(NAMESPACE)}
        names.pods = {address: str(dig(pod, "metadata", "namespace")) for pod, address in self._addressed()}
        names.refresh_reverse()


class _Handler:
    """Calls back on any change."""

    def __init__(self, touch: Callable[[], None]) -> None:
        self._touch = touch

    def added(self, obj: Object, /) -> None:
        self._touch()

    def changed(self, old: Object, new: Object, /) -> None:
        self._touch()

    def deleted(self, obj: Object, /) -> None:
        self._touch()


class _PodHandler(_Handler):
    """Calls back when what rules and names are made of changes, and not whenever a pod's status is written."""

    def changed(self, old: Object, new: Object, /) -> None:
        if network_facts(old) != network_facts(new):
            self._touch()


def network_facts(pod: Object) -> tuple[Any, ...]:
    """What of a pod the network depends on. Compiling the rules reads all pods, and pods change often."""
    return (
        dig(pod, "metadata", "uid"),
        dig(pod, "metadata", "labels"),
        dig(pod, "spec"),
        dig(pod, "status", "podIP"),
        dig(pod, "status", "phase") in _ENDED,
    )


def _link(uid: str) -> str:
    return f"wl{hashlib.sha256(uid.encode()).hexdigest()[:8]}"


def _service_of(piece: Object) -> list[str]:
    name = dig(piece, "metadata", "labels", SERVICE_NAME_LABEL)
    return [f"{dig(piece, 'metadata', 'namespace')}/{name}"] if name else []
