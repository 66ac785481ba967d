"""The agent's client of the network helper: starts it, calls it, and replaces it when it has ended."""

import asyncio
import os
import socket
import struct
import sys
from collections import deque
from typing import Any

import msgspec

from windlass.node.network.netlink import Message

_SPARE = 8  # sockets asked for at once: a dial then waits for nobody


class HelperFailed(OSError):
    """The helper failed to carry out a request, or has ended."""


class HelperClient:
    """Works inside the node's network namespace, through the helper."""

    def __init__(self, anchor_pid: int) -> None:
        self.anchor_pid = anchor_pid
        self._namespaces: list[int] = []
        self._socket: socket.socket | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._number = 0
        self._data = bytearray()
        self._descriptors: deque[int] = deque()
        self._spare: dict[int, list[socket.socket]] = {}
        self._starting, self._sending = asyncio.Lock(), asyncio.Lock()

    @property
    def pid(self) -> int:
        return self._process.pid if self._process else 0

    async def start(self) -> None:
        async with self._starting:
            if self._socket is not None:
                return
            if not self._namespaces:
                self._hold_namespaces()
            mine, theirs = socket.socketpair()
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
            given = (theirs.fileno(), *self._namespaces)
            argv = (sys.executable, "-Xno_debug_ranges", "-m", "windlass.node.network.helper", *map(str, given))
            self._process = await asyncio.create_subprocess_exec(
                *argv, pass_fds=given, env=environment, stdin=asyncio.subprocess.DEVNULL
            )
            theirs.close()
            mine.setblocking(False)
            self._data.clear()
            self._socket = mine
            asyncio.get_running_loop().add_reader(mine, self._readable)

    def _hold_namespaces(self) -> None:
        """Hold the anchor's namespaces open, so that another helper can be started after the anchor has died."""
        flags = os.O_RDONLY | os.O_CLOEXEC
        self._namespaces = [os.open(f"/proc/{self.anchor_pid}/ns/{kind}", flags) for kind in ("user", "net")]

    async def stop(self) -> None:
        self._lost("it was stopped")
        for descriptor in self._namespaces:
            os.close(descriptor)
        self._namespaces.clear()
        for sockets in self._spare.values():
            for each in sockets:
                each.close()
        self._spare.clear()
        if self._process is not None:
            await self._process.wait()

    def kill(self) -> None:
        """End the helper as a crash would; the next call starts another."""
        if self._process is not None:
            self._process.kill()
            self._lost("it was killed")

    def _lost(self, why: str) -> None:
        connection, self._socket = self._socket, None
        if connection is not None:
            asyncio.get_running_loop().remove_reader(connection)
            connection.close()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(HelperFailed(f"the network helper has ended: {why}"))
        self._waiting.clear()

    def _readable(self) -> None:
        assert self._socket is not None
        try:
            data, descriptors, _, _ = socket.recv_fds(self._socket, 1 << 16, 32)
        except BlockingIOError:
            return
        except OSError as error:
            self._lost(str(error))
            return
        self._descriptors += descriptors
        if not data:
            self._lost("it closed the connection")
            return
        self._data += data
        while len(self._data) >= 4:
            length = struct.unpack_from("=I", self._data)[0]
            if len(self._data) < 4 + length:
                return
            body = bytes(self._data[4 : 4 + length])
            del self._data[: 4 + length]
            self._answered(*msgspec.msgpack.decode(body))

    def _answered(self, number: int, error: list[Any] | None, result: Any, count: int) -> None:
        got = [socket.socket(fileno=self._descriptors.popleft()) for _ in range(count)]
        future = self._waiting.pop(number, None)
        if future is None or future.done():
            for each in got:
                each.close()
        elif error is not None:
            future.set_exception(HelperFailed(*error))
        else:
            future.set_result(got or result)

    async def call(self, operation: str, *arguments: Any) -> Any:
        if self._socket is None:
            await self.start()
        assert self._socket is not None
        self._number += 1
        number = self._number
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        body = msgspec.msgpack.encode([number, operation, arguments])
        try:
            await self._send(struct.pack("=I", len(body)) + body)
            return await future
        finally:
            self._waiting.pop(number, None)

    async def _send(self, frame: bytes) -> None:
        """Send frames one after another, each completely."""
        async with self._sending:
            if self._socket is None:
                raise HelperFailed("the network helper has ended")
            try:
                await asyncio.get_running_loop().sock_sendall(self._socket, frame)
            except OSError as error:
                raise HelperFailed(f"the network helper has ended: {error}") from error

    async def filter(self, messages: list[Message]) -> None:
        """Apply a transaction of nftables."""
        await self.call("filter", [tuple(each) for each in messages])

    async def new_socket(self, kind: int = socket.SOCK_STREAM) -> socket.socket:
        """Create a non-blocking socket in the node's network."""
        spare = self._spare.setdefault(kind, [])
        if not spare:
            spare += await self.call("sockets", kind, _SPARE)
        found = spare.pop()
        found.setblocking(False)
        return found

    async def dial(self, host: str, port: int, within: float = 10.0, kind: int = socket.SOCK_STREAM) -> socket.socket:
        """Connect from the node to a pod or a service."""
        return await _connected(await self.new_socket(kind), host, port, within)

    async def dial_local(self, pid: int, port: int, within: float = 10.0) -> socket.socket:
        """Connect to the loopback address of the pod of that process, as one of its containers would."""
        connection: socket.socket = (await self.call("sockets_of", pid, socket.SOCK_STREAM, 1))[0]
        connection.setblocking(False)
        return await _connected(connection, "127.0.0.1", port, within)

    async def listen(self, host: str, port: int, kind: int = socket.SOCK_STREAM) -> socket.socket:
        """Return a bound socket in the node's network, listening if it is TCP."""
        listener = await self.new_socket(kind)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            if kind == socket.SOCK_STREAM:
                listener.listen(256)
        except OSError:
            listener.close()
            raise
        return listener


async def _connected(connection: socket.socket, host: str, port: int, within: float) -> socket.socket:
    try:
        async with asyncio.timeout(within):
            await asyncio.get_running_loop().sock_connect(connection, (host, port))
    except TimeoutError as error:
        connection.close()
        raise TimeoutError(f"dial tcp {host}:{port}: i/o timeout") from error
    except BaseException:
        connection.close()
        raise
    return connection
