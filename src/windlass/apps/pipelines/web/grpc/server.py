"""gRPC over HTTP/2 without TLS, for pods: calls with one message and one answer, and dialogs, which have several."""

import asyncio
import logging
from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping
from typing import Generic, TypeAlias, TypeVar

from windlass.apps.pipelines.web.grpc.frames import framed, only_message, take_message
from windlass.apps.pipelines.wire.errors import ResourceExhausted, WireError
from windlass.apps.pipelines.wire.grpc.errors import status_of
from windlass.gateway.proxy.http2.answers import grpc_status
from windlass.gateway.proxy.http2.clients import ClientConnection, ClientStream, Serve
from windlass.gateway.proxy.http2.connection import Connection, Headers
from windlass.gateway.proxy.http2.requests import request_of
from windlass.gateway.proxy.paths import BadPath
from windlass.gateway.request import Http2Request

CallerT = TypeVar("CallerT")
Reply: TypeAlias = Callable[[bytes], bytes]
"""From a message of a dialog to its answer; raises WireError."""
MAX_REPLIES = 1000
GRPC_HEADERS = [(b":status", b"200"), (b"content-type", b"application/grpc")]

log = logging.getLogger(__name__)


class GrpcStream(ClientStream):
    """A request whose body is read as a whole, or in a dialog message by message."""

    def __init__(self, connection: Connection, number: int, *, as_grpc: bool) -> None:
        super().__init__(connection, number, as_grpc=as_grpc)
        assert isinstance(connection, GrpcConnection)
        self._limit = connection.max_message
        self.body: asyncio.Future[bytes | None] = asyncio.get_running_loop().create_future()
        """None if it is too large."""
        self._received = bytearray()
        self._has_news = asyncio.Event()

    def received(self, data: bytes, size: int) -> None:
        self.connection.acknowledge(self.number, size)
        if self.body.done():
            return
        self._received += data
        self._has_news.set()
        if len(self._received) > self._limit:
            self.stop_reading()

    def stop_reading(self) -> None:
        """Hold nothing of what the client may still send."""
        self._received.clear()
        self._has_news.set()
        if not self.body.done():
            self.body.set_result(None)

    async def whole_message(self) -> bytes:
        """The only message of the request."""
        return only_message(self._checked(await self.body))

    def _checked(self, body: bytes | None) -> bytes:
        if body is None:
            raise ResourceExhausted(f"the message has more than {self._limit >> 20} MiB")
        return body

    def received_end(self, trailers: Headers = ()) -> None:
        super().received_end(trailers)
        self._has_news.set()
        if not self.body.done():
            self.body.set_result(bytes(self._received))

    def respond(self, message: bytes) -> None:
        self.send_headers(GRPC_HEADERS)
        self.send(framed(message))
        self.end(grpc_status(0, ""))

    async def converse(self, reply: Reply) -> None:
        """Answer each message as it arrives, until the client ends."""
        self.send_headers(GRPC_HEADERS)
        for _ in range(MAX_REPLIES):
            while (message := take_message(self._received)) is None:
                if self.body.done():
                    self._checked(self.body.result())
                    self.end(grpc_status(0, ""))
                    return
                self._has_news.clear()
                await self._has_news.wait()
            self.send(framed(reply(message)))
        raise ResourceExhausted(f"a stream has at most {MAX_REPLIES} messages")

    def refuse(self, error: WireError) -> None:
        """For gRPC the headers are the whole answer."""
        self.stop_reading()
        code, message, details = status_of(error)
        status = [*grpc_status(code, message), (b"grpc-status-details-bin", b64encode(details).rstrip(b"="))]
        if self.has_sent_headers and not self.is_closed:
            self.end(status)
        elif not self.is_closed:
            self.send_headers([*GRPC_HEADERS, *status], is_end=True)


class GrpcConnection(ClientConnection):
    stream_type = GrpcStream

    def __init__(self, serve: Serve, on_lost: Callable[[ClientConnection], None], max_message: int) -> None:
        super().__init__(serve, on_lost)
        self.max_message = max_message


class GrpcServer(Generic[CallerT]):
    """All connections of one listener.

    `identify` says who a request is from, before its message is awaited; `answer` takes the caller, the service, the
    method and the message. Both raise WireError. `dialogs` are the other methods, by their paths.
    """

    def __init__(
        self,
        identify: Callable[[Http2Request], Awaitable[CallerT]],
        answer: Callable[[CallerT, str, str, bytes], Awaitable[bytes]],
        max_message: int,
        dialogs: Mapping[str, Reply] | None = None,
    ) -> None:
        self._identify, self._answer, self._max_message = identify, answer, max_message
        self._dialogs = dialogs or {}
        self._connections: set[ClientConnection] = set()

    def connection(self) -> ClientConnection:
        """The protocol of a new connection."""
        connection = GrpcConnection(self._serve, self._connections.discard, self._max_message)
        self._connections.add(connection)
        return connection

    def close(self) -> None:
        for connection in list(self._connections):
            connection.close()

    async def _serve(self, stream: ClientStream, headers: Headers) -> None:
        assert isinstance(stream, GrpcStream)
        try:
            request = request_of(headers, stream.connection.transport)
        except BadPath as error:
            stream.answer(400, f"400: {error}")
            return
        if not stream.as_grpc or request.method != "POST":
            stream.answer(505, "505: this address answers gRPC by HTTP/2, and all else by HTTP/1.1")
            return
        await self._call(stream, request)

    async def _call(self, stream: GrpcStream, request: Http2Request) -> None:
        service, _, method = request.path.strip("/").partition("/")
        try:
            caller = await self._identify(request)
            if (reply := self._dialogs.get(request.path)) is not None:
                await stream.converse(reply)
                return
            stream.respond(await self._answer(caller, service, method, await stream.whole_message()))
        except WireError as error:
            stream.refuse(error)
        except Exception:  # a fault in one call must neither end the connection nor leave its caller waiting
            log.exception("request failed service=%s method=%s", service, method)
            stream.refuse(WireError("internal error; the gateway's log has the details"))
