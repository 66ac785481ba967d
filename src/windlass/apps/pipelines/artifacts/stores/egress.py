"""A forward proxy between the client of object stores and the network, which connects to permitted addresses alone.

Users name the endpoints of stores, and the processes of Windlass reach more than users do. The client resolves names
and follows redirects by itself, so an endpoint is checked where it counts: for each connection, after its name is
resolved. The proxy listens on the loopback interface and serves only who knows its password.
"""

import asyncio
import base64
import secrets
import socket
from urllib.parse import urlsplit

from windlass.kube.address_ranges import is_local_or_metadata

MAX_HEAD = 64 << 10
CHUNK = 256 << 10
CONNECT_TIMEOUT_SECONDS = 10
HEAD_TIMEOUT_SECONDS = 30
MAX_FAILURES = 100


class Refused(OSError):
    """An endpoint is at an address that is not permitted; the message says which."""


async def resolve(host: str, port: int, *, allow_local: bool) -> list[str]:
    """Return the addresses of a host. Raises OSError, and Refused if one of them is not permitted."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    refused = next((address for address in addresses if not allow_local and is_local_or_metadata(address)), None)
    if refused is not None:
        raise Refused(f"{host} is at {refused}, an address of this machine or of its links, which is not permitted")
    return addresses


class EgressProxy:
    """`allow_local` permits every address."""

    def __init__(self, *, allow_local: bool) -> None:
        self._allow_local = allow_local
        self._password = secrets.token_urlsafe(24)
        self._server: asyncio.Server | None = None
        self._starting = asyncio.Lock()
        self._relays: set[asyncio.Task[None]] = set()
        self._failures: dict[str, str] = {}

    def failure(self, host: str) -> str:
        """Why the last connection to a host failed, which answers to the client do not always show; empty if it did
        not."""
        return self._failures.get(host, "")

    async def url(self) -> str:
        """The URL of the proxy, with its password; the first call starts it."""
        async with self._starting:
            if self._server is None:
                self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=MAX_HEAD)
        return f"http://windlass:{self._password}@127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for relay in list(self._relays):
            relay.cancel()
        await asyncio.gather(*self._relays, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._relays.add(task)
        try:
            await self._answer(reader, writer)
        except (OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # one of the two ends hung up, or sent no request: nobody is left to answer
        except asyncio.CancelledError:
            if self._server is not None and self._server.is_serving():
                raise  # else by `close`, and asyncio would log the cancellation as an error
        finally:
            self._relays.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(HEAD_TIMEOUT_SECONDS):
            head = await reader.readuntil(b"\r\n\r\n")
        method, target, headers = _parsed(head)
        if not self._is_authorized(headers):
            await _reply(writer, "407 Proxy Authentication Required", "")
            return
        tunnel = method == "CONNECT"
        parts = urlsplit(f"//{target}" if tunnel else target)
        port = parts.port or (443 if tunnel else 80)
        try:
            upstream_reader, upstream = await self._connect(parts.hostname or "", port)
        except OSError as error:
            await _reply(writer, "502 Bad Gateway", self._keep_failure(parts.hostname or "", port, error))
            return
        self._failures.pop(parts.hostname or "", None)
        try:
            if tunnel:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
                upstream.write(_origin_head(method, path, headers))
            await _relay(reader, upstream, upstream_reader, writer)
        finally:
            upstream.close()

    def _keep_failure(self, host: str, port: int, error: OSError) -> str:
        reason = "the connection timed out" if isinstance(error, TimeoutError) else str(error)
        while len(self._failures) >= MAX_FAILURES:
            self._failures.pop(next(iter(self._failures)))
        self._failures[host] = f"cannot connect to {host}:{port}: {reason}"
        return self._failures[host]

    def _is_authorized(self, headers: list[str]) -> bool:
        wanted = base64.b64encode(f"windlass:{self._password}".encode()).decode()
        given = next((line.partition(":")[2].strip() for line in headers if _name(line) == "proxy-authorization"), "")
        return secrets.compare_digest(given.encode(), f"Basic {wanted}".encode())

    async def _connect(self, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to the first of the addresses that answers. Raises OSError."""
        failure = OSError("the host has no address")
        async with asyncio.timeout(CONNECT_TIMEOUT_SECONDS):
            for address in await resolve(host, port, allow_local=self._allow_local):
                try:
                    return await asyncio.open_connection(address, port)
                except OSError as error:
                    failure = error
        raise failure


def _parsed(head: bytes) -> tuple[str, str, list[str]]:
    """Return method, target and header lines. Raises ValueError."""
    first, *headers = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    method, target, _ = first.split(" ")
    return method, target, headers


def _name(line: str) -> str:
    return line.partition(":")[0].strip().lower()


def _origin_head(method: str, path: str, headers: list[str]) -> bytes:
    """The head of a request as its server expects it. One request a connection: the next may be for another host."""
    kept = [line for line in headers if _name(line) not in ("proxy-authorization", "proxy-connection", "connection")]
    return "\r\n".join((f"{method} {path} HTTP/1.1", *kept, "Connection: close", "", "")).encode("latin-1")


async def _reply(writer: asyncio.StreamWriter, status: str, reason: str) -> None:
    body = reason.encode()
    writer.write(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
    await writer.drain()


async def _relay(
    reader: asyncio.StreamReader,
    upstream: asyncio.StreamWriter,
    upstream_reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    """Pass bytes in both directions until one of the two hangs up; clients of HTTP keep their side open."""
    directions = (asyncio.create_task(_copy(reader, upstream)), asyncio.create_task(_copy(upstream_reader, writer)))
    try:
        await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in directions:
            task.cancel()
        await asyncio.gather(*directions, return_exceptions=True)


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while chunk := await source.read(CHUNK):
        target.write(chunk)
        await target.drain()
