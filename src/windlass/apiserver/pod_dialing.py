"""Connections from the server to pods and Services: through the node agent's socket, if there is one.

Their addresses are valid only inside the pods' network. Without a node agent they are dialled directly.
"""

import asyncio
import socket
from pathlib import Path
from typing import Any

from windlass.kube import pod_network

_doors: dict[asyncio.AbstractEventLoop, Path] = {}


def use(door: Path) -> None:
    """Use a dialer from now on, on this event loop."""
    _doors[asyncio.get_running_loop()] = door


def forget() -> None:
    _doors.pop(asyncio.get_running_loop(), None)


def _door_to(host: str) -> Path | None:
    door = _doors.get(asyncio.get_running_loop())
    return door if door is not None and pod_network.is_inside(host) and door.exists() else None


async def dialled(host: str, port: int, within: float) -> socket.socket | None:
    """Open a connection into the pods' network; None if the address is elsewhere or no agent is available."""
    door = _door_to(host)
    return await pod_network.dial(door, host, port, within) if door is not None else None


def socket_for(where: tuple[Any, Any, int, str, tuple[Any, ...]]) -> socket.socket:
    """The socket factory for aiohttp: a socket in the pods' network for pods and Services."""
    family, kind, protocol, _, address = where
    door = _door_to(str(address[0]))
    if door is not None:
        return pod_network.blank(door)
    return socket.socket(family, kind, protocol)
