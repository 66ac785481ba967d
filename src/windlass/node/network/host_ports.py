"""Ports of the machine itself that lead into the pods' network: node ports and host ports."""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Iterable
from functools import partial

from windlass.node.network.datagrams import DatagramRelay
from windlass.node.network.relay import Connect, Relay, listen_on
from windlass.node.network.services import Reached

log = logging.getLogger(__name__)

Dial = Callable[[str, int, socket.SocketKind], Awaitable[socket.socket]]
KINDS = {"TCP": socket.SOCK_STREAM, "UDP": socket.SOCK_DGRAM}
_AGAIN = 5.0  # seconds after which a port that somebody else holds is tried again


def relay(listener: socket.socket, connect: Connect, name: str) -> Relay | DatagramRelay:
    """As the socket's kind needs it."""
    if listener.type == socket.SOCK_DGRAM:
        return DatagramRelay(listener, connect, name)
    return Relay(listener, connect, name)


class HostPorts:
    """Those that are open. `dial` connects from the node; `again` is called when a port should be tried again."""

    def __init__(self, dial: Dial, again: Callable[[], None]) -> None:
        self._dial, self._again = dial, again
        self._relays: dict[Reached, Relay | DatagramRelay] = {}
        self.problems: list[str] = []

    def reach(self, wanted: Iterable[Reached]) -> None:
        """Have these open and no others; `problems` are those that cannot be."""
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
                asyncio.get_running_loop().call_later(_AGAIN, self._again)
        if busy != self.problems:
            for problem in busy:
                log.warning("%s", problem)
        self.problems = busy

    def _open(self, reached: Reached) -> None:
        kind = KINDS[reached.protocol]
        listener = listen_on(reached.at, reached.port, kind)
        connect = partial(self._dial, *reached.to, kind)
        self._relays[reached] = relay(listener, connect, f"port {reached.port}/{reached.protocol}")

    def close(self) -> None:
        for each in self._relays.values():
            each.close()
