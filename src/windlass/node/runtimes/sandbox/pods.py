"""A pod as the agent knows it: its folder, its last reported facts, and the connection to its supervisor."""

import asyncio
import contextlib
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from windlass.node.runtimes.base import ContainerFacts, Gone, PodFacts
from windlass.node.runtimes.sandbox import store
from windlass.node.runtimes.sandbox.connection import Connection, Reply, connect
from windlass.node.runtimes.sandbox.wire import Message


class Pod:
    def __init__(self, uid: str, folder: Path, changed: Callable[[str], None]) -> None:
        self.uid, self.folder, self._changed = uid, folder, changed
        self.raw: dict[str, Any] = {}
        self.connection: Connection | None = None
        self.lock = asyncio.Lock()
        self.exits: dict[int, asyncio.Future[int]] = {}
        self._sessions = count(1)
        self._first = asyncio.Event()
        self.problem: Message = {}
        self._left = asyncio.Event()

    @property
    def alive(self) -> bool:
        return self.connection is not None and self.connection.is_open

    def facts(self) -> PodFacts:
        runs = self.raw["containers"]
        if not self.alive:
            runs = [store.ended(run, self.raw.get("lost_at", 0.0)) for run in runs]
        containers = tuple(msgspec.convert(run, ContainerFacts) for run in runs)
        pid = self.raw["pid"] if self.alive else 0
        return PodFacts(self.uid, pid, self.alive, self.raw["created_at"], containers)

    def hold(self, end: Any) -> None:
        self._first.clear()
        self._left.clear()
        self.problem = {}
        self.connection = Connection(end, self._on_message, self._lost)

    async def first_facts(self, within: float = 10) -> bool:
        """Wait for the supervisor's first facts; False if it reported that it cannot run."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._first.wait()
        return bool(self.raw) and self.alive and not self.problem

    async def left(self) -> None:
        """Wait until its supervisor is gone, which exits after it has reported the pod's end."""
        if self.alive:
            await self._left.wait()

    def find(self) -> bool:
        """Connect to a running supervisor, or read what the last one left on disk. False: there is nothing."""
        left = store.load(str(self.folder), store.FACTS)
        if left:
            self.raw = left | {"lost_at": time.time()}
        if end := connect(self.folder):
            self.hold(end)
        return bool(left) or self.alive

    def _on_message(self, message: Message) -> None:
        if "facts" in message:
            self.raw = message["facts"]
            self._first.set()
            self._changed(self.uid)
        elif "session" in message:
            if (future := self.exits.pop(message["session"], None)) and not future.done():
                future.set_result(message["exit"])
        else:
            self.problem = message
            self._first.set()

    def _lost(self) -> None:
        if self.raw:
            self.raw["lost_at"] = time.time()
        self._first.set()
        self._left.set()
        for future in self.exits.values():
            if not future.done():
                future.set_exception(Gone("the pod's supervisor is gone"))
                future.exception()
        self.exits.clear()
        self._changed(self.uid)

    async def ask(self, message: Message) -> Reply:
        if self.connection is None or not self.connection.is_open:
            raise Gone(f"pod {self.uid} has no running sandbox")
        return await self.connection.ask(message)

    async def send(self, message: Message) -> None:
        """Send without waiting for a reply; requests are handled in order."""
        if self.connection is not None and self.connection.is_open:
            await self.connection.send(message | {"id": 0})

    def new_session(self) -> tuple[int, "asyncio.Future[int]"]:
        number = next(self._sessions)
        future = self.exits[number] = asyncio.get_running_loop().create_future()
        return number, future
