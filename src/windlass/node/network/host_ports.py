"""Ports of the machine itself that are forwarded into the pods' network: node ports and host ports."""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Iterable
from functools import partial

from windlass.node.network.datagrams import DatagramRelay
from windlass.node.network.relay import Connect, Relay, listen_on
from windlass.node.network.services import ForwardedPort

log = logging.getLogger(__name__)

Dial = Callable[[str, int, socket.SocketKind], Awaitable[socket.socket]]
KINDS = {"TCP": socket.SOCK_STREAM, "UDP": socket.SOCK_DGRAM}
_RETRY_DELAY = 5.0  # seconds after which a port that another process holds is tried again


def relay(listener: socket.socket, connect: Connect, name: str) -> Relay | DatagramRelay:
    """Return a relay for the socket's type."""
    if listener.type == socket.SOCK_DGRAM:
        return DatagramRelay(listener, connect, name)
    return Relay(listener, connect, name)


class HostPorts:
    """The open ports. `dial` connects from the node; `retry` is called when a port should be tried again."""

    def __init__(self, dial: Dial, retry: Callable[[], None]) -> None:
        self._dial, self._retry = dial, retry
        self._relays: dict[ForwardedPort, Relay | DatagramRelay] = {}
        self.problems: list[str] = []

    def update(self, wanted: Iterable[ForwardedPort]) -> None:
        """Open these ports and close all others; `problems` lists those that cannot be opened."""
        wanted = set(wanted)
        for key in [key for key in self._relays if key not in wanted]:
            self._relays.pop(key).close()
        busy: list[str] = []
        for each in sorted(wanted - set(self._relays)):
            try:
                self._open(each)
            except OSError as error:
                port = each.port if each.protocol == "TCP" else f"{each.port}/{each.protocol}"
                busy.append(f"port {port} cannot be opened on {each.at}: {error.strerror}")
                asyncio.get_running_loop().call_later(_RETRY_DELAY, self._retry)
        if busy != self.problems:
            for problem in busy:
                log.warning("%s", problem)
        self.problems = busy

    def _open(self, forwarded: ForwardedPort) -> None:
        kind = KINDS[forwarded.protocol]
        listener = listen_on(forwarded.at, forwarded.port, kind)
        connect = partial(self._dial, *forwarded.to, kind)
        self._relays[forwarded] = relay(listener, connect, f"port {forwarded.port}/{forwarded.protocol}")

    def close(self) -> None:
        for each in self._relays.values():
            each.close()
