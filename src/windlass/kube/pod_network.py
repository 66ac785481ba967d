"""Connections into the pods' network, for processes that are not in it.

The node agent listens on a Unix socket: who may open it sends `{"host": …, "port": …}` and gets a connected TCP socket
back (SCM_RIGHTS), made inside the pods' network, or with `{"blank": true}` one that is not connected yet.
Nothing passes through the agent after that.
"""

import asyncio
import socket
from ipaddress import AddressValueError, IPv4Address, IPv4Network
from pathlib import Path

from windlass.kube.json import decode, dig, encode

PODS, SERVICES = IPv4Network("10.244.0.0/16"), IPv4Network("10.96.0.0/16")
_LARGEST = 4096


def is_inside(host: str) -> bool:
    """Whether an address is one of a pod or of a Service."""
    try:
        address = IPv4Address(host)
    except AddressValueError:
        return False
    return address in PODS or address in SERVICES


async def dial(socket_path: Path, host: str, port: int, timeout: float = 10) -> socket.socket:  # noqa: ASYNC109 - the dial's own
    """A connected, non-blocking socket. Raises OSError; TimeoutError, which is one, when nobody answers in time."""
    loop = asyncio.get_running_loop()
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    door.setblocking(False)
    try:
        async with asyncio.timeout(timeout + 1):
            await loop.sock_connect(door, str(socket_path))
            await loop.sock_sendall(door, encode({"host": host, "port": port, "timeout": timeout}) + b"\n")
            return await _received(loop, door)
    except TimeoutError as error:
        raise TimeoutError(f"dial tcp {host}:{port}: i/o timeout") from error
    finally:
        door.close()


def blank(socket_path: Path, timeout: float = 1.0) -> socket.socket:
    """A TCP socket that lives in the pods' network and is not connected yet. Waits, but for this machine only."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        door.settimeout(timeout)
        door.connect(str(socket_path))
        door.sendall(encode({"blank": True}) + b"\n")
        return _taken(*socket.recv_fds(door, _LARGEST, 1)[:2])


async def _received(loop: asyncio.AbstractEventLoop, door: socket.socket) -> socket.socket:
    readable: asyncio.Future[None] = loop.create_future()
    loop.add_reader(door, lambda: None if readable.done() else readable.set_result(None))
    try:
        await readable
    finally:
        loop.remove_reader(door)
    return _taken(*socket.recv_fds(door, _LARGEST, 1)[:2])


def _taken(data: bytes, descriptors: list[int]) -> socket.socket:
    if descriptors:
        connection = socket.socket(fileno=descriptors[0])
        connection.setblocking(False)
        return connection
    if not data:
        raise ConnectionError("the node agent hung up")
    answer = decode(data)
    raise OSError(int(dig(answer, "errno") or 0), str(dig(answer, "error")))
