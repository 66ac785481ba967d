"""Moves the bytes of SPDY and WebSocket connections: streams and messages with back-pressure both ways.

Nothing is read from a connection while a slow reader holds up earlier data. Such a stalled connection gets a keep-alive
every 20 seconds, which also detects when the other side has gone.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Protocol

from windlass.node.streams import spdy, websocket

_CHUNK = 64 << 10
_HELD = 256 << 10  # bytes of one stream that wait for their reader before the connection is read no further
_MAX_STREAMS = 1000
_KEEP_ALIVE_INTERVAL = 20.0
_LINGER = 5.0
_DEFAULT_WINDOW = 64 << 10


class Wire(Protocol):
    """Bytes both ways."""

    async def read(self) -> bytes:
        """Return the next bytes; empty at the end."""
        ...

    async def write(self, data: bytes) -> None: ...


class Tcp:
    """A plain connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def read(self) -> bytes:
        return await self._reader.read(_CHUNK)

    async def write(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()


class WebSocket:
    """Messages on an upgraded connection; also a Wire, when only bytes matter (the SPDY tunnel)."""

    def __init__(self, wire: Wire) -> None:
        self._wire, self._decoder = wire, websocket.Decoder()
        self._messages: deque[websocket.Message] = deque()
        self._ended = self._closing = False

    async def receive(self) -> websocket.Message | None:
        """Return the next data message; None when the client has closed or gone."""
        while True:
            while self._messages:
                message = self._messages.popleft()
                if message.opcode == websocket.PING:
                    await self._send(websocket.PONG, message.data)
                elif message.opcode == websocket.CLOSE:
                    self._ended = True
                    await self.close()
                elif message.opcode != websocket.PONG and not self._ended:
                    return message
            data = b"" if self._ended else await self._wire.read()
            if not data:
                self._ended = True
                return None
            try:
                self._messages.extend(self._decoder.feed(data))
            except websocket.BadFrame as error:
                await self.close(error.code)
                self._ended = True
                return None

    async def send(self, data: bytes, opcode: int = websocket.BINARY) -> None:
        await self._send(opcode, data)

    async def _send(self, opcode: int, data: bytes) -> None:
        if not self._closing:
            await self._wire.write(websocket.encode(opcode, data))

    async def read(self) -> bytes:
        while (message := await self.receive()) is not None:
            if message.data:
                return message.data
        return b""

    async def write(self, data: bytes) -> None:
        await self._send(websocket.BINARY, data)

    async def ping(self) -> None:
        """Send a keep-alive while this side does not read and so cannot answer pings."""
        await self._send(websocket.PONG, b"")

    async def close(self, code: int = 1000) -> None:
        if not self._closing:
            await self._send(websocket.CLOSE, code.to_bytes(2, "big"))
            self._closing = True

    async def linger(self) -> None:
        """Read until the client closes: closing early could lose it the last bytes sent."""
        with contextlib.suppress(TimeoutError, OSError):
            async with asyncio.timeout(_LINGER):
                while await self.receive() is not None:
                    pass


class Stream:
    """One SPDY stream."""

    def __init__(self, connection: "Spdy", number: int, headers: dict[str, str]) -> None:
        self.number, self.headers = number, headers
        self._connection = connection
        self._held: deque[bytes] = deque()
        self._size = 0
        self._ended = self._closed = self._reset = False
        self._news, self._room = asyncio.Event(), asyncio.Event()
        self._window, self._wider = _DEFAULT_WINDOW, asyncio.Event()

    async def read(self) -> bytes:
        """Return the next bytes; empty at the end."""
        while not self._held:
            if self._ended:
                return b""
            self._news.clear()
            await self._news.wait()
        data = self._held.popleft()
        self._size -= len(data)
        self._room.set()
        await self._connection.taken(self.number, len(data))
        return data

    async def write(self, data: bytes) -> None:
        """Write to the client. Raises ConnectionResetError when it has reset the stream."""
        for at in range(0, len(data), _CHUNK):
            await self._write(data[at : at + _CHUNK])

    async def _write(self, data: bytes) -> None:
        while data:
            if self._reset:
                raise ConnectionResetError("the client has reset the stream")
            allowed = self._window if self._connection.windows else len(data)
            if allowed <= 0:
                self._wider.clear()
                await self._wider.wait()
                continue
            self._window -= min(allowed, len(data))
            await self._connection.send(spdy.Data(self.number, data[:allowed]))
            data = data[allowed:]

    async def close(self) -> None:
        """Close this side: nothing more will be written."""
        if not self._closed and not self._reset:
            self._closed = True
            await self._connection.send(spdy.Data(self.number, b"", fin=True))
        self._connection.forget(self)

    async def reset(self) -> None:
        if not self._reset:
            self.cut()
            await self._connection.send(spdy.Reset(self.number, spdy.CANCEL))
        self._connection.forget(self)

    def ignore(self) -> None:
        """Discard what the client still sends. A reset would lose data that it has not read yet."""
        self._held.clear()
        self.end()
        self._connection.forget(self)

    @property
    def over(self) -> bool:
        return self._reset or (self._ended and self._closed)

    def cut(self) -> None:
        self._reset = True
        self.end()
        self._wider.set()

    def end(self) -> None:
        self._ended = True
        self._news.set()
        self._room.set()

    def widen(self, delta: int) -> None:
        self._window += delta
        self._wider.set()

    async def put(self, data: bytes, fin: bool) -> None:
        """Queue data from the connection; waits while the reader has enough."""
        while self._size >= _HELD and not self._ended:
            self._room.clear()
            await self._room.wait()
        if data and not self._ended:
            self._held.append(data)
            self._size += len(data)
            self._news.set()
        if fin:
            self.end()


class Spdy:
    """The server's end of a SPDY connection whose streams the client opens.

    kubectl's SPDY has no flow control: it sends no WINDOW_UPDATE, whatever it has read, and only TCP slows a sender
    down. So windows apply only to a client that has shown that it updates them.
    """

    def __init__(self, wire: Wire, opened: Callable[[Stream], Awaitable[None]]) -> None:
        self._wire, self._codec, self._opened = wire, spdy.Codec(), opened
        self._streams: dict[int, Stream] = {}
        self._last = 0
        self._window = _DEFAULT_WINDOW
        self.windows = False

    async def run(self) -> None:
        """Read frames until the client goes, or violates the protocol."""
        try:
            while data := await self._wire.read():
                for frame in self._codec.feed(data):
                    await self._take(frame)
        except (spdy.BadFrame, OSError):
            return
        finally:
            for stream in list(self._streams.values()):
                stream.cut()
            self._streams.clear()

    async def _take(self, frame: spdy.Frame) -> None:
        match frame:
            case spdy.SynStream():
                await self._open(frame)
            case spdy.Data(number, data, fin):
                stream = self._streams.get(number)
                if stream is not None:
                    await stream.put(data, fin)
                    self._drop_if_over(stream)
            case spdy.Headers(number, _, True) if number in self._streams:
                self._streams[number].end()
            case spdy.Reset(number) if number in self._streams:
                self._streams.pop(number).cut()
            case spdy.Ping(number) if number % 2:
                await self.send(frame)
            case spdy.WindowUpdate(number, delta):
                self.windows = True
                if number in self._streams:
                    self._streams[number].widen(delta)
            case spdy.InitialWindow(size):
                self.windows = True
                for stream in self._streams.values():
                    stream.widen(size - self._window)
                self._window = size
            case _:
                pass

    async def _open(self, frame: spdy.SynStream) -> None:
        if frame.stream % 2 == 0 or frame.stream <= self._last:
            await self.send(spdy.Reset(frame.stream, spdy.PROTOCOL_ERROR))
            return
        self._last = frame.stream
        if len(self._streams) >= _MAX_STREAMS:
            await self.send(spdy.Reset(frame.stream, spdy.REFUSED_STREAM))
            return
        stream = self._streams[frame.stream] = Stream(self, frame.stream, frame.headers)
        stream.widen(self._window - _DEFAULT_WINDOW)
        if frame.fin:
            stream.end()
        await self.send(spdy.SynReply(frame.stream))
        await self._opened(stream)

    def _drop_if_over(self, stream: Stream) -> None:
        if stream.over:
            self._streams.pop(stream.number, None)

    def forget(self, stream: Stream) -> None:
        self._drop_if_over(stream)

    async def taken(self, number: int, size: int) -> None:
        if self.windows:
            await self.send(spdy.WindowUpdate(number, size))
            await self.send(spdy.WindowUpdate(0, size))

    async def send(self, frame: spdy.Frame) -> None:
        # encoding and the write's first step happen without a wait between them, so frames stay in order
        await self._wire.write(self._codec.encode(frame))

    async def ping(self) -> None:
        await self.send(spdy.Ping(2))

    async def go_away(self) -> None:
        await self.send(spdy.GoAway(self._last))


async def keep_alive(ping: Callable[[], Awaitable[None]]) -> None:
    """Send keep-alives until the other side has gone."""
    with contextlib.suppress(OSError):
        while True:
            await asyncio.sleep(_KEEP_ALIVE_INTERVAL)
            await ping()
