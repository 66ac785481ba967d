"""Who is told of which pods changed: the part of a runtime that all of them share."""

import asyncio
from collections.abc import AsyncIterator


class Changes:
    """Every listener hears of every change from when it began to listen."""

    def __init__(self) -> None:
        self._listeners: list[asyncio.Queue[str]] = []

    def tell(self, uid: str) -> None:
        for queue in self._listeners:
            queue.put_nowait(uid)

    async def heard(self) -> AsyncIterator[str]:
        queue: asyncio.Queue[str] = asyncio.Queue()
        self._listeners.append(queue)
        try:
            while True:
                yield await queue.get()
        finally:
            self._listeners.remove(queue)
