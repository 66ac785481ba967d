"""Serve an aiohttp.web application: how every process but the API server answers HTTP.

    async with serving_at(application, host, port, tls=context) as (host, port): ...
    async with serving_on_socket(application, path): ...
    async with serving_from(application, listener): ...

A handler takes a connection over with `kube/handover.py`. Why aiohttp.web: docs/decisions/0008-one-http-stack.md.
"""

import asyncio
import logging
import os
import socket
import ssl
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import TypeAlias

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from windlass.kube.listening import CannotListen, Page, Pages, page_of

ProtocolFactory: TypeAlias = Callable[[], asyncio.Protocol]
STOP_GRACE = timedelta(seconds=2)  # for responses in progress; WebSockets are closed at once
IDLE_CONNECTION = timedelta(seconds=75)
BACKLOG = 1024
MAX_LINE = 8190  # aiohttp's own


def is_not_malformed(record: logging.LogRecord) -> bool:
    """Whether to keep a record of aiohttp; one of a connection that broke loses its traceback.

    A request that is not HTTP, or whose body is not in its encoding, is the client's mistake and answered with 400. Its
    traceback is not logged, since any client that can connect could fill the log. So could one that leaves while it is
    answered.
    """
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, ConnectionError):
        record.msg, record.args = f"{record.getMessage()}: {type(error).__name__}: {error}", None
        record.exc_info = record.exc_text = None
    return not isinstance(error, HttpProcessingError | web.RequestPayloadError)


log = logging.getLogger(__name__)
log.addFilter(is_not_malformed)


@asynccontextmanager
async def serving_at(
    application: web.Application,
    host: str,
    port: int,
    *,
    tls: ssl.SSLContext | None = None,
    grace: timedelta = STOP_GRACE,
    idle: timedelta = IDLE_CONNECTION,
    decompress: bool = True,
    max_line: int = MAX_LINE,
    protocol: Callable[[ProtocolFactory], ProtocolFactory] | None = None,
) -> AsyncGenerator[tuple[str, int]]:
    """Serve while the block runs, on all interfaces where `host` is empty; raises CannotListen.

    Gives the host and the port that it listens on: port 0 has become a free one. `grace`: for responses in progress
    when the block ends. `idle`: how long a connection may be open without a request. `decompress`: whether
    handlers read compressed bodies as they were before they were compressed. `max_line`: bytes of a request line.
    `protocol`: what stands before aiohttp's own protocol on every connection.
    """
    async with _running(application, grace, idle, decompress, max_line) as runner:
        site = _Site(runner, host or None, port, ssl_context=tls, backlog=BACKLOG)
        site.wrap = protocol
        try:
            await site.start()
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)  # asyncio puts words of its own around it
            raise CannotListen(f"cannot listen on {host}:{port}: {reason}") from error
        yield runner.addresses[0][:2]


class _Site(web.TCPSite):
    """A TCPSite whose connections may start with another protocol than aiohttp's."""

    wrap: Callable[[ProtocolFactory], ProtocolFactory] | None = None

    async def start(self) -> None:
        if self.wrap is None:
            await super().start()
            return
        await web.BaseSite.start(self)
        server = self._runner.server
        assert server is not None
        self._server = await asyncio.get_running_loop().create_server(
            self.wrap(server), self._host, self._port, ssl=self._ssl_context, backlog=self._backlog
        )


@asynccontextmanager
async def serving_on_socket(application: web.Application, path: Path) -> AsyncGenerator[None]:
    """Serve while the block runs, on a Unix socket that only this user can open."""
    async with _running(application, STOP_GRACE, IDLE_CONNECTION, True, MAX_LINE) as runner:
        _remove(path)
        old = os.umask(0o177)
        try:
            await web.UnixSite(runner, str(path), backlog=BACKLOG).start()
        finally:
            os.umask(old)
        try:
            yield
        finally:
            _remove(path)


@asynccontextmanager
async def serving_from(
    application: web.Application,
    listener: socket.socket,
    *,
    decompress: bool = True,
    protocol: Callable[[ProtocolFactory], ProtocolFactory] | None = None,
) -> AsyncGenerator[None]:
    """Serve while the block runs, on a socket that listens already; it is closed with the block.

    `decompress` and `protocol`: as for `serving_at`.
    """
    async with _running(application, STOP_GRACE, IDLE_CONNECTION, decompress, MAX_LINE) as runner:
        site = _SocketSite(runner, listener, backlog=BACKLOG)
        site.wrap = protocol
        await site.start()
        yield


class _SocketSite(web.SockSite):
    """A SockSite whose connections may start with another protocol than aiohttp's."""

    wrap: Callable[[ProtocolFactory], ProtocolFactory] | None = None

    async def start(self) -> None:
        if self.wrap is None:
            await super().start()
            return
        await web.BaseSite.start(self)
        server = self._runner.server
        assert server is not None
        self._server = await asyncio.get_running_loop().create_server(
            self.wrap(server), sock=self._sock, backlog=self._backlog
        )


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)


@asynccontextmanager
async def _running(
    application: web.Application, grace: timedelta, idle: timedelta, decompress: bool, max_line: int
) -> AsyncGenerator[web.AppRunner]:
    runner = web.AppRunner(
        application,
        access_log=None,
        logger=log,
        handler_cancellation=True,
        auto_decompress=decompress,
        max_line_size=max_line,
        keepalive_timeout=idle.total_seconds(),
        shutdown_timeout=grace.total_seconds(),
    )
    await runner.setup()
    try:
        yield runner
    finally:
        await runner.cleanup()


def pages_application(pages: Pages) -> web.Application:
    """Return an application of pages by path, for GET and HEAD."""

    async def answer(request: web.Request) -> web.Response:
        page: Page = page_of(pages, request.method, request.path)
        return web.Response(body=page.body.encode(), status=page.status, headers={"Content-Type": page.type})

    application = web.Application()
    application.router.add_route("*", "/{path:.*}", answer)
    return application
