"""Relays TCP connections between two networks: a listener in one, a connection in the other per client."""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable
from typing import cast

log = logging.getLogger(__name__)

Connect = Callable[[], Awaitable[socket.socket]]


class _Side(asyncio.Protocol):
    """One end of a connection: forwards what arrives to the other end with back-pressure, including an end of data."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.other: _Side | None = None
        self._ended = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.transport.pause_reading()  # until there is somewhere to pass it on to

    @property
    def _far(self) -> asyncio.Transport | None:
        return self.other.transport if self.other else None

    def data_received(self, data: bytes) -> None:
        if self._far:
            self._far.write(data)

    def eof_received(self) -> bool:
        self._ended = True
        if self.other and self.other._ended:
            return False
        if self._far and not self._far.is_closing():
            self._far.write_eof()
        return True

    def pause_writing(self) -> None:
        if self._far:
            self._far.pause_reading()

    def resume_writing(self) -> None:
        if self._far and not self._far.is_closing():
            self._far.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._far:
            self._far.close()


class Relay:
    """Serves one listening socket until closed; open connections continue."""

    def __init__(self, listener: socket.socket, connect: Connect, name: str) -> None:
        self._listener, self._connect, self._name = listener, connect, name
        self._joining: set[asyncio.Task[None]] = set()
        self._task = asyncio.create_task(self._run(), name=f"relay {name}")

    def close(self) -> None:
        self._task.cancel()
        self._listener.close()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                near, _ = await loop.sock_accept(self._listener)
            except OSError as error:
                if self._listener.fileno() < 0:
                    return
                log.warning("cannot accept a connection relay=%s error=%s", self._name, error)
                await asyncio.sleep(0.2)
                continue
            task = asyncio.create_task(self._join(near))
            self._joining.add(task)
            task.add_done_callback(self._joining.discard)

    async def _join(self, near: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        try:
            far = await self._connect()
        except OSError as error:
            log.debug("no endpoint answers relay=%s error=%s", self._name, error)
            near.close()
            return
        here, there = _Side(), _Side()
        here.other, there.other = there, here
        await loop.create_connection(lambda: there, sock=far)
        await loop.create_connection(lambda: here, sock=near)
        for side in (here, there):
            if side.transport and not side.transport.is_closing():
                side.transport.resume_reading()


def connect_to(host: str, port: int, kind: socket.SocketKind = socket.SOCK_STREAM) -> Connect:
    """Return a function that connects from this process' own network."""

    async def connect() -> socket.socket:
        connection = socket.socket(socket.AF_INET, kind)
        connection.setblocking(False)
        try:
            async with asyncio.timeout(10):
                await asyncio.get_running_loop().sock_connect(connection, (host, port))
        except BaseException:
            connection.close()
            raise
        return connection

    return connect


def listen_on(address: str, port: int, kind: socket.SocketKind = socket.SOCK_STREAM) -> socket.socket:
    """Listen on an address. Raises OSError if the port is taken, or the address is not this machine's."""
    listener = socket.socket(socket.AF_INET, kind)
    try:
        if kind == socket.SOCK_STREAM:  # two datagram sockets that reuse an address would both have it
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        if kind == socket.SOCK_STREAM:
            listener.listen(128)
    except OSError:
        listener.close()
        raise
    listener.setblocking(False)
    return listener
