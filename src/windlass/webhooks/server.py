"""The thin part: HTTPS in front of the table of webhooks, with a certificate that changes while it runs."""

import asyncio
import logging
import os
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TypeAlias

from aiohttp import web

from windlass.kube.connect import load_key_pair
from windlass.kube.errors import ApiError
from windlass.kube.json import Json, decode, encode
from windlass.kube.listening import CannotListen
from windlass.webhooks.handlers import Handler
from windlass.webhooks.reviews import BadReview
from windlass.webhooks.trust import Certificates, Unusable

Handlers: TypeAlias = Mapping[str, Handler]
LARGEST_REVIEW = 256 << 20  # bytes; a conversion may be of all that a list holds
LOOK_EVERY, LOOK_AGAIN = 60.0, 5.0  # seconds: at the certificate and who trusts it; after a failure
TRUSTED_WITHIN = timedelta(seconds=30)

log = logging.getLogger(__name__)


class Webhooks:
    """Answers reviews. `serving` runs one."""

    def __init__(self, certificates: Certificates, handlers: Handlers) -> None:
        self._certificates, self._handlers = certificates, handlers
        self._shown: tuple[bytes, bytes] | None = None
        self._trusted = asyncio.Event()
        self.port = 0
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.minimum_version = ssl.TLSVersion.TLSv1_2

    async def keep(self) -> None:
        """Look after the certificate, for ever."""
        while True:
            try:
                await self.look()
            except Exception as error:  # noqa: BLE001 - it outlives any one look
                log.warning("webhooks cannot be served as they should, trying again error=%s", error)
                await asyncio.sleep(LOOK_AGAIN)
            else:
                await asyncio.sleep(LOOK_EVERY)

    async def look(self) -> None:
        """Show the newest certificate to who connects from now on, and have it trusted."""
        current = await self._certificates.current()
        if current != self._shown:
            try:
                load_key_pair(self.tls, *current)
            except ssl.SSLError as error:
                raise Unusable(f"the certificate and its key cannot be used: {error}") from error
            self._shown = current
        await self._certificates.make_trusted()
        self._trusted.set()

    async def until_trusted(self) -> None:
        """Wait until the CA is written where API servers look for it, so that they can ask for reviews.

        It waits for TRUSTED_WITHIN at most: jobs that run are looked after even if webhooks cannot be served.
        """
        try:
            async with asyncio.timeout(TRUSTED_WITHIN.total_seconds()):
                await self._trusted.wait()
        except TimeoutError:
            log.warning("the webhooks' CA is not written yet, going on without: writes that they review will fail")

    def application(self) -> web.Application:
        application = web.Application(client_max_size=LARGEST_REVIEW)
        for path, handler in self._handlers.items():
            application.router.add_post(path, _answering(handler))
        application.router.add_get("/readyz", self._ready)
        return application

    async def _ready(self, request: web.Request) -> web.Response:
        """Whether API servers should be led here. That the controllers are at work is another question."""
        if self._trusted.is_set():
            return web.Response(text="ok")
        return web.Response(text="not ready: nobody trusts the certificate yet\n", status=503)


def _answering(handler: Handler) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def answer(request: web.Request) -> web.Response:
        try:
            review: Json = decode(await request.read())
        except ValueError as error:
            return web.Response(text=f"the body is not JSON: {error}\n", status=400)
        try:
            answer = await handler(review)
        except BadReview as error:
            return web.Response(text=f"{error}\n", status=400)
        except ApiError as error:  # what must be known cannot be asked for
            return web.Response(text=f"{error}\n", status=503)
        return web.Response(body=encode(answer), content_type="application/json")

    return answer


@asynccontextmanager
async def serving(
    certificates: Certificates, port: int, handlers: Handlers, *, host: str = ""
) -> AsyncGenerator[Webhooks]:
    """Answer reviews while the block runs; port 0 becomes a free one. Raises CannotListen."""
    webhooks = Webhooks(certificates, handlers)
    runner = web.AppRunner(webhooks.application(), access_log=None, shutdown_timeout=5.0)
    await runner.setup()
    keeping: asyncio.Task[None] | None = None
    try:
        site = web.TCPSite(runner, host or None, port, ssl_context=webhooks.tls)
        try:
            await site.start()
        except OSError as error:
            why = os.strerror(error.errno) if error.errno else str(error)
            raise CannotListen(f"cannot serve webhooks on port {port}: {why}") from error
        webhooks.port = runner.addresses[0][1]
        keeping = asyncio.create_task(webhooks.keep(), name="webhooks")
        yield webhooks
    finally:
        if keeping is not None:
            keeping.cancel()
            await asyncio.wait([keeping])
        await runner.cleanup()
