"""The agent's client of the zygote: starts it, calls it, and restarts it when it has died."""

import asyncio
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from windlass.node.runtimes.base import CannotRun
from windlass.node.runtimes.sandbox.connection import Connection
from windlass.node.runtimes.sandbox.wire import Message

_LAUNCH = str(Path(__file__).with_name("launch.py"))


class Zygote:
    """`lost` is called when a zygote that was ready has died."""

    def __init__(self, data: Path, launch: str = _LAUNCH, lost: Callable[[], None] = lambda: None) -> None:
        self._data, self._launch, self._lost = data, launch, lost
        self._process: asyncio.subprocess.Process | None = None
        self._connection: Connection | None = None
        self._told: asyncio.Future[Message] | None = None
        self._starting = asyncio.Lock()
        self.ids = (0, 1)
        self.cgroup = ""

    @property
    def pid(self) -> int:
        return self._process.pid if self._process else 0

    @property
    def alive(self) -> bool:
        return self._connection is not None and self._connection.is_open

    async def start(self, candidates: list[str], descriptors: Sequence[int] = ()) -> None:
        """Start a zygote. Raises CannotRun.

        `candidates` are namespaces to join: a supervisor's (`PID:FD`), or those of `descriptors` (`fd:USER:NET`).
        """
        async with self._starting:
            if self.alive:
                return
            await self.stop()
            ours, theirs = socket.socketpair()
            with theirs:
                self._process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-I", "-S", "-Xno_debug_ranges", self._launch),
                    *(str(theirs.fileno()), str(self._data), *candidates),
                    pass_fds=[theirs.fileno(), *descriptors],
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.DEVNULL,
                    start_new_session=True,
                )
            self._told = asyncio.get_running_loop().create_future()
            self._connection = Connection(ours, self._on_message, self._closed)
            answer = await self._told
            if "error" in answer:
                raise CannotRun(f"cannot create sandboxes: {answer['error']}", reason="SandboxesRefused")
            self.ids, self.cgroup = (answer["ids"][0], answer["ids"][1]), answer["cgroup"]

    def _on_message(self, message: Message) -> None:
        if self._told and not self._told.done():
            self._told.set_result(message)

    def _closed(self) -> None:
        if self._told and self._told.done():
            self._lost()
        self._on_message({"error": "the zygote ended during its start"})

    async def send(self, message: Message, descriptors: list[int]) -> None:
        assert self._connection is not None
        await self._connection.send(message, descriptors)

    async def ask(self, message: Message) -> None:
        assert self._connection is not None
        await self._connection.ask(message)

    async def stop(self) -> None:
        if self._connection:
            self._connection.close()
        if self._process:
            await self._process.wait()
            self._process = None
