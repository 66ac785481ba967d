"""Whether an address can be listened on, and if not, why and what to type instead."""

import errno
import socket

from windlass.supervisor import process
from windlass.supervisor.errors import SupervisorError

LOOPBACK = ("127.0.0.1", "::1", "localhost")
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}


def settle(listen: str, port: int, *, command: str) -> int:
    """The port to listen on: the one given if it is free, any free one for 0. `command` is named in the advice."""
    family, address = _resolve(listen, port)
    error = _try(family, address)
    if isinstance(error, int):
        return error
    if error.errno == errno.EADDRINUSE:
        raise SupervisorError(
            f"port {port} is taken by {owner(port)}. Stop it, or: {command} --port {free_after(listen, port)}"
        )
    if error.errno == errno.EACCES:
        raise SupervisorError(f"port {port} needs root. Take one from 1024 up: {command} --port 6443")
    if error.errno == errno.EADDRNOTAVAIL:
        raise SupervisorError(f"{listen} is not an address of this machine. Leave --listen out for 127.0.0.1")
    raise SupervisorError(f"cannot listen on {listen} port {port}: {error.strerror}") from error


def owner(port: int) -> str:
    pid = process.listener(port)
    return f"pid {pid} ({process.name(pid)})" if pid else "another program"


def free_after(listen: str, port: int) -> int:
    """The next free port, so that the advice can be typed as it stands."""
    for candidate in range(port + 1, min(port + 200, 65536)):
        family, address = _resolve(listen, candidate)
        if isinstance(_try(family, address), int):
            return candidate
    return 0


def url(listen: str, port: int) -> str:
    """Where a program on this machine finds it."""
    host = EVERYWHERE.get(listen, listen)
    return f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"


def _resolve(listen: str, port: int) -> tuple[int, tuple[object, ...]]:
    try:
        family, _, _, _, address = socket.getaddrinfo(
            listen or "0.0.0.0", port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise SupervisorError(f"--listen {listen}: {error.strerror}. Give an address of this machine") from error
    return family, address


def _try(family: int, address: tuple[object, ...]) -> int | OSError:
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
            probe.listen(1)
        except OSError as error:
            return error
        return probe.getsockname()[1]
