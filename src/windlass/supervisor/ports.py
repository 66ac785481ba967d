"""Checks whether an address can be listened on, and if not, suggests what to run instead."""

import errno
import socket

from windlass.supervisor import process
from windlass.supervisor.errors import SupervisorError

LOOPBACK = ("127.0.0.1", "::1", "localhost")
WILDCARD_ADDRESSES = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}


def choose_port(listen: str, port: int, *, command: str, flag_prefix: str = "", usual: int = 6443) -> int:
    """The port to listen on: the one given if it is free, any free one for 0.

    The advice names `command` and its flags, which are --listen and --port with `flag_prefix`.
    """
    listen_flag, port_flag = f"--{flag_prefix}listen", f"--{flag_prefix}port"
    family, address = _resolve(listen, port, listen_flag)
    error = _try(family, address)
    if isinstance(error, int):
        return error
    if error.errno == errno.EADDRINUSE:
        raise SupervisorError(
            f"port {port} is taken by {owner(port)}. Stop it, or: {command} {port_flag} {free_after(listen, port)}"
        )
    if error.errno == errno.EACCES:
        raise SupervisorError(f"port {port} needs root. Use one from 1024 up: {command} {port_flag} {usual}")
    if error.errno == errno.EADDRNOTAVAIL:
        raise SupervisorError(f"{listen} is not an address of this machine. Leave {listen_flag} out for 127.0.0.1")
    raise SupervisorError(f"cannot listen on {listen} port {port}: {error.strerror}") from error


def owner(port: int) -> str:
    pid = process.listener(port)
    return f"pid {pid} ({process.name(pid)})" if pid else "another program"


def free_after(listen: str, port: int) -> int:
    """The next free port, so that the suggested command works as it is."""
    for candidate in range(port + 1, min(port + 200, 65536)):
        family, address = _resolve(listen, candidate)
        if isinstance(_try(family, address), int):
            return candidate
    return 0


def url(listen: str, port: int, scheme: str = "https") -> str:
    """Where a program on this machine finds it."""
    return url_of_listener(WILDCARD_ADDRESSES.get(listen, listen), port, scheme)


def url_of_listener(listen: str, port: int, scheme: str) -> str:
    """With the address as it was given, which may stand for every address."""
    host = listen or "0.0.0.0"
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def _resolve(listen: str, port: int, listen_flag: str = "--listen") -> tuple[int, tuple[object, ...]]:
    try:
        family, _, _, _, address = socket.getaddrinfo(
            listen or "0.0.0.0", port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise SupervisorError(f"{listen_flag} {listen}: {error.strerror}. Give an address of this machine") from error
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
