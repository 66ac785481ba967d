"""HTTP/1.1 connections to backends, kept open between requests.

They speak httptools directly: a proxied request costs a third of what an aiohttp client session costs
(`make bench-gateway` measures it). A connection carries one exchange at a time. Bodies are never held whole: reading
stops while the client is slow, and writing waits while the backend is.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Protocol, cast

import httptools

HIGH_WATER, LOW_WATER = 256 << 10, 64 << 10  # bytes of a response that wait for the client
MAX_HEAD_BYTES = 256 << 10
MAX_IDLE_CONNECTIONS = 64  # of one backend
IDLE_TIMEOUT = timedelta(seconds=55)  # below the 60 s after which common servers close idle connections

Address = tuple[str, int]
Headers = list[tuple[bytes, bytes]]


class BackendFailed(Exception):
    """The backend cannot be reached, or broke off. `answered`: part of its response had arrived."""

    def __init__(self, message: str, *, answered: bool = False) -> None:
        super().__init__(message)
        self.answered = answered


class Sink(Protocol):
    """Where bytes go once a connection has become a tunnel."""

    def write(self, data: bytes, /) -> None: ...
    def close(self) -> None: ...
    def pause(self, is_paused: bool, /) -> None:
        """Send the backend nothing for a while: it takes no more."""


class Upstream(asyncio.Protocol):
    """One connection to a backend."""

    def __init__(self) -> None:
        self.status = 0
        self.reason = ""
        self.headers: Headers = []
        self.is_complete = False
        self.is_reusable = False
        self.idle_since = 0.0
        self.lost_by: Exception | None = None
        """The error by which the connection has ended; None while it is open, and where an end closed it."""
        self._transport: asyncio.Transport | None = None
        self._parser = httptools.HttpResponseParser(self)
        self._is_head_request = False
        self._has_head = False
        self._head_bytes = 0
        self._chunks: deque[bytes] = deque()
        self._buffered = 0
        self._is_paused = False
        self._waiter: asyncio.Future[None] | None = None
        self._can_write: asyncio.Future[None] | None = None
        self._error: Exception | None = None
        self._tunnel: Sink | None = None
        self._leftover = b""

    # What the event loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        if self._tunnel is not None:
            self._tunnel.write(data)
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            offset: int = upgrade.args[0]
            self._leftover = data[offset:]
            if self._transport is not None:
                self._transport.pause_reading()
        except httptools.HttpParserError as error:
            self._fail(BackendFailed(f"not HTTP: {error}", answered=self._has_head))
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost_by = exc
        if self._tunnel is not None:
            self._tunnel.close()
        if self._has_head and not self.is_complete and exc is None and self._ends_with_connection():
            self.is_complete = True
        self.is_reusable = False
        self._transport = None
        if not self.is_complete:
            self._fail(BackendFailed(str(exc or "the connection was closed"), answered=self._has_head))
        self._wake()
        self.resume_writing()

    def pause_writing(self) -> None:
        if self._tunnel is not None:
            self._tunnel.pause(True)
        if self._can_write is None:
            self._can_write = asyncio.get_running_loop().create_future()

    def resume_writing(self) -> None:
        if self._tunnel is not None:
            self._tunnel.pause(False)
        if self._can_write is not None and not self._can_write.done():
            self._can_write.set_result(None)
        self._can_write = None

    # What the parser calls.

    def on_message_begin(self) -> None:
        self.headers, self._head_bytes = [], 0
        self.reason = ""

    def on_status(self, status: bytes) -> None:
        self.reason = status.decode("latin-1")

    def on_header(self, name: bytes, value: bytes) -> None:
        self._head_bytes += len(name) + len(value)
        if self._head_bytes > MAX_HEAD_BYTES:
            self._fail(BackendFailed("the headers of the answer are too long"))
            return
        self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        self.status = self._parser.get_status_code()
        if self.status >= 200 or self.status == 101:
            self._has_head = True
            # The parser does not know of HEAD: it would wait for the body that Content-Length announces.
            self.is_complete = self._is_head_request

    def on_body(self, body: bytes) -> None:
        if self.is_complete:
            return
        self._chunks.append(body)
        self._buffered += len(body)
        if self._buffered > HIGH_WATER and not self._is_paused and self._transport is not None:
            self._is_paused = True
            self._transport.pause_reading()

    def on_message_complete(self) -> None:
        if self._has_head:  # not of an interim response
            self.is_reusable = not self._is_head_request and self._parser.should_keep_alive()
            self.is_complete = True

    # What the proxy calls.

    @property
    def is_open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    def begin(self, head: bytes, *, is_head_request: bool = False) -> None:
        """Send the head of a request. Only on a connection that is open and carries no other exchange."""
        self.status, self.is_complete, self.is_reusable, self._has_head = 0, False, False, False
        self._is_head_request = is_head_request
        self.write(head)

    def write(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write(data)

    async def drained(self) -> None:
        """Wait while the backend takes no more."""
        if self._can_write is not None:
            await asyncio.shield(self._can_write)

    async def head(self) -> None:
        """Wait for status and headers. Raises BackendFailed."""
        while not self._has_head:
            await self._change()

    async def chunk(self) -> bytes:
        """The next piece of the body; empty at its end. Raises BackendFailed."""
        while not self._chunks:
            if self.is_complete:
                return b""
            await self._change()
        body = self._chunks.popleft()
        self._buffered -= len(body)
        self._read_on()
        return body

    def take_body(self) -> bytes:
        """The whole body of a response that is complete."""
        body = self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)
        self._chunks.clear()
        self._buffered = 0
        self._read_on()  # or the next answer on this connection would never be read
        return body

    def _read_on(self) -> None:
        if self._is_paused and self._buffered < LOW_WATER and self._transport is not None:
            self._is_paused = False
            self._transport.resume_reading()

    def tunnel_to(self, sink: Sink) -> None:
        """After 101: what comes from the backend goes to the sink, unread."""
        self._tunnel = sink
        if self._leftover:
            sink.write(self._leftover)
            self._leftover = b""
        if self._transport is None:
            sink.close()
        else:
            self._transport.resume_reading()

    def pause(self, is_paused: bool) -> None:
        """Pause or resume reading, as the sink of a tunnel requires."""
        if self.is_open and self._transport is not None:
            (self._transport.pause_reading if is_paused else self._transport.resume_reading)()

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    async def _change(self) -> None:
        if self._error is not None:
            raise self._error
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _fail(self, error: Exception) -> None:
        if self._error is None:
            self._error = error
        self.abort()

    def _ends_with_connection(self) -> bool:
        names = {name.lower() for name, _ in self.headers}
        return b"content-length" not in names and b"transfer-encoding" not in names


Dial = Callable[[Address], Awaitable[Upstream]]


class Pool:
    """Open connections that wait for the next request to their backend."""

    def __init__(self, dial: Dial) -> None:
        self._dial = dial
        self._idle: dict[Address, list[Upstream]] = {}

    async def get(self, address: Address, *, fresh: bool = False) -> tuple[Upstream, bool]:
        """A connection, and whether it was used before (then the backend may just have closed it)."""
        idle = self._idle.get(address, [])
        oldest = asyncio.get_running_loop().time() - IDLE_TIMEOUT.total_seconds()
        while idle and not fresh:
            upstream = idle.pop()
            if upstream.is_open and upstream.idle_since > oldest:
                return upstream, True
            upstream.close()
        return await self._dial(address), False

    def give_back(self, address: Address, upstream: Upstream) -> None:
        if not (upstream.is_complete and upstream.is_reusable and upstream.is_open):
            upstream.close()
            return
        idle = self._idle.setdefault(address, [])
        if len(idle) >= MAX_IDLE_CONNECTIONS:
            idle.pop(0).close()
        upstream.idle_since = asyncio.get_running_loop().time()
        idle.append(upstream)

    def close(self) -> None:
        for idle in self._idle.values():
            for upstream in idle:
                upstream.close()
        self._idle.clear()
