"""Notifications of changed pods, which all runtimes share."""

import asyncio
from collections.abc import AsyncIterator


class Changes:
    """Passes every change to every subscriber."""

    def __init__(self) -> None:
        self._listeners: list[asyncio.Queue[str]] = []

    def notify(self, uid: str) -> None:
        for queue in self._listeners:
            queue.put_nowait(uid)

    async def subscribe(self) -> AsyncIterator[str]:
        queue: asyncio.Queue[str] = asyncio.Queue()
        self._listeners.append(queue)
        try:
            while True:
                yield await queue.get()
        finally:
            self._listeners.remove(queue)
