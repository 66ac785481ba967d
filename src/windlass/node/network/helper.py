"""The process that works inside the node's network: `python -m windlass.node.network.helper FD USER NET`.

It joins the node's user namespace (an ordinary user's only) and network namespace, given as the descriptors USER and
NET, and serves requests over the socket FD: frames of a length and msgpack `[number, operation, arguments]`, answered
with `[number, error, result, descriptors]`. It keeps no state: what it creates lives in the kernel, so a new helper
continues where an old one ended.
"""

import ctypes
import os
import socket
import struct
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from errno import ENODEV, ENOENT
from pathlib import Path
from typing import Any

import msgspec

from windlass.node.network import conntrack, links, nft
from windlass.node.network.netlink import NETLINK_NETFILTER, NETLINK_ROUTE, Message, NetlinkSocket
from windlass.node.network.plan import (
    API,
    DNS,
    GATEWAY,
    GATEWAY_MAC,
    MTU,
    NODE,
    SERVICES,
    pod_mac,
)

_NEW_USER, _NEW_NET = 0x10000000, 0x40000000
_LOOPBACK = 1  # every namespace's first link
_libc = ctypes.CDLL(None, use_errno=True)
_SYSCTLS = {
    "ipv4/ip_forward": "1",
    "ipv4/ip_unprivileged_port_start": "0",
    "ipv4/conf/all/send_redirects": "0",
    "ipv4/conf/default/send_redirects": "0",
    "ipv4/conf/all/rp_filter": "1",
    "ipv4/conf/default/rp_filter": "1",
    "ipv6/conf/default/disable_ipv6": "1",
    "netfilter/nf_conntrack_tcp_be_liberal": "1",
    "ipv4/neigh/default/gc_thresh3": "4096",
}
_POD_SYSCTLS = {
    "ipv4/ip_unprivileged_port_start": ("1024", "0"),
    "ipv6/conf/default/disable_ipv6": ("0", "1"),
}


def set_namespace(descriptor: int, kind: int) -> None:
    """Join a namespace with the calling thread."""
    if _libc.setns(descriptor, kind) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"cannot join the namespace: {os.strerror(code)}")


def join(user: int, net: int) -> None:
    """Join a user namespace, if it is another, and a network namespace."""
    mine = Path("/proc/self/ns/user").stat()
    if os.fstat(user).st_ino != mine.st_ino:
        set_namespace(user, _NEW_USER)
    set_namespace(net, _NEW_NET)
    os.close(user)
    os.close(net)


def write_sysctl(name: str, text: str) -> None:
    """Set a sysctl, best effort: one that an older kernel lacks, or an ordinary user may not set, stays unchanged."""
    with suppress(OSError):
        Path("/proc/sys/net", name).write_text(text)


class Helper:
    """The operations. Each runs on a thread of a small pool, in the node's namespace."""

    def __init__(self) -> None:
        self._home = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        self._route = NetlinkSocket(NETLINK_ROUTE)
        self._filter = NetlinkSocket(NETLINK_NETFILTER)
        self._routing, self._filtering = threading.Lock(), threading.Lock()

    def operations(self) -> dict[str, Callable[..., Any]]:
        return {
            "setup": self.setup,
            "attach": self.attach,
            "detach": self.detach,
            "filter": self.filter,
            "udp_flows": self.udp_flows,
            "forget": self.forget,
            "sockets": self.sockets,
            "sockets_of": self.sockets_of,
            "uplink": self.uplink,
            "links": self.links,
        }

    def setup(self) -> None:
        for name, text in _SYSCTLS.items():
            write_sysctl(name, text)
        with self._routing:
            wanted = [links.address(_LOOPBACK, each) for each in (NODE, API, DNS)]
            self._route.send([links.up(_LOOPBACK), *wanted, links.route(_LOOPBACK, str(SERVICES), source=NODE)])

    def attach(self, pid: int, name: str, address: str) -> None:
        """Give the pod of that process its link and address; what exists already stays."""
        namespace = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        try:
            inside = self._inside(namespace)
            try:
                self._attach(inside, namespace, name, address)
            finally:
                inside.close()
        finally:
            os.close(namespace)

    def _attach(self, inside: NetlinkSocket, namespace: int, name: str, address: str) -> None:
        found = inside.ask(links.get_link("eth0"))
        with self._routing:
            if found is None:
                self._route.send([links.delete_link(name)], ignore=frozenset({ENODEV}))
                pair = links.veth(name, GATEWAY_MAC, "eth0", pod_mac(address), namespace, MTU)
                self._route.send([pair])
            near = socket.if_nametoindex(name)
            self._route.send(
                [links.route(near, f"{address}/32", source=NODE), links.neighbour(near, address, pod_mac(address))]
            )
        if found is None:
            found = inside.ask(links.get_link("eth0"))
            if found is None:
                raise OSError(ENODEV, f"the link of {address} is gone again")
            far = links.index_of(found)
            inside.send(
                [
                    links.up(_LOOPBACK),
                    links.up(far),
                    links.address(far, address),
                    links.neighbour(far, GATEWAY, GATEWAY_MAC),
                    links.route(far, "0.0.0.0/0", via=GATEWAY),
                ]
            )

    def _inside(self, namespace: int) -> NetlinkSocket:
        """Yield a socket that works in a pod's namespace; the thread returns to the node's afterwards."""
        set_namespace(namespace, _NEW_NET)
        try:
            for name, (usual, wanted) in _POD_SYSCTLS.items():
                path = Path("/proc/sys/net", name)
                with suppress(OSError):
                    if path.read_text().strip() == usual:
                        path.write_text(wanted)
            return NetlinkSocket(NETLINK_ROUTE)
        finally:
            set_namespace(self._home, _NEW_NET)

    def detach(self, name: str) -> None:
        mine = NetlinkSocket(NETLINK_ROUTE)  # removal waits for the kernel; nobody else should wait with it
        try:
            mine.send([links.delete_link(name)], ignore=frozenset({ENODEV, ENOENT}))
        finally:
            mine.close()

    def filter(self, messages: list[tuple[int, int, bytes, str]]) -> None:
        with self._filtering:
            self._filter.batch(nft.BEGIN, [Message(*each) for each in messages], nft.END)

    def udp_flows(self) -> list[conntrack.Flow]:
        with self._filtering:
            return list(conntrack.udp_flows(self._filter.dump(conntrack.LIST_FLOWS)))

    def forget(self, flows: list[list[Any]]) -> None:
        """Delete flows; those that have ended meanwhile are ignored."""
        with self._filtering:
            for flow in flows:
                self._filter.send([conntrack.forget(conntrack.Flow(*flow))], ignore=frozenset({ENOENT}))

    def sockets(self, kind: int, count: int) -> list[socket.socket]:
        return [socket.socket(socket.AF_INET, kind) for _ in range(count)]

    def sockets_of(self, pid: int, kind: int, count: int) -> list[socket.socket]:
        """Create sockets in the network of a pod, given one of its processes."""
        namespace = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        try:
            set_namespace(namespace, _NEW_NET)
            try:
                return self.sockets(kind, count)
            finally:
                set_namespace(self._home, _NEW_NET)
        finally:
            os.close(namespace)

    def uplink(self, name: str, address: str, length: int, gateway: str) -> None:
        """Configure the node's end of an uplink that another process created."""
        with self._routing:
            index = socket.if_nametoindex(name)
            self._route.send([links.up(index), links.address(index, address, length)])
            self._route.send([links.route(index, "0.0.0.0/0", via=gateway)])

    def links(self) -> list[str]:
        return [name for _, name in socket.if_nameindex()]


def serve(connection: socket.socket) -> None:
    """Serve requests until the other side is gone."""
    helper = Helper()
    operations = helper.operations()
    sending = threading.Lock()

    def perform(number: int, operation: str, arguments: list[Any]) -> None:
        result, error, descriptors = None, None, list[socket.socket]()
        try:
            result = operations[operation](*arguments)
        except OSError as failure:
            error = [failure.errno or 0, str(failure)]
        if operation in ("sockets", "sockets_of") and result is not None:
            descriptors, result = result, None
        body = msgspec.msgpack.encode([number, error, result, len(descriptors)])
        frame = struct.pack("=I", len(body)) + body
        with sending:
            sent = socket.send_fds(connection, [frame], [each.fileno() for each in descriptors])
            connection.sendall(frame[sent:])
        for each in descriptors:
            each.close()

    with ThreadPoolExecutor(4) as pool, connection.makefile("rb") as requests:
        while header := requests.read(4):
            body = requests.read(struct.unpack("=I", header)[0])
            pool.submit(perform, *msgspec.msgpack.decode(body))


def main() -> None:
    descriptor, user, net = map(int, sys.argv[1:4])
    join(user, net)
    # The agent was killed, with answers that it had not read.
    with socket.socket(fileno=descriptor) as connection, suppress(ConnectionError):
        serve(connection)


if __name__ == "__main__":
    main()
