"""Starts a service with the first object that needs it: until then a process does without its code, watches and memory.

The stores of these objects are there from the beginning, so the service finds in them what came before it.
"""

import asyncio
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from windlass.kube.api import Runtime
from windlass.kube.controller import Service
from windlass.kube.queue import Queue
from windlass.kube.view import View

Needs = Callable[[Any], bool]
LOAD = "load"


def on_demand(name: str, wakers: Callable[[], Mapping[View[Any], Needs]], load: Callable[[], Service]) -> Service:
    """The service that `load` returns, started with the first object of a view in `wakers` that needs it.

    `load` imports what the service needs. It runs in a thread, so that the event loop is not blocked.
    """

    def start(runtime: Runtime) -> None:
        queue: Queue[str] = runtime.queue(f"{name}_on_demand")
        is_loaded = False

        def found() -> None:
            if not is_loaded:
                queue.add(LOAD)

        async def load_and_start(_: str) -> timedelta | None:
            nonlocal is_loaded
            if is_loaded:
                return None
            service = await asyncio.to_thread(load)
            is_loaded = True
            service.start(runtime)
            return None

        runtime.work(f"{name}-on-demand", queue, load_and_start, 1)
        for view, needs in wakers().items():
            runtime.store(view).subscribe(FirstObject(f"{name}-on-demand", needs, found))

    return Service(name, start)


def always(_: Any) -> bool:
    return True


class FirstObject:
    """Calls `found` for each object that `needs` the service."""

    def __init__(self, place: str, needs: Needs, found: Callable[[], None]) -> None:
        self.place, self._needs, self._found = place, needs, found

    def added(self, obj: Any, /) -> None:
        if self._needs(obj):
            self._found()

    def changed(self, old: Any, new: Any, /) -> None:
        self.added(new)

    def deleted(self, obj: Any, /) -> None:
        """What has started stays."""
