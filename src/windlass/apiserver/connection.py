"""HTTP/1.1 on one connection: bytes in, `Request`s to the handler, `Response`s out.

A thin protocol on httptools rather than an ASGI server, for three things that ASGI does not support: the client's TLS
certificate, taking over a connection for SPDY or WebSocket tunnels, and answering a read in the same event loop
iteration in which its bytes arrived, without a task. The handler returns a `Response`, a `Stream`, a `Takeover`, or an
awaitable of one.
"""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from http import HTTPStatus
from typing import Any, TypeAlias, cast
from urllib.parse import unquote

import httptools

MAX_BODY = 3 * 1024 * 1024  # Kubernetes' limit of a request body
MAX_HEADERS = 64 * 1024
REQUEST_TIMEOUT = 60.0  # to send a whole request, from its first byte
IDLE_TIMEOUT = 300.0  # between requests of a kept connection
CHUNK = 256 * 1024
_LARGE_HEADERS = "the request's headers are too large"

Headers: TypeAlias = Sequence[tuple[bytes, bytes]]
log = logging.getLogger("windlass.http")


class Request:
    """A complete request. Header names are lower case; `headers` keeps the last of repeated ones, `all_headers` all."""

    __slots__ = (
        "all_headers", "annotations", "asked", "body", "connection", "headers", "leftover", "method", "path",
        "query_string",
    )  # fmt: skip

    def __init__(self, method: str, path: str, query_string: bytes, all_headers: Headers, connection: "Connection"):
        self.method = method
        self.path = path
        self.query_string = query_string
        self.all_headers = all_headers
        self.headers = dict(all_headers)
        self.body: bytes = b""
        self.leftover: bytes = b""
        self.asked: Any = None
        """What the handler found out (the user and the parsed request), for the log of the response."""
        self.annotations: dict[str, str] = {}
        """Annotations of the request's audit event, which admission adds."""
        self.connection = connection

    @property
    def upgrade(self) -> bytes:
        """The protocol that the client requests to switch to, if any."""
        if b"upgrade" not in self.headers.get(b"connection", b"").lower():
            return b""
        return self.headers.get(b"upgrade", b"")


class Response:
    """A complete response."""

    __slots__ = ("body", "content_type", "headers", "status")

    def __init__(
        self, status: int, body: bytes, content_type: bytes = b"application/json", headers: Headers = ()
    ) -> None:
        self.status = status
        self.body = body
        self.content_type = content_type
        self.headers = headers


class Stream:
    """A response whose body is streamed; `length` is known for long lists and unknown for watches."""

    __slots__ = ("chunks", "content_type", "headers", "length", "send", "status")

    def __init__(
        self,
        status: int,
        chunks: AsyncIterator[bytes],
        content_type: bytes = b"application/json",
        headers: Headers = (),
        length: int | None = None,
    ) -> None:
        self.status = status
        self.chunks = chunks
        self.content_type = content_type
        self.headers = headers
        self.length = length
        self.send: Callable[[bytes], bool] | None = None
        """Set while the response is sent: writes a chunk out of band of `chunks`, which must be waiting. False if the
        client is behind, and the chunk must be queued.
        """


class Takeover:
    """Hands the connection over: `run` owns its transport from here on."""

    __slots__ = ("run",)

    def __init__(self, run: Callable[[asyncio.Transport, bytes], Awaitable[asyncio.Protocol]]) -> None:
        self.run = run


Answer: TypeAlias = Response | Stream | Takeover
ANSWERS = (Response, Stream, Takeover)  # a tuple: `isinstance` asks it on every request, and a union is made each time
Handler: TypeAlias = Callable[[Request], Answer | Awaitable[Answer]]

_REFUSAL = (
    b'{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"%b","reason":"%b","code":%d}'
)
_REASONS = {400: b"BadRequest", 413: b"RequestEntityTooLarge", 500: b"InternalError"}
_STATUS_LINES = {
    status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: ".encode() for status in HTTPStatus
}


def _head(status: int, content_type: bytes, headers: Headers, framing: bytes, keep_alive: bool) -> bytes:
    more = b"".join([b"%b: %b\r\n" % header for header in headers]) if headers else b""
    close = b"" if keep_alive else b"connection: close\r\n"
    return b"%b%b\r\n%b%b%b\r\n" % (_STATUS_LINES[status], content_type, framing, more, close)


_RECEIVED = memoryview(bytearray(1 << 18))
"""Where all connections read to, one after the other: what is received is used up before the next read.

A buffer for each read would be next to the object that the request stores, and leave a hole there when it is freed.
"""


class Connection(asyncio.BufferedProtocol):
    """A client's connection; its requests are answered one after the other, in order."""

    def __init__(self, handler: Handler, open_connections: "set[Connection]", loop: asyncio.AbstractEventLoop) -> None:
        self._handler = handler
        self._open = open_connections
        self._loop = loop
        self._parser = httptools.HttpRequestParser(self)
        self._waiting: deque[Request] = deque()
        self._task: asyncio.Task[None] | None = None
        self._current: Request | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        self._timer: asyncio.TimerHandle | None = None
        self._deadline = 0.0
        self._stopping = False
        self._streaming = False
        self._taken: asyncio.Protocol | None = None
        self._early: list[bytes] = []
        self.transport: asyncio.Transport
        self.peer_certificate: bytes | None = None
        self.remote = ""

    # what asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # uvloop's TLS transports are of no asyncio class
        self._open.add(self)
        tls = transport.get_extra_info("ssl_object")
        if tls is not None:
            self.peer_certificate = tls.getpeercert(binary_form=True)
        peer: Any = transport.get_extra_info("peername")
        self.remote = f"{peer[0]}:{peer[1]}" if isinstance(peer, tuple) and peer else "local"
        self._arm(REQUEST_TIMEOUT)

    def connection_lost(self, exc: Exception | None) -> None:
        self._open.discard(self)
        if self._timer is not None:
            self._timer.cancel()
        self._writable.set()
        if self._taken is not None:
            self._taken.connection_lost(exc)
        elif self._task is not None:
            self._task.cancel()

    def get_buffer(self, sizehint: int) -> memoryview:
        return _RECEIVED

    def buffer_updated(self, nbytes: int) -> None:
        data = _RECEIVED[:nbytes]
        if self._taken is not None:
            self._taken.data_received(bytes(data))
            return
        if self._current is not None and self._current.upgrade:
            self._early.append(bytes(data))
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._request.leftover = bytes(data[upgrade.args[0] :])
        except httptools.HttpParserError as error:
            self._refuse(400, f"malformed HTTP request: {error}")

    def eof_received(self) -> bool:
        return self._taken is not None and bool(self._taken.eof_received())

    def pause_writing(self) -> None:
        self._writable.clear()
        if self._taken is not None:
            self._taken.pause_writing()

    def resume_writing(self) -> None:
        self._writable.set()
        if self._taken is not None:
            self._taken.resume_writing()

    # what httptools calls

    def on_message_begin(self) -> None:
        self._url = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._header_size = 0
        self._body: list[bytes] = []
        self._body_size = 0
        if not self._waiting and self._current is None:
            self._arm(REQUEST_TIMEOUT)

    def on_url(self, url: bytes) -> None:
        self._url += url
        self._header_size += len(url)
        if self._header_size > MAX_HEADERS:
            self._refuse(431, _LARGE_HEADERS)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers.append((name.lower(), value))
        self._header_size += len(name) + len(value)
        if self._header_size > MAX_HEADERS:
            self._refuse(431, _LARGE_HEADERS)

    def on_headers_complete(self) -> None:
        url = httptools.parse_url(self._url)
        path = url.path.decode("latin-1")
        if "%" in path:
            path = unquote(path)
        method = self._parser.get_method().decode("ascii")
        self._request = Request(method, path, url.query or b"", self._headers, self)
        if self._request.headers.get(b"expect", b"").lower() == b"100-continue":
            self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, body: bytes) -> None:
        self._body_size += len(body)
        if self._body_size > MAX_BODY:
            self._refuse(413, f"Request entity too large: limit is {MAX_BODY}")
            return
        self._body.append(body)

    def on_message_complete(self) -> None:
        if self._stopping:
            return
        request = self._request
        request.body = self._body[0] if len(self._body) == 1 else b"".join(self._body)
        self._deadline = 0.0
        if self._current is not None:
            self._waiting.append(request)
            self.transport.pause_reading()
        elif request.upgrade:
            # the parser only now stops; what follows the head in the same packet belongs to the new protocol
            self._current = request
            self._loop.call_soon(self._start, request)
        else:
            self._start(request)

    # answering

    def _start(self, request: Request) -> None:
        self._current = request
        try:
            answer = self._handler(request)
        except Exception:  # the last resort: a defect costs its request, not the server
            log.exception("no answer to %s %s", request.method, request.path)
            self._refuse(500, "Internal Server Error")
            return
        if isinstance(answer, Response):
            self._write(answer, request)
            self._finished()
        else:
            self._task = self._loop.create_task(self._answer(answer, request))

    async def _answer(self, answer: Answer | Awaitable[Answer], request: Request) -> None:
        try:
            if not isinstance(answer, ANSWERS):
                answer = await answer
            if isinstance(answer, Response):
                self._write(answer, request)
            elif isinstance(answer, Stream):
                await self._stream(answer, request)
            else:
                await self._hand_over(answer, request)
                return
        except asyncio.CancelledError:
            self.transport.abort()
            raise
        except Exception:  # as above; part of an answer may be out, so only ending it is honest
            log.exception("no answer to %s %s", request.method, request.path)
            self.transport.abort()
            return
        self._task = None
        self._finished()

    def _write(self, response: Response, request: Request) -> None:
        body = response.body
        head = _head(
            response.status,
            response.content_type,
            response.headers,
            b"content-length: %d\r\n" % len(body),
            self._keeps_alive(),
        )
        if request.method == "HEAD":
            self.transport.write(head)
        elif len(body) < CHUNK:
            self.transport.write(head + body)
        else:
            self.transport.write(head)
            self.transport.write(body)

    async def _stream(self, stream: Stream, request: Request) -> None:
        chunked = stream.length is None
        self._streaming = chunked
        framing = b"transfer-encoding: chunked\r\n" if chunked else b"content-length: %d\r\n" % stream.length
        self.transport.write(_head(stream.status, stream.content_type, stream.headers, framing, self._keeps_alive()))
        if chunked and request.method != "HEAD":
            stream.send = self._send
        async for chunk in stream.chunks:
            if request.method == "HEAD" or not chunk:
                continue
            self.transport.write(b"%x\r\n%b\r\n" % (len(chunk), chunk) if chunked else chunk)
            if not self._writable.is_set():
                await self._writable.wait()
        if chunked and request.method != "HEAD":
            self.transport.write(b"0\r\n\r\n")
        self._streaming = False

    def _send(self, chunk: bytes) -> bool:
        if not self._writable.is_set() or self.transport.is_closing():
            return False
        self.transport.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
        return True

    async def _hand_over(self, takeover: Takeover, request: Request) -> None:
        taken = await takeover.run(self.transport, request.leftover + b"".join(self._early))
        self._taken = taken
        self._early.clear()

    def _keeps_alive(self) -> bool:
        return not self._stopping and self._parser.should_keep_alive()

    def _finished(self) -> None:
        keep = self._keeps_alive()
        self._current = None
        if not keep or self.transport.is_closing():
            self.transport.close()
        elif self._waiting:
            self.transport.resume_reading()
            self._loop.call_soon(self._start, self._waiting.popleft())
        else:
            self._arm(IDLE_TIMEOUT)

    # refusing and stopping

    def _refuse(self, status: int, message: str) -> None:
        if self._stopping:
            return
        self._stopping = True
        body = _REFUSAL % (
            message.encode("ascii", "replace").replace(b"\\", b"").replace(b'"', b"'"),
            _REASONS.get(status, b""),
            status,
        )
        if not self.transport.is_closing():
            framing = b"content-length: %d\r\n" % len(body)
            self.transport.write(_head(status, b"application/json", (), framing, False) + body)
            self.transport.close()

    def stop(self) -> None:
        """Finish the current response, then close; a watch is ended at once."""
        self._stopping = True
        if self._taken is not None or self._current is None:
            self.transport.close()

    @property
    def answers(self) -> bool:
        """Whether a request other than a stream is being answered."""
        return self._current is not None and not self._streaming

    def abort(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self.transport.abort()

    def _arm(self, seconds: float) -> None:
        """Close the connection after `seconds`, unless `_deadline` is moved or cleared (0) before.

        There is one timer per connection, which checks the deadline when it fires: creating and cancelling a timer for
        each request would cost more than reading the request.
        """
        self._deadline = self._loop.time() + seconds
        if self._timer is None or self._timer.when() > self._deadline:
            self._set_timer()

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(self._deadline, self._check_deadline)

    def _check_deadline(self) -> None:
        self._timer = None
        if not self._deadline:
            return  # a request is being answered; the next `_arm` sets the timer again
        if self._loop.time() >= self._deadline:
            self._stopping = True
            self.transport.close()
        else:
            self._set_timer()
