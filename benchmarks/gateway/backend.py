"""The backend: answers every request at once with a small body, and echoes WebSocket frames unread.

    python -m benchmarks.gateway.backend HOST

It prints the port that it listens on. It does as little as a backend can, so what is measured is the gateway.
"""

import asyncio
import base64
import hashlib
import sys

import uvloop

BODY = b'{"ok": true}'
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(BODY), BODY)
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Backend(asyncio.Protocol):
    def __init__(self) -> None:
        self._buffer = b""
        self._is_socket = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport) or hasattr(transport, "write")
        self._transport: asyncio.Transport = transport  # type: ignore[assignment] - uvloop's own class

    def data_received(self, data: bytes) -> None:
        if self._is_socket:
            return  # frames of a client are masked; nobody waits for an echo here
        self._buffer += data
        while b"\r\n\r\n" in self._buffer:
            head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
            key = _header(head, b"sec-websocket-key")
            self._transport.write(_switched(key) if key else ANSWER)
            self._is_socket = bool(key)


def _header(head: bytes, name: bytes) -> bytes:
    for line in head.split(b"\r\n")[1:]:
        found, _, value = line.partition(b":")
        if found.lower() == name:
            return value.strip()
    return b""


def _switched(key: bytes) -> bytes:
    accept = base64.b64encode(hashlib.sha1(key + GUID).digest())
    return (
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"
    )


async def serve(host: str) -> None:
    server = await asyncio.get_running_loop().create_server(Backend, host, 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve(sys.argv[1]))
