"""Transfers of artifacts that tasks wait for. They run beside the steps of their runs, which they wake at their end."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from windlass.kube.meta import Key


class Transfers:
    """`wake` is called with the key of a run when one of its transfers has ended."""

    def __init__(self, wake: Callable[[Key], None]) -> None:
        self._wake = wake
        self._tasks: dict[Key, dict[str, asyncio.Task[None]]] = {}

    def is_done(self, key: Key, name: str, transfer: Callable[[], Coroutine[Any, Any, None]]) -> bool:
        """Whether the transfer of a name has ended; the first call starts it. Raises what the transfer raised."""
        transfers = self._tasks.setdefault(key, {})
        task = transfers.get(name)
        if task is None:
            task = transfers[name] = asyncio.create_task(transfer())
            task.add_done_callback(lambda ended: None if ended.cancelled() else self._wake(key))
        if not task.done():
            return False
        error = task.exception()
        if error is not None:
            del transfers[name]  # a further call starts it again
            raise error
        return True

    def close(self) -> None:
        for key in list(self._tasks):
            self.forget(key)

    def forget(self, key: Key) -> None:
        """Stop the transfers of a run, and forget those that have ended."""
        for task in self._tasks.pop(key, {}).values():
            task.cancel()
