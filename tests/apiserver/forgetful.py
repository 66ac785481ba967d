"""A server inside the test's own process, so that a test can make it forget its history at once."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests import loops
from tests.support import Windlass, free_port
from windlass.apiserver.server import Server, ServerSettings


@dataclass
class Forgetful(Windlass):
    """A Windlass that compacts when it is told to."""

    loop: asyncio.AbstractEventLoop | None = None
    inside: Server | None = None

    def forget(self) -> None:
        """Drop every state that a newer one has replaced."""
        assert self.loop is not None
        assert self.inside is not None
        asyncio.run_coroutine_threadsafe(self.inside.api.store.compact(), self.loop).result(60)


@contextmanager
def forgetful(folder: Path) -> Iterator[Forgetful]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    windlass = Forgetful(folder / "data", free_port(), loop=loop)
    windlass.inside = Server(ServerSettings(data_dir=windlass.data_dir, port=windlass.port))
    try:
        asyncio.run_coroutine_threadsafe(windlass.inside.start(), loop).result(60)
        yield windlass
        asyncio.run_coroutine_threadsafe(windlass.inside.stop(), loop).result(60)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(60)
        loops.close(loop)
