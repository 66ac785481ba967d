"""exec and attach: connects a process' streams with the client's channels.

The channels are SPDY streams or numbered WebSocket messages; the rest is the same for both.
"""

import asyncio
import base64
import binascii
import contextlib
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from aiohttp import web

from windlass.kube.json import BadJson, Object, dig, parse
from windlass.node.runtimes.base import CannotRun, Gone, Process
from windlass.node.streams import http, pipes, statuses, upgrade, websocket
from windlass.node.streams.duplex import Spdy, Stream, WebSocket, keep_alive

_STREAMS_WITHIN = 30.0
_QUIET_END = 0.5  # seconds after a process' end in which whatever else holds its output may still say something
_LINGER = 5.0
SPDY_PROTOCOLS = ("v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io", "channel.k8s.io", "")
WEBSOCKET_PROTOCOLS = (
    "v5.channel.k8s.io", "v4.channel.k8s.io", "v4.base64.channel.k8s.io", "channel.k8s.io", "base64.channel.k8s.io", "",
)  # fmt: skip
_STDIN, _STDOUT, _STDERR, _ERROR, _RESIZE, _CLOSE = 0, 1, 2, 3, 4, 255
Size = tuple[int, int]


@dataclass(frozen=True)
class Options:
    """The streams that the client requests."""

    stdin: bool
    stdout: bool
    stderr: bool
    tty: bool

    @classmethod
    def of(cls, request: web.Request) -> "Options":
        tty = http.flag(request, "tty")
        stderr = http.flag(request, "error", "stderr") and not tty  # a terminal has one way out
        return cls(http.flag(request, "input", "stdin"), http.flag(request, "output", "stdout"), stderr, tty)

    @property
    def any(self) -> bool:
        return self.stdin or self.stdout or self.stderr


class Channels(Protocol):
    """The client's side."""

    async def stdin(self) -> bytes:
        """Return the next input; empty at the end."""
        ...

    async def size(self) -> Size | None:
        """Return the terminal's next size; None when no more will come."""
        ...

    async def write(self, error: bool, data: bytes) -> None:
        """Write to stderr, or to stdout."""
        ...

    async def finish(self, status: Object) -> None: ...


class SpdyChannels:
    """One stream per channel."""

    def __init__(self, streams: dict[str, Stream], protocol: str) -> None:
        self._streams, self._structured = streams, protocol.startswith("v4.")

    async def stdin(self) -> bytes:
        return await self._streams["stdin"].read() if "stdin" in self._streams else b""

    async def size(self) -> Size | None:
        stream, held = self._streams.get("resize"), b""
        while stream is not None and (data := await stream.read()):
            held = (held + data)[-4096:]
            found = [size for line in held.splitlines() if (size := _size(line)) is not None]
            if found:
                return found[-1]
        return None

    async def write(self, error: bool, data: bytes) -> None:
        await self._streams["stderr" if error else "stdout"].write(data)

    async def finish(self, status: Object) -> None:
        for name in ("stdout", "stderr"):
            if name in self._streams:
                await self._streams[name].close()
        data = statuses.encode(status, structured=self._structured)
        if data:
            await self._streams["error"].write(data)
        for stream in self._streams.values():
            await stream.close()


class WebSocketChannels:
    """Messages whose first byte is the channel; in the base64 protocols, the first character."""

    def __init__(self, socket: WebSocket, protocol: str, options: Options) -> None:
        self._socket, self._options = socket, options
        self._base64 = "base64" in protocol
        self._structured = protocol.startswith(("v4.", "v5."))
        self._closes = protocol.startswith("v5.")
        self._input: asyncio.Queue[bytes] = asyncio.Queue(8)
        self._sizes: asyncio.Queue[Size | None] = asyncio.Queue()
        self._input_ended = not options.stdin

    async def begin(self) -> None:
        """Send an empty message, which signals that the streams are open."""
        await self._send(_STDOUT if self._options.stdout else _STDERR if self._options.stderr else _ERROR, b"")

    async def run(self) -> None:
        """Dispatch messages until the client goes."""
        while (message := await self._socket.receive()) is not None:
            channel, data = self._split(message.data)
            if channel == _STDIN and data and not self._input_ended:
                await self._input.put(data)
            elif channel == _CLOSE and self._closes and data[:1] == bytes((_STDIN,)):
                await self._end_input()
            elif channel == _RESIZE and (size := _size(data)) is not None:
                self._sizes.put_nowait(size)

    async def _end_input(self) -> None:
        if not self._input_ended:
            self._input_ended = True
            await self._input.put(b"")

    def _split(self, data: bytes) -> tuple[int, bytes]:
        if not data:
            return -1, b""
        if not self._base64:
            return data[0], data[1:]
        try:
            return data[0] - ord("0"), base64.b64decode(data[1:])
        except binascii.Error:
            return -1, b""

    async def _send(self, channel: int, data: bytes) -> None:
        if self._base64:
            await self._socket.send(b"%d" % channel + base64.b64encode(data), websocket.TEXT)
        else:
            await self._socket.send(bytes((channel,)) + data)

    async def stdin(self) -> bytes:
        return await self._input.get() if self._options.stdin else b""

    async def size(self) -> Size | None:
        return await self._sizes.get()

    async def write(self, error: bool, data: bytes) -> None:
        await self._send(_STDERR if error else _STDOUT, data)

    async def finish(self, status: Object) -> None:
        data = statuses.encode(status, structured=self._structured)
        if data:
            await self._send(_ERROR, data)
        await self._socket.close()


def _size(data: bytes) -> Size | None:
    try:
        found = parse(data)
    except BadJson:
        return None
    columns, rows = dig(found, "Width"), dig(found, "Height")
    if isinstance(columns, int) and isinstance(rows, int) and 0 < columns < 65536 and 0 < rows < 65536:
        return columns, rows
    return None


async def serve(
    request: web.Request,
    start: Callable[[], Awaitable[Process]],
    failure: str,
) -> None:
    """Switch protocols, start the process, and connect both. Raises `upgrade.NoUpgrade` before the response begins."""
    options = Options.of(request)
    if upgrade.wants(request, "websocket"):
        protocol = upgrade.chosen(request, "sec-websocket-protocol", WEBSOCKET_PROTOCOLS)
        with upgrade.to_websocket(request, protocol) as socket:
            channels = WebSocketChannels(socket, protocol, options)
            await channels.begin()
            await _while_there(channels.run(), socket.ping, _session(channels, options, start, failure))
            await socket.linger()
    elif upgrade.wants(request, upgrade.SPDY):
        protocol = upgrade.chosen(request, "x-stream-protocol-version", SPDY_PROTOCOLS)
        with upgrade.to_spdy(request, protocol) as wire:
            await _over_spdy(wire, protocol, options, start, failure)
    else:
        raise upgrade.NoUpgrade("you must specify one of SPDY/3.1 or websocket in the Upgrade header")


async def _over_spdy(
    wire: upgrade.Tcp, protocol: str, options: Options, start: Callable[[], Awaitable[Process]], failure: str
) -> None:
    expected = {"error"} | {name for name in ("stdin", "stdout", "stderr") if getattr(options, name)}
    if options.tty and protocol.startswith(("v3.", "v4.")):
        expected.add("resize")
    streams: dict[str, Stream] = {}
    complete = asyncio.Event()

    async def opened(stream: Stream) -> None:
        streams.setdefault(stream.headers.get("streamtype", ""), stream)
        if expected <= set(streams):
            complete.set()

    connection = Spdy(wire, opened)

    async def session() -> None:
        async with asyncio.timeout(_STREAMS_WITHIN):
            await complete.wait()
        await _session(SpdyChannels(streams, protocol), options, start, failure)
        await connection.go_away()

    reading = asyncio.create_task(connection.run())
    try:
        with contextlib.suppress(TimeoutError):
            await _while_there(reading, connection.ping, session())
        await asyncio.wait([reading], timeout=_LINGER)
    finally:
        await _cancelled(reading)


async def _while_there(reading: Awaitable[None], ping: Callable[[], Awaitable[None]], session: Awaitable[None]) -> None:
    """Run the session until it ends or the client goes."""
    from_client = asyncio.ensure_future(reading)
    work, signing = asyncio.ensure_future(session), asyncio.ensure_future(keep_alive(ping))
    owned = [work, signing] if from_client is reading else [work, signing, from_client]
    try:
        await asyncio.wait([from_client, work, signing], return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            with contextlib.suppress(OSError):
                work.result()
    finally:
        await _cancelled(*owned)


async def _session(channels: Channels, options: Options, start: Callable[[], Awaitable[Process]], failure: str) -> None:
    try:
        process = await start()
    except (CannotRun, Gone, OSError) as error:
        await channels.finish(statuses.failed(f"{failure}: {error}"))
        return
    try:
        await channels.finish(statuses.ended(await joined(process, channels, options)))
    finally:
        process.close()


async def joined(process: Process, channels: Channels, options: Options) -> int:
    """Copy all streams until the process has ended and its output is complete; returns its exit code."""
    ended = asyncio.Event()
    inward = [asyncio.create_task(_resize(process, channels))] if options.tty else []
    if options.stdin and process.stdin is not None:
        inward.append(asyncio.create_task(_input(process, channels, options.tty)))
    outward = [
        asyncio.create_task(_output(fd, error, channels, ended))
        for fd, error, wanted in ((process.stdout, False, options.stdout), (process.stderr, True, options.stderr))
        if fd is not None and wanted
    ]
    try:
        code = await _exit_code(process, outward)
        ended.set()
        await asyncio.gather(*outward)
        return code
    finally:
        await _cancelled(*inward, *outward)


async def _exit_code(process: Process, outward: Sequence["asyncio.Task[None]"]) -> int:
    """Wait for the exit code; a client that takes no more output (an OSError of a pump) ends the process too."""
    waiting = asyncio.create_task(process.wait())
    pending: set[asyncio.Task[None] | asyncio.Task[int]] = {waiting, *outward}
    try:
        while not waiting.done():
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        return waiting.result()
    finally:
        await _cancelled(waiting)


async def _input(process: Process, channels: Channels, tty: bool) -> None:
    try:
        while data := await channels.stdin():
            if process.stdin is None:
                return
            await pipes.write(process.stdin, data)
    except OSError:
        pass  # it reads no more; what it still says is of interest
    if not tty and process.stdin is not None:
        os.close(process.stdin)
        process.stdin = None


async def _output(fd: int, error: bool, channels: Channels, ended: asyncio.Event) -> None:
    while data := await _next(fd, ended):
        await channels.write(error, data)


async def _next(fd: int, ended: asyncio.Event) -> bytes:
    """Return the next output.

    After the process' end a grandchild may hold the pipe open: it gets a moment, not for ever.
    """
    reading, ending = asyncio.create_task(pipes.read(fd)), asyncio.create_task(ended.wait())
    try:
        await asyncio.wait([reading, ending], return_when=asyncio.FIRST_COMPLETED)
        if not reading.done():
            await asyncio.wait([reading], timeout=_QUIET_END)
        return reading.result() if reading.done() else b""
    finally:
        await _cancelled(reading, ending)


async def _resize(process: Process, channels: Channels) -> None:
    while (size := await channels.size()) is not None:
        with contextlib.suppress(OSError):
            process.resize(*size)


async def _cancelled(*tasks: asyncio.Future[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
