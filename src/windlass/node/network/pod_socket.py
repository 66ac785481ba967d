"""DATA/run/pods.sock: passes connections into the pods' network to other processes of this user."""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from windlass.kube.json import Object, dig, encode, parse

Dial = Callable[[str, int, float], Awaitable[socket.socket]]
Blank = Callable[[], Awaitable[socket.socket]]


class PodSocket:
    """The server side of `windlass.kube.pod_network.dial`."""

    def __init__(self, path: Path, dial: Dial, blank: Blank) -> None:
        self._path, self._dial, self._blank = path, dial, blank
        self._task: asyncio.Task[None] | None = None
        self._visitors: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._path.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        before = os.umask(0o177)
        try:
            listener.bind(str(fresh))
        finally:
            os.umask(before)
        listener.listen(128)
        listener.setblocking(False)
        fresh.replace(self._path)  # a client that opens it gets the old socket or the new one
        self._task = asyncio.create_task(self._run(listener), name="pods.sock")

    async def close(self) -> None:
        for task in (*self._visitors, *([self._task] if self._task else ())):
            task.cancel()
        self._path.unlink(missing_ok=True)

    async def _run(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        with listener:
            while True:
                visitor, _ = await loop.sock_accept(listener)
                task = asyncio.create_task(self._serve(visitor))
                self._visitors.add(task)
                task.add_done_callback(self._visitors.discard)

    async def _serve(self, visitor: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        with visitor, suppress(ConnectionError):  # the visitor has gone
            try:
                async with asyncio.timeout(30):
                    asked = parse(await loop.sock_recv(visitor, 4096))
                    connection = await self._made(asked)
            except (OSError, ValueError, TypeError) as error:
                code = getattr(error, "errno", None) or 0
                await loop.sock_sendall(visitor, encode({"error": str(error) or "timed out", "errno": code}))
                return
            with connection:
                socket.send_fds(visitor, [b"{}"], [connection.fileno()])

    async def _made(self, asked: Object) -> socket.socket:
        if dig(asked, "blank"):
            return await self._blank()
        return await self._dial(str(dig(asked, "host")), int(dig(asked, "port")), float(dig(asked, "timeout") or 10))
