"""HTTP GET as kubelet's probes and hooks make it: over a given dialler, redirects on the same host, TLS unverified."""

import asyncio
import functools
import os
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeAlias
from urllib.parse import SplitResult, quote, urljoin, urlsplit

import httptools

Dial: TypeAlias = Callable[[str, int], Awaitable[socket.socket]]
Headers: TypeAlias = list[tuple[str, str]]

MAX_REDIRECTS = 10
MAX_BODY = 10 * 1024  # bytes that are read, so that the server can finish what it says; kubelet's
_NOT_TLS = ("WRONG_VERSION_NUMBER", "PACKET_LENGTH_TOO_LONG", "HTTP_REQUEST")


class NoAnswer(Exception):
    """There was no response; the message is that of Go's HTTP client."""


class _Answer:
    """Collects what httptools parses. 1xx responses are followed by the final one."""

    def __init__(self) -> None:
        self.parser = httptools.HttpResponseParser(self)
        self.status, self.location, self.body, self.complete = 0, "", 0, False

    def on_header(self, name: bytes, value: bytes) -> None:
        if name.lower() == b"location":
            self.location = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        self.status = self.parser.get_status_code()

    def on_body(self, piece: bytes) -> None:
        self.body += len(piece)

    def on_message_complete(self) -> None:
        self.complete = self.status >= 200


async def get(url: str, headers: Headers, dial: Dial) -> int:
    """Return the status of the last response. Raises NoAnswer if there is none."""
    first = urlsplit(url).hostname
    for _ in range(MAX_REDIRECTS):
        answer = await _ask(urlsplit(url), headers, dial)
        if answer.status not in (301, 302, 303, 307, 308) or not answer.location:
            return answer.status
        url = urljoin(url, answer.location)
        if urlsplit(url).hostname != first:  # another host's health is not the container's
            return answer.status
    raise NoAnswer(f"stopped after {MAX_REDIRECTS} redirects")


def dial_error(host: str, port: int, error: OSError) -> str:
    """Format a dial error as Go does."""
    if isinstance(error, TimeoutError):
        return f"dial tcp {host}:{port}: i/o timeout"
    return f"dial tcp {host}:{port}: connect: {errno_text(error)}"


def errno_text(error: OSError) -> str:
    """Return `connection refused`: asyncio puts its own text into `strerror`."""
    if error.errno is None or isinstance(error, socket.gaierror):
        return (error.strerror or str(error) or "EOF").lower()
    return os.strerror(error.errno).lower()


async def _ask(url: SplitResult, headers: Headers, dial: Dial) -> _Answer:
    reader, writer = await _connect(url, dial)
    try:
        writer.write(_request(url, headers))
        return await _read(reader)
    except OSError as error:
        raise NoAnswer(f"read: {errno_text(error)}") from error
    finally:
        writer.close()


async def _connect(url: SplitResult, dial: Dial) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, port = url.hostname or "", url.port or (443 if url.scheme == "https" else 80)
    try:
        connection = await dial(host, port)
    except OSError as error:
        raise NoAnswer(dial_error(host, port, error)) from error
    tls = _unverified() if url.scheme == "https" else None
    try:
        return await asyncio.open_connection(sock=connection, ssl=tls, server_hostname=host if tls else None)
    except ssl.SSLError as error:
        plain = error.reason in _NOT_TLS
        raise NoAnswer("http: server gave HTTP response to HTTPS client" if plain else str(error)) from error
    except OSError as error:
        raise NoAnswer(f"read: {errno_text(error)}") from error


async def _read(reader: asyncio.StreamReader) -> _Answer:
    answer = _Answer()
    while not answer.complete and answer.body < MAX_BODY:
        received = await reader.read(MAX_BODY)
        if not received:
            break
        try:
            answer.parser.feed_data(received)
        except httptools.HttpParserUpgrade:
            break
        except httptools.HttpParserError as error:
            line = received.partition(b"\r\n")[0][:80].decode("latin-1").encode("unicode_escape").decode()
            broken = "net/http: HTTP/1.x transport connection broken: malformed HTTP response"
            raise NoAnswer(f'{broken} "{line}"') from error
    if not answer.status:
        raise NoAnswer("EOF")
    return answer


def _request(url: SplitResult, headers: Headers) -> bytes:
    """Encode the request with all given headers, except for a single `Host` and no empty `Accept`."""
    given = [(name, value) for name, value in headers if name.lower() != "host" and (value or name.lower() != "accept")]
    host = next((value for name, value in headers if name.lower() == "host" and value), url.netloc)
    target = quote(url.path or "/", safe="/%:@!$&'()*+,;=~-._") + (f"?{url.query}" if url.query else "")
    lines = [f"GET {target} HTTP/1.1", f"Host: {host}", *(f"{name}: {value}" for name, value in given)]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode()


def with_defaults(given: Iterable[tuple[str, str]], user_agent: str) -> Headers:
    """Return the headers of a manifest, with defaults for what it does not set."""
    headers = list(given)
    known = {name.lower() for name, _ in headers}
    defaults = (("User-Agent", user_agent), ("Accept", "*/*"))
    return [*headers, *(each for each in defaults if each[0].lower() not in known)]


@functools.cache
def _unverified() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
