"""Reads from and writes to non-blocking descriptors of a process' streams."""

import asyncio
import errno
import os
from collections.abc import Callable

CHUNK = 64 << 10


async def readable(fd: int) -> None:
    loop = asyncio.get_running_loop()
    await _once(fd, loop.add_reader, loop.remove_reader)


async def read(fd: int) -> bytes:
    """Return the available bytes; empty at the end. A terminal whose other side has closed is at its end too."""
    while True:
        try:
            return os.read(fd, CHUNK)
        except BlockingIOError:
            await readable(fd)
        except OSError as error:
            if error.errno in (errno.EIO, errno.ECONNRESET):
                return b""
            raise


async def write(fd: int, data: bytes) -> None:
    """Write all of it with back-pressure. Raises OSError (BrokenPipeError) when the reader is gone."""
    loop = asyncio.get_running_loop()
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(fd, rest) :]
        except BlockingIOError:
            await _once(fd, loop.add_writer, loop.remove_writer)


async def _once(fd: int, add: Callable[..., None], remove: Callable[[int], object]) -> None:
    ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def set_ready() -> None:
        if not ready.done():
            ready.set_result(None)

    add(fd, set_ready)
    try:
        await ready
    finally:
        remove(fd)
