"""A process of exec or attach: the engine's connection, and the agent's descriptors."""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable
from typing import Any

from windlass.node.runtimes.podman.frames import Frames
from windlass.node.runtimes.stdio import Stdio

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class EngineProcess(Stdio):
    """`base.Process`. `ended` returns the exit code; `resized` and `closed` notify the engine."""

    def __init__(
        self,
        streams: Streams,
        *,
        ended: Callable[[], Awaitable[int]],
        resized: Callable[[int, int], Awaitable[Any]],
        closed: Callable[[], Awaitable[Any]],
    ) -> None:
        super().__init__()
        self._reader, self._writer = streams
        self._ended, self._resized, self._closed = ended, resized, closed
        self._tasks: set[asyncio.Task[Any]] = set()
        self._over = asyncio.Event()

    async def start(self, *, stdin: bool, stdout: bool, stderr: bool, tty: bool) -> "EngineProcess":
        if tty:
            await self._with_terminal()
        else:
            await self._with_pipes(stdin=stdin, stdout=stdout, stderr=stderr)
        self.unblock()
        return self

    async def _with_terminal(self) -> None:
        ours, theirs = socket.socketpair()
        terminal = theirs.detach()
        self.hold(stdin=terminal, stdout=terminal)
        reader, writer = await asyncio.open_connection(sock=ours)
        self._spawn(self._type(reader))
        self._spawn(self._show(writer))

    async def _show(self, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await self._reader.read(65536):
                writer.write(data)
                await writer.drain()
        except OSError:
            return  # nobody looks any more
        finally:
            writer.close()
            self._over.set()

    async def _type(self, reader: asyncio.StreamReader) -> None:
        """Forward input to the process, and its end."""
        try:
            while data := await reader.read(65536):
                self._writer.write(data)
                await self._writer.drain()
            if self._writer.can_write_eof():
                self._writer.write_eof()
        except OSError:
            return  # the process has ended

    async def _with_pipes(self, *, stdin: bool, stdout: bool, stderr: bool) -> None:
        loop, outlets = asyncio.get_running_loop(), dict[str, asyncio.StreamWriter]()
        if stdin:
            theirs, ours = os.pipe()
            self.hold(stdin=ours)
            reader = asyncio.StreamReader()
            await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(theirs, "rb", 0))
            self._spawn(self._type(reader))
        for name, wanted in (("stdout", stdout), ("stderr", stderr)):
            if wanted:
                descriptor, theirs = os.pipe()
                self.hold(**{name: descriptor})
                outlets[name] = await _writer(theirs)
        self._spawn(self._part(outlets))

    async def _part(self, outlets: dict[str, asyncio.StreamWriter]) -> None:
        frames = Frames()
        try:
            while data := await self._reader.read(65536):
                for name, piece in frames.feed(data):
                    if name in outlets:
                        outlets[name].write(piece)
                        await outlets[name].drain()
        except OSError:
            return  # nobody reads any more
        finally:
            for outlet in outlets.values():
                outlet.close()
            self._over.set()

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def wait(self) -> int:
        await self._over.wait()
        return await self._ended()

    def resize(self, columns: int, rows: int) -> None:
        if not self.is_closed:
            self._spawn(self._resized(columns, rows))

    def close(self) -> None:
        if not self.close_descriptors():
            return
        self._writer.close()
        self._over.set()
        self._spawn(self._closed())


async def _writer(descriptor: int) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.streams.FlowControlMixin(loop), os.fdopen(descriptor, "wb", 0)
    )
    return asyncio.StreamWriter(transport, protocol, None, loop)
