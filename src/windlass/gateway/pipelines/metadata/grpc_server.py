"""gRPC over HTTP/2 without TLS, for pods: calls with one message and one answer."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from windlass.gateway.pipelines.metadata.frames import MAX_MESSAGE, SERVICE_PATH, framed, only_message
from windlass.gateway.proxy.http2.answers import grpc_status
from windlass.gateway.proxy.http2.clients import ClientConnection, ClientStream
from windlass.gateway.proxy.http2.connection import Connection, Headers
from windlass.gateway.proxy.http2.requests import request_of
from windlass.gateway.proxy.paths import BadPath
from windlass.gateway.request import Http2Request
from windlass.pipelines.wire.errors import ResourceExhausted, WireError

Answer: TypeAlias = Callable[[Http2Request, str, bytes], Awaitable[bytes]]
"""From a request, its method and its message to the message that answers it; raises WireError."""
GRPC_HEADERS = [(b":status", b"200"), (b"content-type", b"application/grpc")]
INTERNAL = 13

log = logging.getLogger(__name__)


class UnaryStream(ClientStream):
    """A request whose body is read as a whole."""

    def __init__(self, connection: Connection, number: int, *, as_grpc: bool) -> None:
        super().__init__(connection, number, as_grpc=as_grpc)
        self.body: asyncio.Future[bytes | None] = asyncio.get_running_loop().create_future()
        """None if it is too large."""
        self._received = bytearray()

    def received(self, data: bytes, size: int) -> None:
        self.connection.acknowledge(self.number, size)
        if self.body.done():
            return
        self._received += data
        if len(self._received) > MAX_MESSAGE:
            self._received.clear()
            self.body.set_result(None)

    def received_end(self, trailers: Headers = ()) -> None:
        super().received_end(trailers)
        if not self.body.done():
            self.body.set_result(bytes(self._received))

    def respond(self, message: bytes) -> None:
        self.send_headers(GRPC_HEADERS)
        self.send(framed(message))
        self.end(grpc_status(0, ""))

    def refuse(self, code: int, message: str) -> None:
        """For gRPC the headers are the whole answer."""
        if not self.is_closed:
            self.send_headers([*GRPC_HEADERS, *grpc_status(code, message)], is_end=True)


class UnaryConnection(ClientConnection):
    stream_type = UnaryStream


class GrpcServer:
    """All connections of one listener."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._connections: set[ClientConnection] = set()

    def connection(self) -> ClientConnection:
        """The protocol of a new connection."""
        connection = UnaryConnection(self._serve, self._connections.discard)
        self._connections.add(connection)
        return connection

    def close(self) -> None:
        for connection in list(self._connections):
            connection.close()

    async def _serve(self, stream: ClientStream, headers: Headers) -> None:
        assert isinstance(stream, UnaryStream)
        try:
            request = request_of(headers, stream.connection.transport)
        except BadPath as error:
            stream.answer(400, f"400: {error}")
            return
        service, _, method = request.path.strip("/").partition("/")
        if not stream.as_grpc or request.method != "POST" or service != SERVICE_PATH:
            stream.answer(404, f"404: this address serves {SERVICE_PATH} by gRPC, and nothing else")
            return
        await self._call(stream, request, method)

    async def _call(self, stream: UnaryStream, request: Http2Request, method: str) -> None:
        try:
            body = await stream.body
            if body is None:
                raise ResourceExhausted(f"the message has more than {MAX_MESSAGE >> 20} MiB")
            stream.respond(await self._answer(request, method, only_message(body)))
        except WireError as error:
            stream.refuse(error.code, error.message)
        except Exception:  # a fault in one call must neither end the connection nor leave its caller waiting
            log.exception("request failed method=%s", method)
            stream.refuse(INTERNAL, "internal error; the gateway's log has the details")
