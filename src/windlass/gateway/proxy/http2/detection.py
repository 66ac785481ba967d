"""Distinguish HTTP/2 from HTTP/1.1 on an accepted connection: by ALPN with TLS, else by the preface of HTTP/2."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import cast

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
ALPN = ("http/1.1", "h2")
"""In the server's order of preference: browsers, which offer both, stay with HTTP/1.1, where WebSockets are."""
FIRST_BYTES_TIMEOUT = timedelta(seconds=75)

Factory = Callable[[], asyncio.Protocol]


def is_http2(received: bytes) -> bool | None:
    """Whether a connection that starts with these bytes speaks HTTP/2; None while they could be either."""
    if received.startswith(PREFACE):
        return True
    return None if PREFACE.startswith(received) else False


class Detection(asyncio.Protocol):
    """Holds the first bytes until they decide, then hands the connection over. It costs nothing after that."""

    def __init__(self, http1: Factory, http2: Factory) -> None:
        self._http1, self._http2 = http1, http2
        self._received = b""
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        tls = transport.get_extra_info("ssl_object")
        if tls is not None and tls.selected_alpn_protocol() == "h2":
            self._hand_over(self._http2)
            return
        seconds = FIRST_BYTES_TIMEOUT.total_seconds()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._transport.abort)

    def data_received(self, data: bytes) -> None:
        self._received += data
        decided = is_http2(self._received)
        if decided is not None:
            self._hand_over(self._http2 if decided else self._http1)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()

    def _hand_over(self, factory: Factory) -> None:
        self._stop_timer()
        transport, received = self._transport, self._received
        if transport is None:
            return
        self._transport, self._received = None, b""
        protocol = factory()
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        if received:
            protocol.data_received(received)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
