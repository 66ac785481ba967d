"""Listen, serve until asked to stop, and end open connections within the grace period."""

import asyncio
import logging
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from windlass.gateway.app import application, tasks
from windlass.gateway.context import GatewayContext
from windlass.gateway.contributions import Task
from windlass.gateway.proxy.http2.detection import ALPN, Detection, Factory
from windlass.gateway.settings import GatewaySettings
from windlass.gateway.tokens import review
from windlass.kube.serving import serving_at, serving_on_socket

if TYPE_CHECKING:
    from windlass.gateway.proxy.http2.clients import Http2Clients

log = logging.getLogger(__name__)


class BadCertificate(Exception):
    """The TLS certificate or its key cannot be used."""


@asynccontextmanager
async def serving(context: GatewayContext) -> AsyncGenerator[int]:
    """Serve while the block runs; gives the port. Raises CannotListen and BadCertificate."""
    settings = context.settings
    tls = await asyncio.to_thread(tls_context, settings)
    http2 = Http2(context)
    # A backend gets bodies as they were sent.
    served = serving_at(
        application(context), settings.listen, settings.port, tls=tls, decompress=False, protocol=http2.beside
    )
    async with served as (_, port), http2:
        log.info("serving %s", settings.origin)
        async with _reviewing(context), _running(context):
            yield port


class Http2:
    """HTTP/2 on the gateway's listener. Its library is loaded for the first client that speaks it."""

    def __init__(self, context: GatewayContext) -> None:
        self._context = context
        self._clients: Http2Clients | None = None

    def beside(self, http1: Factory) -> Factory:
        return lambda: Detection(http1, self._connection)

    def _connection(self) -> asyncio.Protocol:
        from windlass.gateway.proxy.http2.clients import Http2Clients

        if self._clients is None:
            self._clients = Http2Clients(self._context)
        return self._clients.connection()

    async def __aenter__(self) -> None:
        return None

    async def __aexit__(self, *_: object) -> None:
        if self._clients is not None:
            self._clients.close()


@asynccontextmanager
async def _running(context: GatewayContext) -> AsyncGenerator[None]:
    """The gateway's tasks, while the block runs. One that fails is logged and takes nothing else down."""

    async def run(task: Task) -> None:
        try:
            await task(context)
        except Exception:
            log.exception("task failed name=%s", task.__name__)

    running = [asyncio.create_task(run(task)) for task in tasks()]
    try:
        yield
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


@asynccontextmanager
async def _reviewing(context: GatewayContext) -> AsyncGenerator[None]:
    """Answer the embedded API server's token reviews, on a socket that only this user can open."""
    path = context.settings.review_socket
    if path is None:
        yield
        return
    async with serving_on_socket(review.application(context.bearer_tokens), path):
        yield


def tls_context(settings: GatewaySettings) -> ssl.SSLContext | None:
    if settings.tls_cert is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.set_alpn_protocols(ALPN)
        context.load_cert_chain(settings.tls_cert, settings.tls_key)
    except (OSError, ssl.SSLError) as error:
        raise BadCertificate(f"{settings.tls_cert}: {error}") from error
    return context
