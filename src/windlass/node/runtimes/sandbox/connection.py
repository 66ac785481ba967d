"""The agent's connection to the zygote or to a supervisor."""

import asyncio
import os
import socket
from collections.abc import Callable
from itertools import count
from pathlib import Path

from windlass.node.runtimes.base import CannotRun, Gone
from windlass.node.runtimes.sandbox import store, wire
from windlass.node.runtimes.sandbox.wire import Message

Reply = tuple[Message, list[int]]


class Connection:
    """Sends requests and passes unsolicited messages to `on_message`.

    `closed` is called once when the other side is gone.
    """

    def __init__(self, end: socket.socket, on_message: Callable[[Message], None], closed: Callable[[], None]) -> None:
        end.setblocking(False)
        self._socket, self._on_message, self._closed = end, on_message, closed
        self._received, self._numbers = wire.Received(), count(1)
        self._asked: dict[int, asyncio.Future[Reply]] = {}
        self._sending = asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(end.fileno(), self._read)

    @property
    def is_open(self) -> bool:
        return self._socket.fileno() >= 0

    async def ask(self, message: Message, descriptors: list[int] | None = None) -> Reply:
        """Send a request and wait for its reply.

        Raises Gone when the other side goes first, CannotRun when it refuses.
        """
        number = next(self._numbers)
        future = self._asked[number] = self._loop.create_future()
        try:
            await self.send(message | {"id": number}, descriptors)
            answer, received = await future
        finally:
            self._asked.pop(number, None)
        if "gone" in answer:
            raise Gone(answer["gone"])
        if "error" in answer:
            raise CannotRun(answer["error"], exit_code=answer.get("exit_code", 128))
        return answer, received

    async def send(self, message: Message, descriptors: list[int] | None = None) -> None:
        data, given = wire.encode(message | {"descriptors": len(descriptors or [])}), wire.ancillary(descriptors or [])
        async with self._sending:
            while data:
                if not self.is_open:
                    raise Gone("the pod's supervisor is gone")
                try:
                    data, given = data[self._socket.sendmsg([data], given) :], []
                except BlockingIOError:
                    await self._writable()
                except OSError as error:
                    raise Gone("the pod's supervisor is gone") from error

    async def _writable(self) -> None:
        ready = self._loop.create_future()
        self._loop.add_writer(self._socket.fileno(), lambda: ready.done() or ready.set_result(None))
        try:
            await ready
        finally:
            if self.is_open:
                self._loop.remove_writer(self._socket.fileno())

    def _read(self) -> None:
        try:
            messages = self._received.read(self._socket)
        except (BlockingIOError, InterruptedError):
            return
        if messages is None:
            self.close()
            self._closed()
            return
        for message in messages:
            descriptors = self._received.take(message.pop("descriptors", 0))
            if "facts" in message:
                self._on_message(message)
            if "id" not in message:
                if "facts" not in message:
                    self._on_message(message)
            elif (future := self._asked.get(message["id"])) and not future.done():
                future.set_result((message, descriptors))
            else:
                for descriptor in descriptors:
                    os.close(descriptor)

    def close(self) -> None:
        if not self.is_open:
            return
        self._loop.remove_reader(self._socket.fileno())
        self._loop.remove_writer(self._socket.fileno())
        self._socket.close()
        for future in self._asked.values():
            if not future.done():
                future.set_exception(Gone("the pod's supervisor is gone"))


def connect(folder: Path) -> socket.socket | None:
    """Connect to the supervisor of the pod in `folder`; None if there is none."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        end.connect(f"/proc/self/fd/{descriptor}/{store.SOCKET}")
    except OSError:
        end.close()
        return None
    finally:
        os.close(descriptor)
    return end
