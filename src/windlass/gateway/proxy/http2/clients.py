"""HTTP/2 connections of clients: each stream is authenticated, authorised and joined to one of its backend."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Coroutine
from datetime import timedelta
from functools import partial

from aiohttp import web
from h2.errors import ErrorCodes

from windlass.gateway.context import GatewayContext
from windlass.gateway.database import DatabaseUnavailable
from windlass.gateway.login.authentication import identity_of
from windlass.gateway.login.protection import refusal_of
from windlass.gateway.proxy.backends import dial
from windlass.gateway.proxy.decision import Decision
from windlass.gateway.proxy.http2.answers import PERMISSION_DENIED, grpc_status, passed_response, refusal
from windlass.gateway.proxy.http2.backends import BackendConnection, BackendConnections, BackendStream
from windlass.gateway.proxy.http2.connection import Connection, Headers, Stream
from windlass.gateway.proxy.http2.requests import backend_headers, is_grpc, request_of
from windlass.gateway.proxy.paths import BadPath
from windlass.gateway.proxy.upstream import BackendFailed

IDLE_TIMEOUT = timedelta(minutes=5)
MAX_RESETS = 200  # by one client in RESET_WINDOW: opening and cancelling streams is cheap for it and not for us
RESET_WINDOW = timedelta(seconds=10)
_ERROR_NAMES: dict[int, str] = {code.value: code.name for code in ErrorCodes}

log = logging.getLogger(__name__)

Serve = Callable[["ClientStream", Headers], Coroutine[None, None, None]]


class ClientStream(Stream):
    """A request of a client."""

    def __init__(self, connection: Connection, number: int, *, as_grpc: bool) -> None:
        super().__init__(connection, number)
        self.as_grpc = as_grpc
        self.task: asyncio.Task[None] | None = None

    def answer(self, status: int, message: str) -> None:
        """Refuse the request; once the response has begun it can only be broken off."""
        if self.has_sent_headers or self.is_closed:
            self.reset(ErrorCodes.INTERNAL_ERROR)
            return
        headers, body = refusal(status, message, as_grpc=self.as_grpc)
        self.send_headers(headers, is_end=not body)
        if body:
            self.send(body)
            self.end()
        self.other = None
        super().fail(ErrorCodes.NO_ERROR)  # what the client may still send is not wanted

    def fail(self, code: int) -> None:
        if self.has_sent_headers or self.is_closed or code == ErrorCodes.NO_ERROR:
            super().fail(code)
        else:
            self.answer(502, "502: the backend has broken off the request")


class Call:
    """A request in progress, which ends when the right to it is withdrawn."""

    def __init__(self, client: ClientStream, backend: BackendStream) -> None:
        self._client, self._backend = client, backend

    def close(self) -> None:
        client = self._client
        self._backend.reset(ErrorCodes.CANCEL)
        message = "the right to this call was withdrawn"
        if not client.has_sent_headers:
            client.answer(403, message)
        elif client.as_grpc:
            client.end(grpc_status(PERMISSION_DENIED, message))
            client.fail(ErrorCodes.NO_ERROR)
        else:
            client.reset(ErrorCodes.CANCEL)


class ClientConnection(Connection):
    stream_type: type[ClientStream] = ClientStream

    def __init__(self, serve: Serve, on_lost: Callable[["ClientConnection"], None]) -> None:
        super().__init__()
        self._serve, self._on_lost = serve, on_lost
        self._resets: deque[float] = deque(maxlen=MAX_RESETS)
        self._closing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.idle()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop_timer()
        self._on_lost(self)

    def opened(self, number: int, headers: Headers, *, is_end: bool) -> None:
        self._stop_timer()
        stream = self.stream_type(self, number, as_grpc=is_grpc(headers))
        self.streams[number] = stream
        stream.task = asyncio.create_task(self._serve(stream, headers))

    def was_reset(self) -> None:
        now = time.monotonic()
        if len(self._resets) == MAX_RESETS and now - self._resets[0] < RESET_WINDOW.total_seconds():
            self.close(ErrorCodes.ENHANCE_YOUR_CALM)
        self._resets.append(now)

    def forget(self, stream: Stream) -> None:
        if isinstance(stream, ClientStream) and stream.task is not None and stream.other is None:
            stream.task.cancel()  # no effect on a task that is ending by itself
        super().forget(stream)

    def idle(self) -> None:
        if self.is_going_away:
            self.close()
        elif self.transport is not None and self._closing is None:
            self._closing = asyncio.get_running_loop().call_later(IDLE_TIMEOUT.total_seconds(), self.close)

    def _stop_timer(self) -> None:
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None


class Http2Clients:
    """All HTTP/2 clients of a gateway."""

    def __init__(self, context: GatewayContext) -> None:
        self._context = context
        self._connections: set[ClientConnection] = set()
        socket = context.settings.pods_socket
        self._backends = BackendConnections(lambda address: dial(address, socket, BackendConnection))

    def connection(self) -> ClientConnection:
        """The protocol of a new connection."""
        connection = ClientConnection(self._serve, self._connections.discard)
        self._connections.add(connection)
        return connection

    def close(self) -> None:
        for connection in list(self._connections):
            connection.close()
        self._backends.close()

    async def _serve(self, stream: ClientStream, headers: Headers) -> None:
        try:
            await self._send_on(stream, headers)
        except BadPath as error:
            stream.answer(400, f"400: {error}")
        except web.HTTPException as error:
            stream.answer(error.status, error.text or error.reason)
        except BackendFailed as error:
            log.info("backend failed protocol=h2 error=%s", error)
            stream.answer(503, "503: the backend cannot be reached")
        except DatabaseUnavailable as error:
            log.warning("request refused protocol=h2 error=%s", error)
            stream.answer(503, "503: the gateway cannot write to its disk, which may be full")
        except Exception:
            log.exception("request failed protocol=h2")
            stream.answer(500, "500: internal error; the gateway's log has the details")

    async def _send_on(self, stream: ClientStream, headers: Headers) -> None:
        context = self._context
        request = request_of(headers, stream.connection.transport)
        identity = await identity_of(context, request)
        if identity is None:
            raise web.HTTPUnauthorized(text="401: sign in first, or send a valid bearer token\n")
        if why := refusal_of(context, request, identity):
            raise web.HTTPForbidden(text=f"403: {why}\n")
        decision = await context.proxy.decide(request, identity)
        if not context.proxy.speaks_http2(decision):
            raise web.HTTPVersionNotSupported(text="505: ask for this address by HTTP/1.1\n")
        address = context.proxy.address(decision)
        if address is None:
            why = await context.proxy.why_not_ready(decision)
            raise web.HTTPServiceUnavailable(text=f"503: {decision.name} is not ready: {why}\n")
        target = await context.proxy.target(request, decision, address)
        backend = await self._backends.get(address)
        if not stream.is_closed:
            headers = backend_headers(request, target)
            self._join(stream, backend, headers, decision, target.hidden_cookies)

    def _join(
        self,
        stream: ClientStream,
        connection: BackendConnection,
        headers: Headers,
        decision: Decision,
        hidden_cookies: frozenset[str],
    ) -> None:
        proxy, timeout, began = self._context.proxy, decision.route.timeout, time.perf_counter()
        timer = (
            asyncio.get_running_loop().call_later(
                timeout.total_seconds(),
                partial(_time_out, stream, f"504: {decision.route.owner} did not answer in time"),
            )
            if timeout is not None
            else None
        )

        def respond(response: Headers, is_end: bool) -> None:
            if timer is not None:
                timer.cancel()  # the timeout is for the head: a stream may last
            proxy.metrics.proxied(decision.path, time.perf_counter() - began)
            proxy.metrics.answered(decision.path, "POST", int(dict(response).get(b":status", b"0")))
            if not stream.is_closed:
                stream.send_headers(passed_response(response, hidden_cookies), is_end=is_end)

        backend = connection.begin(headers, respond)
        call = Call(stream, backend)
        proxy.tunnels.add(call, decision.identity, decision.access, partial(proxy.policies_admit, decision))
        stream.on_data = partial(proxy.record_data, decision)

        def closed() -> None:
            proxy.tunnels.remove(call)
            if timer is not None:
                timer.cancel()

        backend.on_broken = partial(_log_broken, stream, decision)
        stream.on_closed = closed
        stream.join(backend)


def _log_broken(stream: ClientStream, decision: Decision, code: int) -> None:
    when = "in the middle of an answer " if stream.has_sent_headers else ""
    log.info("backend failed %sroute=%s protocol=h2 error=%s", when, decision.route.owner, _ERROR_NAMES.get(code, code))


def _time_out(stream: ClientStream, message: str) -> None:
    if not stream.has_sent_headers and not stream.is_closed:
        backend = stream.other
        stream.answer(504, message)
        if backend is not None:
            backend.reset(ErrorCodes.CANCEL)
