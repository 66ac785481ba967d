"""What runs in a test's pod: does what it is told on stdin, a line of JSON each, and answers with one."""

import json
import socket
import sys
import threading
from pathlib import Path
from typing import Any


def serve(port: int, text: str) -> bool:
    """Answer everyone who connects with `text` and where they came from; then echo, line by line."""
    listener = socket.create_server(("0.0.0.0", port))

    def one(connection: socket.socket, source: str) -> None:
        with connection, connection.makefile("rwb") as lines:
            lines.write(f"{text} {source}\n".encode())
            lines.flush()
            for line in lines:
                lines.write(line)
                lines.flush()

    def run() -> None:
        while True:
            connection, (source, _) = listener.accept()
            threading.Thread(target=one, args=(connection, source), daemon=True).start()

    threading.Thread(target=run, daemon=True).start()
    return True


def serve_http(port: int, text: str) -> bool:
    """One request."""
    listener = socket.create_server(("0.0.0.0", port))

    def run() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(f"HTTP/1.1 200 OK\r\ncontent-length: {len(text)}\r\n\r\n{text}".encode())

    threading.Thread(target=run, daemon=True).start()
    return True


def serve_udp(port: int, text: str) -> bool:
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.bind(("0.0.0.0", port))

    def run() -> None:
        while True:
            _, source = listener.recvfrom(100)
            listener.sendto(text.encode(), source)

    threading.Thread(target=run, daemon=True).start()
    return True


def echo_udp(port: int) -> bool:
    """Everyone gets back what he sent."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.bind(("0.0.0.0", port))

    def run() -> None:
        while True:
            listener.sendto(*listener.recvfrom(65535))

    threading.Thread(target=run, daemon=True).start()
    return True


_open: dict[str, socket.socket] = {}


def fetch(host: str, port: int, timeout: float = 20.0) -> str:
    try:
        with socket.create_connection((host, port), timeout) as connection:
            return connection.makefile().readline().strip()
    except OSError as error:
        return type(error).__name__


def fetch_udp(host: str, port: int, data: str = "", timeout: float = 20.0) -> str:
    """Hexadecimal out and in."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        connection.settimeout(timeout)
        try:
            connection.connect((host, port))
            connection.send(bytes.fromhex(data) or b"?")
            return connection.recv(4096).hex()
        except OSError as error:
            return type(error).__name__


def ipv6_addresses() -> list[str]:
    """Addresses of this namespace but that of its loopback, as the kernel writes them."""
    try:
        lines = Path("/proc/net/if_inet6").read_text().splitlines()
    except FileNotFoundError:  # a kernel without IPv6
        return []
    return [line.split()[0] for line in lines if line.split()[-1] != "lo"]


def tcp_opens(host: str, port: int) -> bool:
    with socket.create_connection((host, port), 20):
        return True


def hold(name: str, host: str, port: int) -> str:
    _open[name] = socket.create_connection((host, port), 20)
    return _open[name].recv(100).decode().strip()


def say(name: str, text: str) -> str:
    _open[name].sendall(text.encode() + b"\n")
    return _open[name].recv(100).decode().strip()


def say_udp(name: str, host: str, port: int) -> str:
    """With the same socket each time."""
    if name not in _open:
        _open[name] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        _open[name].settimeout(0.3)
        _open[name].connect((host, port))
    try:
        _open[name].send(b"?")
        return _open[name].recv(100).decode()
    except OSError as error:
        return type(error).__name__


def link_to(pid: int, here: str, there: str) -> bool:
    """This network becomes a machine whose default route is the network of another process."""
    from windlass.node.network import links
    from windlass.node.network.netlink import NETLINK_ROUTE, NetlinkSocket

    route = NetlinkSocket(NETLINK_ROUTE)
    with Path(f"/proc/{pid}/ns/net").open("rb") as namespace:
        macs = b"\x0a\0\0\0\0\1", b"\x0a\0\0\0\0\2"
        route.send([links.up(1), links.veth("eth0", macs[0], "eth0", macs[1], namespace.fileno(), 1500)])
    index = socket.if_nametoindex("eth0")
    route.send([links.address(index, here, 24), links.route(index, "0.0.0.0/0", via=there)])
    route.close()
    return True


def has_link(address: str) -> bool:
    """The far end of such a link."""
    from windlass.node.network import links
    from windlass.node.network.netlink import NETLINK_ROUTE, NetlinkSocket

    route = NetlinkSocket(NETLINK_ROUTE)
    index = socket.if_nametoindex("eth0")
    route.send([links.up(1), links.up(index), links.address(index, address, 24)])
    route.close()
    return True


def main() -> None:
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        serving = (serve, serve_http, serve_udp, echo_udp)
        asking = (fetch, fetch_udp, tcp_opens, hold, say, say_udp, ipv6_addresses)
        commands: dict[str, Any] = {f.__name__: f for f in (*serving, *asking, link_to, has_link)}
        sys.stdout.write(json.dumps(commands[name](*arguments)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
