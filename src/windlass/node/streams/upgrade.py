"""Negotiates the protocol of a streaming request, and sends the response that switches to it."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from aiohttp import web

from windlass.kube.handover import upgraded_streams
from windlass.node.streams import http
from windlass.node.streams.duplex import Tcp, WebSocket
from windlass.node.streams.websocket import accept_key

SPDY = "SPDY/3.1"


class Refused(Exception):
    """A stream cannot be opened; raised before the response begins."""

    def __init__(self, message: str, code: int = 400) -> None:
        super().__init__(message)
        self.code = code


class NoUpgrade(Refused):
    """The client requests no protocol that is supported here."""


def wants(request: web.Request, protocol: str) -> bool:
    upgrades = "upgrade" in [word.lower() for word in http.listed(request, "connection")]
    return upgrades and protocol.lower() in [word.lower() for word in http.listed(request, "upgrade")]


def chosen(request: web.Request, header: str, spoken: Sequence[str]) -> str:
    """Return the client's first protocol that is supported here.

    Without a request: the last one, which is the oldest.
    """
    asked = http.listed(request, header)
    if not asked:
        return spoken[-1]
    found = next((one for one in asked if one in spoken), None)
    if found is None:
        raise NoUpgrade(f"unable to negotiate protocol: client supports {asked}, server accepts {list(spoken)}")
    return found


@contextmanager
def to_spdy(request: web.Request, protocol: str) -> Generator[Tcp]:
    """Switch to SPDY while the block runs."""
    headers = [(b"Connection", b"Upgrade"), (b"Upgrade", SPDY.encode())]
    if request.headers.get("x-stream-protocol-version"):
        headers.append((b"X-Stream-Protocol-Version", protocol.encode()))
    with upgraded_streams(request, headers) as streams:
        yield Tcp(*streams)


@contextmanager
def to_websocket(request: web.Request, protocol: str) -> Generator[WebSocket]:
    """Switch to WebSocket while the block runs. Raises NoUpgrade."""
    key = request.headers.get("sec-websocket-key", "")
    if not key or request.headers.get("sec-websocket-version") != "13":
        raise NoUpgrade("websocket: version 13 and a key are needed")
    headers = [
        (b"Connection", b"Upgrade"),
        (b"Upgrade", b"websocket"),
        (b"Sec-WebSocket-Accept", accept_key(key).encode()),
    ]
    if protocol:
        headers.append((b"Sec-WebSocket-Protocol", protocol.encode()))
    with upgraded_streams(request, headers) as streams:
        yield WebSocket(Tcp(*streams))
