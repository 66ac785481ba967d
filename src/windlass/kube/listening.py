"""A few pages over plain HTTP, for what monitors a process: kubelet's probes, Prometheus.

It answers on the process' own event loop, so a process whose loop hangs fails its probes.
"""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

IDLE_CONNECTION = timedelta(seconds=60)  # longer than probes and Prometheus pause
STOP_GRACE = timedelta(seconds=1)
OFF = "0"


@dataclass(frozen=True, slots=True)
class Page:
    """An answer."""

    body: str
    status: HTTPStatus = HTTPStatus.OK
    type: str = "text/plain; charset=utf-8"


Pages: TypeAlias = Mapping[str, Callable[[], Page]]
"""By path, what makes the page when it is asked for."""


def metrics_pages(registry: "CollectorRegistry") -> Pages:
    """/metrics, for Prometheus."""
    from prometheus_client import CONTENT_TYPE_LATEST, generate_latest  # a node listens without metrics of its own

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
    async with AsyncExitStack() as stack:
        addresses: list[tuple[str, int]] = []
        for address, pages in pages_by_address.items():
            at = parse_address(address)
            if at is not None:
                from windlass.kube.serving import (
                    pages_application,
                    serving_at,
                )  # 2 MB that a silent process does without

                served = serving_at(pages_application(pages), *at, grace=STOP_GRACE, idle=IDLE_CONNECTION)
                addresses.append(await stack.enter_async_context(served))
        yield addresses


def page_of(pages: Pages, method: str, path: str) -> Page:
    """Return the page that answers a request."""
    make = pages.get(path)
    if make is None:
        return Page("404 page not found\n", HTTPStatus.NOT_FOUND)
    if method not in ("GET", "HEAD"):
        return Page("405 method not allowed\n", HTTPStatus.METHOD_NOT_ALLOWED)
    return make()
