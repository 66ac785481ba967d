"""The HTTPS server of the webhooks, with a certificate that is reloaded at run time."""

import asyncio
import logging
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TypeAlias

from aiohttp import web

from windlass.kube.connect import load_key_pair
from windlass.kube.errors import ApiError
from windlass.kube.json import Json, encode, parse
from windlass.kube.serving import serving_at
from windlass.webhooks.handlers import Handler
from windlass.webhooks.reviews import BadReview
from windlass.webhooks.trust import Certificates, Unusable

Handlers: TypeAlias = Mapping[str, Handler]
MAX_REVIEW_BYTES = 256 << 20  # a ConversionReview may hold all objects of a list
REFRESH_INTERVAL, RETRY_INTERVAL = timedelta(minutes=1), timedelta(seconds=5)
TRUSTED_WITHIN = timedelta(seconds=30)
STOP_GRACE = timedelta(seconds=5)

log = logging.getLogger(__name__)


class Webhooks:
    """Answers reviews. Started by `serving`."""

    def __init__(self, certificates: Certificates, handlers: Handlers) -> None:
        self._certificates, self._handlers = certificates, handlers
        self._served: tuple[bytes, bytes] | None = None
        self._trusted = asyncio.Event()
        self.port = 0
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.minimum_version = ssl.TLSVersion.TLSv1_2

    async def refresh_periodically(self) -> None:
        """Refresh the certificate periodically, until cancelled."""
        while True:
            try:
                await self.refresh()
            except Exception as error:  # noqa: BLE001 - a failed refresh is retried
                log.warning("cannot refresh the webhook certificate, retrying error=%s", error)
                await asyncio.sleep(RETRY_INTERVAL.total_seconds())
            else:
                await asyncio.sleep(REFRESH_INTERVAL.total_seconds())

    async def refresh(self) -> None:
        """Load the newest certificate for new connections, and publish its CA."""
        current = await self._certificates.current()
        if current != self._served:
            try:
                load_key_pair(self.tls, *current)
            except ssl.SSLError as error:
                raise Unusable(f"the certificate and its key cannot be used: {error}") from error
            self._served = current
        await self._certificates.make_trusted()
        self._trusted.set()

    async def until_trusted(self) -> None:
        """Wait until the CA is published, so that API servers can call the webhooks.

        The wait is limited to TRUSTED_WITHIN: running jobs are managed even if webhooks cannot be served.
        """
        try:
            async with asyncio.timeout(TRUSTED_WITHIN.total_seconds()):
                await self._trusted.wait()
        except TimeoutError:
            log.warning("the webhooks' CA is not published yet, continuing: writes that need a webhook will fail")

    def application(self) -> web.Application:
        application = web.Application(client_max_size=MAX_REVIEW_BYTES)
        for path, handler in self._handlers.items():
            application.router.add_post(path, _answering(handler))
        application.router.add_get("/readyz", self._ready)
        return application

    async def _ready(self, request: web.Request) -> web.Response:
        """Report whether API servers may send reviews. Readiness of the controllers is a separate probe."""
        if self._trusted.is_set():
            return web.Response(text="ok")
        return web.Response(text="not ready: the CA is not published yet\n", status=503)


def _answering(handler: Handler) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def answer(request: web.Request) -> web.Response:
        try:
            review: Json = parse(await request.read())
        except ValueError as error:
            return web.Response(text=f"the body is not JSON: {error}\n", status=400)
        try:
            answer = await handler(review)
        except BadReview as error:
            return web.Response(text=f"{error}\n", status=400)
        except ApiError as error:  # a fact cannot be fetched
            return web.Response(text=f"{error}\n", status=503)
        return web.Response(body=encode(answer), content_type="application/json")

    return answer


@asynccontextmanager
async def serving(
    certificates: Certificates, port: int, handlers: Handlers, *, host: str = ""
) -> AsyncGenerator[Webhooks]:
    """Serve reviews while the block runs; port 0 selects a free port. Raises CannotListen."""
    webhooks = Webhooks(certificates, handlers)
    async with serving_at(webhooks.application(), host, port, tls=webhooks.tls, grace=STOP_GRACE) as (_, webhooks.port):
        refreshing = asyncio.create_task(webhooks.refresh_periodically(), name="webhooks")
        try:
            yield webhooks
        finally:
            refreshing.cancel()
            await asyncio.wait([refreshing])
