"""Negotiates the protocol of a streaming request, and sends the response that switches to it."""

import asyncio
from collections.abc import Sequence

from windlass.node.streams import http
from windlass.node.streams.duplex import Tcp, WebSocket
from windlass.node.streams.websocket import accept_key

SPDY = "SPDY/3.1"


class NoUpgrade(Exception):
    """The client requests no protocol that is supported here."""


def wants(request: http.Request, protocol: str) -> bool:
    upgrades = "upgrade" in [word.lower() for word in request.listed("connection")]
    return upgrades and protocol.lower() in [word.lower() for word in request.listed("upgrade")]


def chosen(request: http.Request, header: str, spoken: Sequence[str]) -> str:
    """Return the client's first protocol that is supported here.

    Without a request: the last one, which is the oldest.
    """
    asked = request.listed(header)
    if not asked:
        return spoken[-1]
    found = next((one for one in asked if one in spoken), None)
    if found is None:
        raise NoUpgrade(f"unable to negotiate protocol: client supports {asked}, server accepts {list(spoken)}")
    return found


async def to_spdy(
    request: http.Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, protocol: str
) -> Tcp:
    headers = [("Connection", "Upgrade"), ("Upgrade", SPDY)]
    if request.headers.get("x-stream-protocol-version"):
        headers.append(("X-Stream-Protocol-Version", protocol))
    writer.write(http.head(101, headers))
    await writer.drain()
    return Tcp(reader, writer)


async def to_websocket(
    request: http.Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, protocol: str
) -> WebSocket:
    key = request.headers.get("sec-websocket-key", "")
    if not key or request.headers.get("sec-websocket-version") != "13":
        raise NoUpgrade("websocket: version 13 and a key are needed")
    headers = [("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Accept", accept_key(key))]
    if protocol:
        headers.append(("Sec-WebSocket-Protocol", protocol))
    writer.write(http.head(101, headers))
    await writer.drain()
    return WebSocket(Tcp(reader, writer))
