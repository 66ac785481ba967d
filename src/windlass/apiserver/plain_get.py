"""One GET over TLS, to a node agent or to a remote API server.

An idle server sends nothing else, and an HTTP client library for it would cost 10 MB of memory.
"""

import asyncio
import ssl
from collections.abc import Iterable

import httptools

from windlass.apiserver.pod_dialing import dialled

_LARGEST_BODY = 8 << 20
_PIECE = 64 << 10


class _Answer:
    """Collects what httptools parses."""

    def __init__(self) -> None:
        self.parser = httptools.HttpResponseParser(self)
        self.body = bytearray()
        self.is_complete = False
        self.has_head = self.ends_with_connection = False

    def on_headers_complete(self) -> None:
        self.has_head = self.parser.get_status_code() >= 200

    def on_header(self, name: bytes, value: bytes) -> None:
        if name.lower() in (b"content-length", b"transfer-encoding"):
            self.ends_with_connection = False

    def on_message_begin(self) -> None:
        self.ends_with_connection = True

    def on_body(self, piece: bytes) -> None:
        self.body += piece
        if len(self.body) > _LARGEST_BODY:
            raise ValueError(f"the response is longer than {_LARGEST_BODY} bytes")

    def on_message_complete(self) -> None:
        self.is_complete = self.parser.get_status_code() >= 200


async def get(
    host: str,
    port: int,
    path: str,
    tls: ssl.SSLContext,
    within: float,
    *,
    headers: Iterable[tuple[bytes, bytes]] = (),
    server_name: str = "",
) -> tuple[int, bytes]:
    """Status and body. Raises OSError, TimeoutError, and ValueError for a response that is none."""
    shown = f"[{host}]" if ":" in host else host
    lines = [f"GET {path} HTTP/1.1", f"Host: {shown}:{port}", "Accept: application/json", "Connection: close"]
    request = b"".join(f"{line}\r\n".encode("latin-1") for line in lines)
    request += b"".join(b"%b: %b\r\n" % header for header in headers) + b"\r\n"
    async with asyncio.timeout(within):
        inside = await dialled(host, port, within)
        name = server_name or host
        if inside is not None:
            reader, writer = await asyncio.open_connection(sock=inside, ssl=tls, server_hostname=name)
        else:
            reader, writer = await asyncio.open_connection(host, port, ssl=tls, server_hostname=name)
        try:
            writer.write(request)
            return await _read(reader)
        finally:
            writer.close()


async def _read(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    answer = _Answer()
    try:
        while not answer.is_complete and (received := await reader.read(_PIECE)):
            answer.parser.feed_data(received)
        if not answer.is_complete and not (answer.ends_with_connection and answer.has_head):
            raise OSError("unexpected EOF")
    except httptools.HttpParserCallbackError as error:
        raise ValueError(str(error.__context__)) from error
    except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
        raise ValueError(f"malformed HTTP response: {error}") from error
    return answer.parser.get_status_code(), bytes(answer.body)
