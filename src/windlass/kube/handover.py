"""Take a connection over from aiohttp.web, for what follows `101 Switching Protocols` and is not HTTP.

    with upgraded_streams(request, headers) as (reader, writer): ...    # as asyncio.open_connection returns them
    return HandedOver()

    hand_over(request, headers, protocol)                               # an asyncio.Protocol is called instead

The connection is closed when the handler returns. A handler whose client goes is cancelled, as any other.
"""

import asyncio
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any, cast

from aiohttp import web
from aiohttp.abc import AbstractStreamWriter

Headers = Iterable[tuple[bytes, bytes]]


class HandedOver(web.StreamResponse):
    """What a handler returns for a connection that it has taken over: nothing more is sent."""

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        return None

    async def write_eof(self, data: bytes = b"") -> None:
        return None


def hand_over(request: web.Request, headers: Headers, protocol: asyncio.Protocol) -> asyncio.Transport:
    """Send 101 with the headers, and let `protocol` have the connection from here on.

    Raises ConnectionResetError if the client has gone.
    """
    transport = request.transport
    if transport is None:
        raise ConnectionResetError("the client has gone")
    lines = [b"HTTP/1.1 101 Switching Protocols", *(name + b": " + value for name, value in headers)]
    transport.write(b"\r\n".join(lines) + b"\r\n\r\n")
    protocol.connection_made(transport)
    # A parser is given what came after the request in the same packet, and aiohttp has no other way to hand that out.
    request.protocol.set_parser(cast(Any, _EarlyBytes(protocol)))
    transport.set_protocol(_Relay(protocol, request.protocol))
    return transport


@contextmanager
def upgraded_streams(
    request: web.Request, headers: Headers
) -> Generator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Send 101 with the headers, and give the connection as streams while the block runs.

    Raises ConnectionResetError if the client has gone.
    """
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    transport = hand_over(request, headers, protocol)
    writer = asyncio.StreamWriter(transport, protocol, reader, asyncio.get_running_loop())
    try:
        yield reader, writer
    finally:
        writer.close()


class _EarlyBytes:
    """In the place of aiohttp's WebSocket reader."""

    def __init__(self, protocol: asyncio.Protocol) -> None:
        self._protocol = protocol

    def feed_data(self, data: bytes) -> tuple[bool, bytes]:
        self._protocol.data_received(data)
        return False, b""

    def feed_eof(self) -> None:
        return None


class _Relay(asyncio.Protocol):
    """Calls the new protocol, and both when the connection ends: aiohttp counts its connections."""

    def __init__(self, protocol: asyncio.Protocol, server: asyncio.Protocol) -> None:
        self._protocol, self._server = protocol, server

    def data_received(self, data: bytes) -> None:
        self._protocol.data_received(data)

    def eof_received(self) -> bool | None:
        return self._protocol.eof_received()

    def pause_writing(self) -> None:
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        self._protocol.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._protocol.connection_lost(exc)
        self._server.connection_lost(exc)
