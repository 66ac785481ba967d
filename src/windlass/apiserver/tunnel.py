"""Tunnels between a client's connection and another: bytes are passed both ways, whatever the protocol.

So exec, attach and port-forward work over WebSocket and over the older SPDY alike: the node agent implements the
protocol, the server only authorizes and connects.
"""

import asyncio
import ssl
from collections.abc import Iterable
from typing import cast

from windlass.apiserver.connection import Request, Takeover
from windlass.apiserver.pod_dialing import dialled
from windlass.kube.errors import InternalError

_CONNECT_TIMEOUT_SECONDS = 10.0
_NOT_FORWARDED = frozenset(
    {b"authorization", b"host", b"content-length", b"transfer-encoding", b"connection", b"keep-alive", b"expect"}
)
_TOKEN_PROTOCOL = b"base64url.bearer.authorization.k8s.io."


class _Side(asyncio.Protocol):
    """One end of a tunnel: forwards its bytes to the other end, with back-pressure."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.other: _Side | None = None
        self._waiting: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        if self.other is not None and self.other.transport is not None:
            self.other.transport.write(data)
        else:
            self._waiting.append(data)

    def join(self, other: "_Side") -> None:
        self.other = other
        for data in self._waiting:
            self.data_received(data)
        self._waiting.clear()

    def pause_writing(self) -> None:
        if self.other is not None and self.other.transport is not None:
            self.other.transport.pause_reading()

    def resume_writing(self) -> None:
        if self.other is not None and self.other.transport is not None:
            self.other.transport.resume_reading()

    def eof_received(self) -> bool:
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        if self.other is not None and self.other.transport is not None:
            self.other.transport.close()


async def open_tunnel(
    request: Request,
    host: str,
    port: int,
    target: str,
    tls: ssl.SSLContext | None,
    headers: Iterable[tuple[bytes, bytes]] = (),
    server_name: str = "",
) -> Takeover:
    """Connect to the target of the request and forward its response to the client."""
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(_CONNECT_TIMEOUT_SECONDS):
            inside = await dialled(host, port, _CONNECT_TIMEOUT_SECONDS)
            name = (server_name or host) if tls else None
            if inside is not None:
                far_transport, far = await loop.create_connection(_Side, sock=inside, ssl=tls, server_hostname=name)
            else:
                far_transport, far = await loop.create_connection(_Side, host, port, ssl=tls, server_hostname=name)
    except (OSError, TimeoutError, ssl.SSLError) as error:
        raise InternalError(f"error dialing backend: dial tcp {host}:{port}: {error or 'timed out'}") from error
    far_transport.write(request_head(request, host, port, target, headers) + request.body)

    async def take_over(transport: asyncio.Transport, early: bytes) -> asyncio.Protocol:
        near = _Side()
        near.connection_made(transport)
        near.join(far)
        far.join(near)
        if early:
            near.data_received(early)
        if far_transport.is_closing():
            transport.close()
        return near

    return Takeover(take_over)


def request_head(
    request: Request, host: str, port: int, target: str, headers: Iterable[tuple[bytes, bytes]] = ()
) -> bytes:
    """The head of the forwarded request: another path, no credentials, and `Connection: close` unless upgraded."""
    lines = [f"{request.method} {target} HTTP/1.1\r\nHost: {host}:{port}\r\n".encode("latin-1")]
    for name, value in request.all_headers:
        if name == b"sec-websocket-protocol":
            value = b", ".join(p.strip() for p in value.split(b",") if not p.strip().startswith(_TOKEN_PROTOCOL))
        if name not in _NOT_FORWARDED and not name.startswith(b"impersonate-") and value:
            lines.append(b"%b: %b\r\n" % (name, value))
    lines += [b"%b: %b\r\n" % header for header in headers]
    lines.append(b"Connection: Upgrade\r\n" if request.upgrade else b"Connection: close\r\n")
    if request.body or request.method in ("POST", "PUT", "PATCH"):
        lines.append(b"Content-Length: %d\r\n" % len(request.body))
    return b"".join([*lines, b"\r\n"])
