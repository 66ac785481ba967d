"""HTTP/2 connections to backends, each shared by up to MAX_STREAMS streams of any clients."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

from h2.errors import ErrorCodes

from windlass.gateway.proxy.http2.connection import MAX_STREAMS, Connection, Headers, Stream
from windlass.gateway.proxy.upstream import Address

IDLE_TIMEOUT = timedelta(seconds=55)
_NOT_PASSED = frozenset({b"connection", b"keep-alive", b"proxy-connection", b"transfer-encoding", b"upgrade"})


_ORDINARY_ENDS = frozenset({ErrorCodes.NO_ERROR, ErrorCodes.CANCEL})


def _ignore(_: int) -> None:
    return None


class BackendStream(Stream):
    """A request that was sent on. `on_response` is called once, with the headers of the response."""

    def __init__(self, connection: Connection, number: int) -> None:
        super().__init__(connection, number)
        self.on_response: Callable[[Headers, bool], None] | None = None
        self.on_broken: Callable[[int], None] = _ignore
        """Called with the code by which the backend breaks the request off."""

    def received_reset(self, code: int) -> None:
        if code not in _ORDINARY_ENDS and not self.is_closed:
            self.on_broken(code)
        super().received_reset(code)


class BackendConnection(Connection):
    is_client_side = True

    def __init__(self) -> None:
        super().__init__()
        self._closing: asyncio.TimerHandle | None = None

    @property
    def has_room(self) -> bool:
        limit = min(MAX_STREAMS, self.h2.remote_settings.max_concurrent_streams)
        return self.transport is not None and not self.is_going_away and len(self.streams) < limit

    def begin(self, headers: Headers, on_response: Callable[[Headers, bool], None]) -> BackendStream:
        """Send a request's headers on a new stream."""
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None
        stream = BackendStream(self, self.h2.get_next_available_stream_id())
        stream.on_response = on_response
        self.streams[stream.number] = stream
        stream.send_headers(headers)
        return stream

    def opened(self, number: int, headers: Headers, *, is_end: bool) -> None:
        stream = self.streams.get(number)
        if isinstance(stream, BackendStream) and stream.on_response is not None:
            passed = [(name, value) for name, value in headers if name not in _NOT_PASSED]
            stream.on_response(passed, is_end)

    def idle(self) -> None:
        if self.is_going_away:
            self.close()
        elif self.transport is not None and self._closing is None:
            self._closing = asyncio.get_running_loop().call_later(IDLE_TIMEOUT.total_seconds(), self.close)


Dial = Callable[[Address], Awaitable[BackendConnection]]


class BackendConnections:
    """Open connections by address."""

    def __init__(self, dial: Dial) -> None:
        self._dial = dial
        self._open: dict[Address, list[BackendConnection]] = {}
        self._dialling: dict[Address, asyncio.Lock] = {}

    async def get(self, address: Address) -> BackendConnection:
        """A connection with room for one more stream. Raises BackendFailed."""
        if (known := self._with_room(address)) is not None:
            return known
        async with self._dialling.setdefault(address, asyncio.Lock()):
            if (known := self._with_room(address)) is not None:
                return known
            connection = await self._dial(address)
            self._open.setdefault(address, []).append(connection)
            return connection

    def _with_room(self, address: Address) -> BackendConnection | None:
        alive = [connection for connection in self._open.get(address, ()) if connection.transport is not None]
        if alive:
            self._open[address] = alive
        else:
            self._open.pop(address, None)
        return next((connection for connection in alive if connection.has_room), None)

    def close(self) -> None:
        for connections in self._open.values():
            for connection in connections:
                connection.close()
        self._open.clear()
