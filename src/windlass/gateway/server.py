"""Listen, serve until asked to stop, and end open connections within the grace period."""

import asyncio
import logging
import os
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta

from aiohttp import web

from windlass.gateway.app import TASKS, Task, application
from windlass.gateway.context import GatewayContext
from windlass.gateway.settings import GatewaySettings
from windlass.gateway.tokens import review
from windlass.kube.listening import CannotListen

log = logging.getLogger(__name__)

STOP_GRACE = timedelta(seconds=2)  # for answers in progress; WebSockets are closed at once
IDLE_CONNECTION = timedelta(seconds=75)


class BadCertificate(Exception):
    """The TLS certificate or its key cannot be used."""


@asynccontextmanager
async def serving(context: GatewayContext) -> AsyncGenerator[int]:
    """Serve while the block runs; gives the port. Raises CannotListen and BadCertificate."""
    settings = context.settings
    tls = await asyncio.to_thread(tls_context, settings)
    runner = web.AppRunner(
        application(context),
        access_log=None,
        handler_cancellation=True,
        auto_decompress=False,  # a backend gets bodies as they were sent
        keepalive_timeout=IDLE_CONNECTION.total_seconds(),
        shutdown_timeout=STOP_GRACE.total_seconds(),
    )
    await runner.setup()
    try:
        site = web.TCPSite(runner, settings.listen or None, settings.port, ssl_context=tls, backlog=1024)
        try:
            await site.start()
        except OSError as error:
            why = os.strerror(error.errno) if error.errno else str(error)
            raise CannotListen(f"cannot listen on {settings.listen} port {settings.port}: {why}") from error
        log.info("serving %s", settings.origin)
        async with _reviewing(context), _running(context):
            yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()


@asynccontextmanager
async def _running(context: GatewayContext) -> AsyncGenerator[None]:
    """The gateway's tasks, while the block runs. One that fails is logged and takes nothing else down."""

    async def run(task: Task) -> None:
        try:
            await task(context)
        except Exception:
            log.exception("task failed name=%s", task.__name__)

    tasks = [asyncio.create_task(run(task)) for task in TASKS]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def _reviewing(context: GatewayContext) -> AsyncGenerator[None]:
    """Answer the embedded API server's token reviews, on a socket that only this user can open."""
    path = context.settings.review_socket
    if path is None:
        yield
        return
    runner = web.AppRunner(review.application(context.bearer_tokens), access_log=None)
    await runner.setup()
    try:
        path.unlink(missing_ok=True)
        old = os.umask(0o177)
        try:
            await web.UnixSite(runner, str(path)).start()
        finally:
            os.umask(old)
        yield
    finally:
        await runner.cleanup()
        path.unlink(missing_ok=True)


def tls_context(settings: GatewaySettings) -> ssl.SSLContext | None:
    if settings.tls_cert is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(settings.tls_cert, settings.tls_key)
    except (OSError, ssl.SSLError) as error:
        raise BadCertificate(f"{settings.tls_cert}: {error}") from error
    return context
