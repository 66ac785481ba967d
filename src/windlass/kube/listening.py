"""A few pages over plain HTTP, for whoever looks after a process: kubelet's probes, Prometheus.

It answers on the process' own event loop, so a process whose loop hangs fails its probes. GET and HEAD of the paths
that are there; one request a connection.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import TypeAlias

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

ASKED_WITHIN = 10.0  # seconds that a client has for its request
OFF = "0"


@dataclass(frozen=True, slots=True)
class Page:
    """An answer."""

    body: str
    status: HTTPStatus = HTTPStatus.OK
    type: str = "text/plain; charset=utf-8"


Pages: TypeAlias = Mapping[str, Callable[[], Page]]
"""By path, what makes the page when it is asked for."""


def metrics_pages(registry: CollectorRegistry) -> Pages:
    """/metrics, for Prometheus."""
    return {"/metrics": lambda: Page(generate_latest(registry).decode(), type=CONTENT_TYPE_LATEST)}


def probe_pages(unready: Callable[[], str]) -> Pages:
    """/healthz and /readyz; `unready` answers why the process is not ready, empty when it is."""

    def ready() -> Page:
        reason = unready()
        return Page(f"not ready: {reason}\n", HTTPStatus.INTERNAL_SERVER_ERROR) if reason else Page("ok")

    return {"/healthz": lambda: Page("ok"), "/readyz": ready}


class CannotListen(Exception):
    """An address is taken, not this machine's, or not allowed."""


def parse_address(address: str) -> tuple[str, int] | None:
    """Host and port of `host:port`, of `:port` (all interfaces) or of `[ipv6]:port`; None for "0", which is off."""
    if address == OFF:
        return None
    host, colon, port = address.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise ValueError(f"{address!r}: an IPv6 address stands in brackets")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise ValueError(f"{address!r} is not of the form host:port or :port")
    return host, int(port)


@asynccontextmanager
async def listening(pages_by_address: Mapping[str, Pages]) -> AsyncGenerator[list[tuple[str, int]]]:
    """Serve while the block runs; gives the addresses that it listens on, of which port 0 has become a free one."""
    servers: list[asyncio.Server] = []
    try:
        for address, pages in pages_by_address.items():
            at = parse_address(address)
            if at is not None:
                servers.append(await _listen(at, pages))
        yield [server.sockets[0].getsockname()[:2] for server in servers]
    finally:
        for server in servers:
            server.close()


async def _listen(at: tuple[str, int], pages: Pages) -> asyncio.Server:
    host, port = at
    try:
        return await asyncio.start_server(partial(_answer, pages), host or None, port)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)  # asyncio words its own around it
        raise CannotListen(f"cannot listen on {host}:{port}: {why}") from error


async def _answer(pages: Pages, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        async with asyncio.timeout(ASKED_WITHIN):
            head = await reader.readuntil(b"\r\n\r\n")
            writer.write(_response(pages, head))
            await writer.drain()
    except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
        pass  # whoever asked has gone, or never asked
    finally:
        writer.close()


def _response(pages: Pages, head: bytes) -> bytes:
    method, _, rest = head.decode("latin-1").partition("\r\n")[0].partition(" ")
    make = pages.get(rest.partition(" ")[0].partition("?")[0])
    if make is None:
        page = Page("404 page not found\n", HTTPStatus.NOT_FOUND)
    elif method not in ("GET", "HEAD"):
        page = Page("405 method not allowed\n", HTTPStatus.METHOD_NOT_ALLOWED)
    else:
        page = make()
    body = page.body.encode()
    lines = [
        f"HTTP/1.1 {page.status.value} {page.status.phrase}",
        f"Content-Type: {page.type}",
        f"Content-Length: {len(body)}",
        "Connection: close",
    ]
    return "\r\n".join([*lines, "", ""]).encode() + (b"" if method == "HEAD" else body)
