"""Upgraded connections (WebSocket and others): bytes in both directions, unread, until either side ends.

The frames are neither decoded nor held, so an open WebSocket costs two sockets and little else.
"""

import asyncio
from collections.abc import Callable
from typing import Any, cast

from aiohttp import web
from aiohttp.abc import AbstractStreamWriter

from windlass.gateway.proxy.upstream import BackendFailed, Upstream

HIGH_WATER, LOW_WATER = 1 << 20, 1 << 18  # bytes that wait for a slow client
CHECK_SECONDS = 0.05


def _ignore() -> None:
    return None


class Tunnelled(web.StreamResponse):
    """What a handler returns when the connection has been used up by a tunnel."""

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        return None

    async def write_eof(self, data: bytes = b"") -> None:
        return None


class Tunnel:
    """One open tunnel."""

    def __init__(self, request: web.Request, upstream: Upstream) -> None:
        transport = request.transport
        if transport is None:
            raise ConnectionResetError("the client has gone")
        self._client = transport
        self._upstream = upstream
        self.on_data: Callable[[], None] = _ignore
        """Called when the client sends something."""
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    # The sink of the upstream connection.

    def write(self, data: bytes) -> None:
        if not self._client.is_closing():
            self._client.write(data)
            if self._client.get_write_buffer_size() > HIGH_WATER:
                self._upstream.pause(True)
                self._resume()

    def close(self) -> None:
        """End both sides; safe to call again."""
        self._upstream.close()
        if not self._client.is_closing():
            self._client.close()
        if not self.closed.done():
            self.closed.set_result(None)

    def pause(self, is_paused: bool) -> None:
        if not self._client.is_closing():
            (self._client.pause_reading if is_paused else self._client.resume_reading)()

    def _resume(self) -> None:
        """Read from the backend again when the client has caught up.

        The client's connection is aiohttp's, which does not pass on when it may be written to: hence the timer.
        """
        if not self._client.is_closing() and self._client.get_write_buffer_size() > LOW_WATER:
            asyncio.get_running_loop().call_later(CHECK_SECONDS, self._resume)
        else:
            self._upstream.pause(False)

    # What aiohttp's connection calls, in the place of its WebSocket reader.

    def feed_data(self, data: bytes) -> tuple[bool, bytes]:
        self.on_data()
        self._upstream.write(data)
        return False, b""

    def feed_eof(self) -> None:
        self.close()


async def tunnel(
    request: web.Request,
    upstream: Upstream,
    head: bytes,
    on_open: Callable[[Tunnel], None],
) -> web.StreamResponse:
    """Ask the backend to upgrade. If it does, the call lasts as long as the tunnel; else its answer is passed on."""
    upstream.begin(head)
    try:
        await upstream.head()
    except BaseException:
        upstream.abort()
        raise
    if upstream.status != 101:
        return await _refusal(upstream)
    link = Tunnel(request, upstream)
    transport = request.transport
    if transport is None:
        upstream.abort()
        raise ConnectionResetError("the client has gone")
    transport.write(_switching_head(upstream))
    request.protocol.set_parser(cast(Any, link))
    on_open(link)
    upstream.tunnel_to(link)
    try:
        await link.closed
    finally:
        link.close()
    return Tunnelled()


def _switching_head(upstream: Upstream) -> bytes:
    lines = [b"HTTP/1.1 101 Switching Protocols", *(name + b": " + value for name, value in upstream.headers)]
    return b"\r\n".join(lines) + b"\r\n\r\n"


async def _refusal(upstream: Upstream) -> web.Response:
    body = b""
    try:
        while len(body) < 1 << 16 and (chunk := await upstream.chunk()):
            body += chunk
    except BackendFailed:
        pass
    upstream.close()
    kinds = [value.decode("latin-1") for name, value in upstream.headers if name.lower() == b"content-type"]
    return web.Response(status=upstream.status, body=body, headers={"Content-Type": kinds[0]} if kinds else {})
