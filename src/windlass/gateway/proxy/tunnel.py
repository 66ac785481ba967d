"""Upgraded connections (WebSocket and others): bytes in both directions, unread, until either side ends.

The frames are neither decoded nor held, so an open WebSocket costs two sockets and little else.
"""

import asyncio
from collections.abc import Callable
from typing import cast

from aiohttp import web

from windlass.gateway.proxy.headers import takes_session
from windlass.gateway.proxy.upstream import BackendFailed, Upstream
from windlass.kube.handover import HandedOver, hand_over

HIGH_WATER, LOW_WATER = 1 << 20, 1 << 18  # bytes that wait for a slow client


def _ignore() -> None:
    return None


class Tunnel(asyncio.Protocol):
    """One open tunnel: the protocol of the client's connection, and the sink of the backend's."""

    def __init__(self, upstream: Upstream) -> None:
        self._client: asyncio.Transport | None = None
        self._upstream = upstream
        self.on_data: Callable[[], None] = _ignore
        """Called when the client sends something."""
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def broken_by(self) -> Exception | None:
        """The error by which the backend's connection has ended; None where it was closed in good order."""
        return self._upstream.lost_by

    # The sink of the upstream connection.

    def write(self, data: bytes) -> None:
        if self._client is not None and not self._client.is_closing():
            self._client.write(data)

    def close(self) -> None:
        """End both sides; safe to call again."""
        self._upstream.close()
        if self._client is not None and not self._client.is_closing():
            self._client.close()
        if not self.closed.done():
            self.closed.set_result(None)

    def pause(self, is_paused: bool) -> None:
        if self._client is not None and not self._client.is_closing():
            (self._client.pause_reading if is_paused else self._client.resume_reading)()

    # What the event loop calls for the client's connection.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._client = cast(asyncio.Transport, transport)
        self._client.set_write_buffer_limits(HIGH_WATER, LOW_WATER)

    def data_received(self, data: bytes) -> None:
        self.on_data()
        self._upstream.write(data)

    def pause_writing(self) -> None:
        self._upstream.pause(True)

    def resume_writing(self) -> None:
        self._upstream.pause(False)

    def connection_lost(self, exc: Exception | None) -> None:
        self.close()


async def tunnel(
    request: web.Request,
    upstream: Upstream,
    head: bytes,
    on_open: Callable[[Tunnel], None],
    hidden_cookies: frozenset[str] = frozenset(),
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
    link = Tunnel(upstream)
    try:
        passed = [pair for pair in upstream.headers if not takes_session(*pair, hidden_cookies)]
        hand_over(request, passed, link)
    except ConnectionResetError:
        upstream.abort()
        raise
    on_open(link)
    upstream.tunnel_to(link)
    try:
        await link.closed
    finally:
        link.close()
    return HandedOver()


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
